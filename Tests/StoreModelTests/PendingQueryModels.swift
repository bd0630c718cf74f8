import Foundation
import SwiftData

@Model
final class Holder {
    var name: String
    var rank = 0
    @Relationship(inverse: \Sample.holder) var samples: [Sample] = []
    @Relationship(inverse: \Mark.holders) var marks: [Mark] = []

    init(name: String, rank: Int = 0) {
        self.name = name
        self.rank = rank
    }
}

@Model
final class Mark {
    var name: String
    var holders: [Holder] = []

    init(name: String) { self.name = name }
}

@Model
final class Sample {
    #Index<Sample>([\.text])
    var a: Int
    var b: Int
    var list: [Int] = []
    var text: String
    var note: String?
    var real: Double = 0
    var small: Int8 = 0
    var words: [String] = []
    var counts: [String: Int] = [:]
    var reading: Reading
    @Attribute(.externalStorage) var bytes: Data?
    var holder: Holder?
    /// Nobody empties it when its target goes.
    @Relationship(deleteRule: .noAction) var loose: Mark?

    init(a: Int, b: Int = 0, text: String = "", note: String? = nil) {
        (self.a, self.b, self.text, self.note) = (a, b, text, note)
        reading = Reading(value: 0, exact: 0, text: "")
    }
}

struct Reading: Codable, Hashable {
    var value: Double
    var exact: Float
    var text: String
}
