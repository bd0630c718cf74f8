import SwiftData

/// No `Codable`: only its transformer can store it.
struct Colour: Equatable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8
}

final class ColourTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
        (value as? Colour).map { Data([$0.red, $0.green, $0.blue]) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data, data.count == 3 else { return nil }
        return Colour(red: data[0], green: data[1], blue: data[2])
    }
}

enum Shape: String, Codable {
    case round, square
}

@Model
final class Photo {
    @Attribute(.indexed) var title: String
    @Attribute(.externalStorage) var original: Data?
    @Attribute(.externalStorage) var preview = Data([1])
    @Attribute(.ephemeral) var isSelected = false
    @Attribute(.transformable(by: ColourTransformer.self)) var colour: Colour = Colour(red: 0, green: 0, blue: 0)
    @Attribute(.transformable(by: "colour")) var background: Colour?
    @Attribute(.codable) var shape: Shape = Shape.round
    @Attribute(.preserveValueOnDeletion, .allowsCloudEncryption, .spotlight) var code: Int = 0
    @Attribute(.preserveValueOnDeletion) var remark: String?
    var caption: AttributedString = AttributedString("")

    init(title: String) { self.title = title }
}

@Model
final class Team {
    var name: String
    @Relationship(minimum: 1, maximum: 2) var members: [Player] = []
    @Relationship(minimumModelCount: 0, maximumModelCount: 1) var coaches: [Player] = []

    init(name: String) { self.name = name }
}

@Model
final class Player {
    var name: String
    init(name: String) { self.name = name }
}

@Model
final class Booking {
    #Unique<Booking>([\.room, \.day], [\.code])
    #Index<Booking>([\.room], [\.day, \.room])
    var room: String
    var day: Int
    var code: String?
    var guest: String

    init(room: String, day: Int, guest: String, code: String? = nil) {
        self.room = room
        self.day = day
        self.guest = guest
        self.code = code
    }
}
