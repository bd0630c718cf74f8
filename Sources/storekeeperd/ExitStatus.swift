import StoreShared

/// What a script learns from the end of the process.
enum ExitStatus {
    static let done: Int32 = 0
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    static let tooNew: Int32 = 4
    static let heldOrStopped: Int32 = 5
    static let refused: Int32 = 7
    static let noStore: Int32 = 8

    static func of(_ error: any Error) -> Int32 {
        guard let error = error as? StoreError else { return failure }
        return switch error.code {
        case .storeTooNew: tooNew
        case .ownedByAnother, .timedOut, .cancelled: heldOrStopped
        case .planRefused, .migrationFailed: refused
        case .absent, .unreadable, .foreign, .drifted: noStore
        default: failure
        }
    }
}
