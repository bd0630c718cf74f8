import SwiftData

/// Swift 5 warns of accessors on a constant and lets it be a stored property of a model; Swift 6 refuses it, on every system.
@Model
final class Stamp {
    let code: String
    let value = 5

    init(code: String) {
        self.code = code
    }
}
