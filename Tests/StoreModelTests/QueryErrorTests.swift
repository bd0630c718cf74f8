import Foundation
import StoreModel
import StoreSQLite
import Testing

/// What cannot be SQL is refused by name.
@Suite struct QueryErrorTests {
    let library: Library

    init() throws { library = try Library() }

    private func refuses(_ predicate: Predicate<Book>, saying text: String, location: SourceLocation = #_sourceLocation) throws {
        let error = #expect(throws: QueryError.self, sourceLocation: location) { try library.rows(predicate) }
        #expect(error?.explanation.contains(text) == true, "\(String(describing: error))", sourceLocation: location)
    }

    @Test func computedAndTransientPropertiesAreNamed() throws {
        try refuses(#Predicate { $0.computed > 2 }, saying: "Book stores no such property")
        try refuses(#Predicate { $0.author?.books.first?.notStored == 2 }, saying: "no order")
    }

    @Test func aRelationshipHasNoFirst() throws {
        try refuses(#Predicate { $0.tags.first?.label == "a" }, saying: "a relationship has no order")
    }

    @Test func capturedDivisionByZeroIsAnErrorNotATrap() throws {
        let zero = 0
        try refuses(#Predicate { $0.pages / zero == 1 }, saying: "divides by zero")
        try refuses(#Predicate { 4 % zero == $0.pages }, saying: "divides by zero")
    }

    @Test func capturedOverflowIsAnErrorNotATrap() throws {
        let large = Int.max
        try refuses(#Predicate { $0.pages > large + 1 }, saying: "does not fit Int")
    }

    @Test func aCapturedValueThatDoesNotEncodeIsNamed() throws {
        let entity = EntityTable(
            name: "Counter", table: "Counter", modelType: Counter.self,
            properties: [\Counter.value: .init(name: "value", storage: .column("value", kind: .json))], identifierKeyPaths: [])
        let secret = Secret(number: 1)
        let error = #expect(throws: QueryError.self) {
            try FetchTranslation(of: entity, in: EntityCatalog([entity]), where: #Predicate<Counter> { $0.value == secret })
        }
        let text = try #require(error).explanation
        #expect(text.contains("predicate of Counter") && text.contains("value") && text.contains("no secret is written"), "\(text)")
    }

    @Test func anOrderOfItsOwnIsNamed() throws {
        let entity = EntityTable(
            name: "Counter", table: "Counter", modelType: Counter.self,
            properties: [\Counter.level: .init(name: "level", storage: .column("level", kind: .text))], identifierKeyPaths: [])
        let low = Level.low
        let error = #expect(throws: QueryError.self) {
            try FetchTranslation(of: entity, in: EntityCatalog([entity]), where: #Predicate<Counter> { $0.level > low })
        }
        #expect(try #require(error).explanation.contains("Level has an order of its own"))
    }
}

private final class Counter {
    var value = Secret(number: 0)
    var level = Level.low
}

private struct Secret: Codable, Equatable {
    var number: Int
    struct Failure: Error, CustomStringConvertible { var description: String { "no secret is written" } }
    init(number: Int) { self.number = number }
    init(from decoder: any Decoder) throws { throw Failure() }
    func encode(to encoder: any Encoder) throws { throw Failure() }
}

private enum Level: String, Codable, Comparable {
    case low, high
    static func < (a: Level, b: Level) -> Bool { a == .low && b == .high }
}
