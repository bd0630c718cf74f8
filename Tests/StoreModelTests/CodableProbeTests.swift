import Foundation
import SwiftData
import Testing

@testable import StoreModel

/// Takes 0 and multiples of 5 only.
private struct Money: Codable, Hashable {
    var cents: Int
    let currency: String
    var rounded: Int { cents / 100 * 100 }

    init(cents: Int, currency: String) {
        (self.cents, self.currency) = (cents, currency)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        cents = try container.decode(Int.self, forKey: .cents)
        currency = try container.decode(String.self, forKey: .currency)
        precondition(cents >= 0 && cents % 5 == 0, "a value that was made up came in")
    }
}

private enum Suit: String, Codable { case hearts, spades }

private struct Card: Codable {
    var suit: Suit
    var value: Int
    var rank: Int
    var note: String?

    enum CodingKeys: String, CodingKey {
        case suit
        // Each under the other's name.
        case value = "rank"
        case rank = "value"
        case note = "n"
    }
}

/// What was added later has a value where it is missing.
private struct Level: Codable, Hashable {
    var base: Int
    var level: Int
    var note: String?
    var mark: String?

    enum CodingKeys: CodingKey { case base, level, note, mark }

    init(base: Int, level: Int) { (self.base, self.level) = (base, level) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        base = try container.decode(Int.self, forKey: .base)
        level = try container.decodeIfPresent(Int.self, forKey: .level) ?? 1
        note = try container.decodeIfPresent(String.self, forKey: .note) ?? "none"
        mark = try container.decodeIfPresent(String.self, forKey: .mark)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(base, forKey: .base)
        if level != 1 { try container.encode(level, forKey: .level) }
        try container.encodeIfPresent(note, forKey: .note)
        try container.encodeIfPresent(mark, forKey: .mark)
    }
}

@Model private final class Room {
    var level: Level
    init(_ level: Level) { self.level = level }
}

/// Takes no zero, no empty text and no one, and stops at them.
private struct Ware: Codable, Hashable {
    var weight: Int
    var label: String
    var boxes: [Box]
    var note: String?

    init(weight: Int, label: String, boxes: [Box]) { (self.weight, self.label, self.boxes) = (weight, label, boxes) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        weight = try container.decode(Int.self, forKey: .weight)
        label = try container.decode(String.self, forKey: .label)
        boxes = try container.decode([Box].self, forKey: .boxes)
        note = try container.decodeIfPresent(String.self, forKey: .note)
        precondition(weight > 1 && label.count > 1, "what was made up came in")
    }
}

private struct Box: Codable, Hashable {
    var size: Int

    init(size: Int) { self.size = size }

    init(from decoder: any Decoder) throws {
        size = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .size)
        precondition(size > 1, "a size that was made up came in")
    }
}

/// Looks at nothing before it has everything.
private struct Late: Codable {
    var first: Int
    var second: Int?
    var third: Int

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        first = try container.decode(Int.self, forKey: .first)
        second = try container.decodeIfPresent(Int.self, forKey: .second)
        third = container.contains(.third) ? try container.decode(Int.self, forKey: .third) : 7
        preconditionFailure("what was made up came in")
    }
}

@Model private final class Bill {
    var total: Money
    init(_ total: Money) { self.total = total }
}

@Model private final class Parcel {
    var ware: Ware
    var maybe: Ware?
    init(_ ware: Ware) { (self.ware, maybe) = (ware, ware) }
}

/// Under which key a property of a `Codable` type stands.
@Suite struct CodableProbeTests {
    @Test func keysAreProvedWithoutTrustingNames() {
        #expect(CodableProbe.key(of: \Card.suit) == "suit")
        #expect(CodableProbe.key(of: \Card.value) == "rank")
        #expect(CodableProbe.key(of: \Card.rank) == "value")
        #expect(CodableProbe.key(of: \Card.note) == "n")
        #expect(CodableProbe.key(of: \Money.rounded) == nil)
    }

    @Test func whatHasAValueWhereItsKeyIsMissingIsComputed() throws {
        #expect(CodableProbe.key(of: \Level.base) == "base" && CodableProbe.key(of: \Level.mark) == "mark")
        #expect(CodableProbe.key(of: \Level.level) == nil && CodableProbe.key(of: \Level.note) == nil)
        let context = ModelContext(try ModelContainer(for: Room.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        for level in 0...3 { context.insert(Room(Level(base: level * 10, level: level))) }
        try context.save()
        func found(_ predicate: Predicate<Room>) throws -> [Int] {
            let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.level.level, order: .reverse)]))
            #expect(try Set(context.fetch(FetchDescriptor<Room>()).filter(predicate.evaluate)) == Set(found))
            return found.map(\.level.base)
        }
        #expect(try found(#Predicate { $0.level.level == 1 }) == [10])
        #expect(try found(#Predicate { $0.level.level < 2 }) == [10, 0])
        #expect(try found(#Predicate { $0.level.level != 1 }) == [30, 20, 0])
        #expect(try found(#Predicate { $0.level.note == nil }) == [])
        #expect(try found(#Predicate { $0.level.mark == nil }).count == 4)
    }

    @Test func aDecoderThatStopsAtWhatIsMadeUpIsNotAsked() throws {
        #expect(CodableProbe.key(of: \Ware.weight) == "weight" && CodableProbe.key(of: \Ware.label) == "label")
        #expect(CodableProbe.key(of: \Ware.boxes) == "boxes")
        let context = ModelContext(
            try ModelContainer(for: Parcel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        for weight in [2, 3, 4] {
            context.insert(Parcel(Ware(weight: weight, label: "label \(weight)", boxes: [Box(size: weight)])))
        }
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetchCount(FetchDescriptor<Parcel>(predicate: #Predicate { $0.ware.weight > 2 })) == 2)
        #expect(try other.fetchCount(FetchDescriptor<Parcel>(predicate: #Predicate { $0.maybe?.label == "label 3" })) == 1)
        #expect(
            try other.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.ware.label, order: .reverse)])).map(\.ware.weight) == [
                4, 3, 2,
            ])
    }

    @Test func whetherAKeyIsNeededIsKnownWithItsQuestion() {
        #expect(CodableProbe.requires("weight", in: Ware.self))
        #expect(CodableProbe.requires("first", in: Late.self))
        #expect(!CodableProbe.requires("second", in: Late.self) && !CodableProbe.requires("third", in: Late.self))
        #expect(!CodableProbe.requires("none", in: Card.self) && CodableProbe.requires("suit", in: Card.self))
        #expect(!CodableProbe.requires("n", in: Card.self) && CodableProbe.requires("rank", in: Card.self))
    }

    @Test func aDecoderThatTakesFewValuesSeesNoneThatItMustRefuse() throws {
        #expect(CodableProbe.key(of: \Money.cents) == "cents")
        #expect(CodableProbe.key(of: \Money.currency) == "currency")
        let context = ModelContext(
            try ModelContainer(for: Bill.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        for cents in [0, 5, 150] { context.insert(Bill(Money(cents: cents, currency: "EUR"))) }
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetchCount(FetchDescriptor<Bill>(predicate: #Predicate { $0.total.cents > 3 })) == 2)
        #expect(try other.fetchCount(FetchDescriptor<Bill>(predicate: #Predicate { $0.total.rounded == 100 })) == 1)
    }
}
