import Foundation
import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

private enum Grade: String, Codable { case alpha, beta }
private enum Level: Int, Codable, CaseIterable { case low = 1, high }
private enum Outline: Codable, Equatable {
    case round(Int)
    case square(side: Double)
}

private struct Contact: Codable, Equatable {
    var name: String
    var mail: String
    var grade: Grade
    var since: Date?
}

@Model private final class Specimen {
    var name = ""
    var grade: Grade
    var maybeGrade: Grade?
    var level: Level
    var setLevel: Level = Level.high
    var outline: Outline
    @Attribute(.codable) var contact: Contact
    var nested: [Contact]
    var when: Date
    var identity: UUID
    var maybeIdentity: UUID?
    var place: URL
    var price: Decimal
    var small: Int8
    var count = 7
    var isGood = true
    var rate: Double
    var text: String

    init() {
        grade = .beta
        maybeGrade = .beta
        level = .high
        outline = .square(side: 2)
        contact = Contact(name: "n", mail: "m", grade: .beta)
        nested = []
        when = Date(timeIntervalSinceReferenceDate: 5)
        identity = UUID()
        maybeIdentity = UUID()
        place = URL(fileURLWithPath: "/x")
        price = 3
        small = 4
        rate = 6
        text = "t"
    }
}

/// Refuses whatever can be made up.
private struct Strict: Codable, Equatable {
    var number: Int
    var names: [String]

    init(number: Int) { (self.number, names) = (number, ["\(number)"]) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        number = try container.decode(Int.self, forKey: .number)
        names = try container.decode([String].self, forKey: .names)
        guard number > 1 else { throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "too small")) }
    }
}

@Model private final class Guarded {
    var name = ""
    var strict: Strict
    init() { strict = Strict(number: 5) }
}

@Model private final class Limits {
    var ratio: Double = 1
    var most: UInt64 = 1
    init() {}
}

private enum Bare: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Gauge.self] }
    @Model final class Gauge {
        var name: String
        init(name: String) { self.name = name }
    }
}

private enum Bounded: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Gauge.self] }
    @Model final class Gauge {
        var name: String
        var most: Double = Double.infinity
        var least: Float = -Float.infinity
        init(name: String) { self.name = name }
    }
}

/// Stored values that a program does not understand, or that have no place in a store.
@Suite struct UndecodableTests {
    private static func stored(_ type: any PersistentModel.Type) throws -> ModelContainer {
        try ModelContainer(for: Schema([type]), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    }

    private func sql<T>(_ container: ModelContainer, _ body: (Connection) throws -> T) throws -> T {
        try container.stores[0].storage.write(changing: []) { try body($0) }
    }

    /// One damaged column: what is put into it, and what the getter has to give.
    private struct Damage: Sendable {
        let column: String
        let literal: String
        let reads: @Sendable (Specimen) -> Bool

        init(_ column: String, _ literal: String, _ reads: @escaping @Sendable (Specimen) -> Bool) {
            (self.column, self.literal, self.reads) = (column, literal, reads)
        }
    }

    private static let damages = [
        Damage("grade", "'gamma'") { $0.grade == .alpha },
        Damage("grade", "X'01'") { $0.grade == .alpha },
        Damage("maybeGrade", "'gamma'") { $0.maybeGrade == nil },
        Damage("level", "77") { $0.level == .low },
        Damage("level", "'one'") { $0.level == .low },
        Damage("setLevel", "77") { $0.setLevel == .high },
        Damage("outline", "'{\"oval\":{\"_0\":3}}'") { $0.outline == .round(0) },
        Damage("outline", "'{'") { $0.outline == .round(0) },
        Damage("contact", "'{\"name\":\"kept\",\"grade\":\"beta\"}'") { $0.contact == Contact(name: "kept", mail: "", grade: .beta) },
        Damage("contact", "'{\"name\":\"kept\",\"mail\":5,\"grade\":\"gamma\"}'") {
            $0.contact == Contact(name: "kept", mail: "", grade: .alpha)
        },
        Damage("contact", "'nothing'") { $0.contact == Contact(name: "", mail: "", grade: .alpha) },
        Damage("nested", "'[{}]'") { $0.nested.isEmpty },
        Damage("\"when\"", "'yesterday'") { $0.when == Date(timeIntervalSinceReferenceDate: 0) },
        Damage("\"when\"", "'2024-01-01'") { $0.when == Date(timeIntervalSinceReferenceDate: 0) },
        Damage("identity", "'no-uuid'") { $0.identity.uuidString == "00000000-0000-0000-0000-000000000000" },
        Damage("maybeIdentity", "'no-uuid'") { $0.maybeIdentity == nil },
        Damage("price", "'abc'") { $0.price == 0 },
        Damage("small", "300") { $0.small == 0 },
        Damage("count", "'12 pieces'") { $0.count == 7 },
        Damage("count", "1.5") { $0.count == 7 },
        Damage("isGood", "'yes'") { $0.isGood },
        Damage("rate", "X'0102'") { $0.rate == 0 },
        Damage("text", "X'FF00'") { $0.text == "" },
    ]

    @Test(arguments: damages.indices)
    func aValueThatDoesNotDecodeHasASubstituteIsToldAndIsKept(number: Int) throws {
        let damage = Self.damages[number]
        let container = try Self.stored(Specimen.self)
        let writing = ModelContext(container)
        writing.insert(Specimen())
        try writing.save()
        try sql(container) { try $0.run("UPDATE Specimen SET \(damage.column) = \(damage.literal)") }

        let context = ModelContext(container)
        var told: [String] = []
        context.faultHandler = { told.append("\($0)") }
        let model = try #require(try context.fetch(FetchDescriptor<Specimen>()).first)
        #expect(model.name == "" && told.isEmpty, "what nobody reads is not told: \(told)")
        #expect(damage.reads(model))
        let name = "Specimen." + damage.column.replacing("\"", with: "")
        #expect(told.count == 1 && told.first?.contains(name) == true, "\(told)")
        #expect { try context.fetchCount(FetchDescriptor<Specimen>()) } throws: { "\($0)".contains(name) }
        // Another property is changed: the stored value stays as it is.
        model.name = "changed"
        try context.save()
        let kept = try sql(container) {
            try $0.scalar("SELECT count(*) FROM Specimen WHERE \(damage.column) IS \(damage.literal) AND name = 'changed'")
        }
        #expect(kept == .integer(1))
        // It is told to who saves, too.
        _ = damage.reads(model)
        #expect { try context.save() } throws: { "\($0)".contains(name) }
        model.name = "again"
        context.rollback()
        #expect(damage.reads(model) && told.count == 3)
    }

    /// What SQLite says of them names neither.
    @Test func aFetchThatFailsOverAStoredValueNamesModelPropertyAndRow() throws {
        let container = try Self.stored(Specimen.self)
        let context = ModelContext(container)
        for _ in 0..<3 { context.insert(Specimen()) }
        try context.save()
        func check(_ column: String, _ literal: String, _ predicate: Predicate<Specimen>) throws {
            try sql(container) { try $0.run("UPDATE Specimen SET \(column) = \(literal) WHERE storekeeper_id = 2") }
            defer {
                let whole = "UPDATE Specimen SET \(column) = (SELECT \(column) FROM Specimen WHERE storekeeper_id = 1)"
                try? sql(container) { try $0.run(whole) }
            }
            let context = ModelContext(container)
            for fetch in [{ _ = try context.fetch($0) }, { _ = try context.fetchCount($0) }] as [(FetchDescriptor<Specimen>) throws -> Void]
            {
                let error = #expect(throws: SwiftDataError.self) { try fetch(FetchDescriptor(predicate: predicate)) }
                #expect("\(error as Any)".contains("property Specimen.\(column) of row 2"), "\(error as Any)")
            }
            #expect(try context.fetchCount(FetchDescriptor<Specimen>()) == 3)
        }
        try check("grade", "'gamma'", #Predicate { $0.grade.rawValue == "alpha" })
        try check("nested", "'[{]'", #Predicate { $0.nested.contains { $0.name == "x" } })
        try check("nested", "'no list'", #Predicate { $0.nested.count > 0 })
    }

    @Test func aNewValueReplacesTheOneThatDoesNotDecode() throws {
        let container = try Self.stored(Specimen.self)
        let writing = ModelContext(container)
        writing.insert(Specimen())
        try writing.save()
        try sql(container) { try $0.run("UPDATE Specimen SET grade = 'gamma', identity = 'none'") }
        let context = ModelContext(container)
        let model = try #require(try context.fetch(FetchDescriptor<Specimen>()).first)
        let identity = UUID()
        (model.grade, model.identity) = (.beta, identity)
        #expect(model.grade == .beta && model.identity == identity)
        try context.save()
        let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Specimen>()).first)
        #expect(read.grade == .beta && read.identity == identity)
        #expect(try context.fetchCount(FetchDescriptor<Specimen>()) == 1)
    }

    @Test func aSaveThatWritesManyColumnsKeepsWhatDoesNotDecode() throws {
        let container = try Self.stored(Specimen.self)
        let writing = ModelContext(container)
        writing.insert(Specimen())
        try writing.save()
        try sql(container) { try $0.run("UPDATE Specimen SET identity = 'none', small = 300, level = 9") }
        let context = ModelContext(container)
        let model = try #require(try context.fetch(FetchDescriptor<Specimen>()).first)
        model.name = "changed"
        model._$modelRow?.dirty = .all(model._$modelRow?._count ?? 0)
        try context.save()
        let kept = try sql(container) {
            try $0.scalar("SELECT count(*) FROM Specimen WHERE identity = 'none' AND small = 300 AND level = 9 AND name = 'changed'")
        }
        #expect(kept == .integer(1))
    }

    @Test func aValueThatCannotBeStoredIsNamed() throws {
        let context = ModelContext(try Self.stored(Limits.self))
        let model = Limits()
        context.insert(model)
        model.ratio = .nan
        #expect { try context.save() } throws: { "\($0)".contains("Limits.ratio") && "\($0)".contains("NaN") }
        (model.ratio, model.most) = (1, .max)
        #expect { try context.save() } throws: { "\($0)".contains("Limits.most") }
        model.most = 2
        try context.save()
        model.ratio = .nan
        #expect { try context.save() } throws: { "\($0)".contains("Limits.ratio") }
    }

    @Test func aTypeThatRefusesWhatIsMadeUpIsPutTogether() throws {
        let container = try Self.stored(Guarded.self)
        let writing = ModelContext(container)
        writing.insert(Guarded())
        try writing.save()
        try sql(container) { try $0.run("UPDATE Guarded SET strict = '{\"number\":0}'") }
        let context = ModelContext(container)
        var told: [String] = []
        context.faultHandler = { told.append("\($0)") }
        let model = try #require(try context.fetch(FetchDescriptor<Guarded>()).first)
        let strict = model.strict
        #expect(strict.number == 0 && strict.names == [])
        #expect(told.count == 1 && told[0].contains("Guarded.strict"), "\(told)")
    }

    @Test(arguments: ["grade", "contact", "outline", "identity"])
    func aSetterThatIsTakenBackLeavesWhatIsStored(property: String) throws {
        let container = try Self.stored(Specimen.self)
        let writing = ModelContext(container)
        writing.insert(Specimen())
        try writing.save()
        try sql(container) { try $0.run("UPDATE Specimen SET \(property) = 'old'") }
        let context = ModelContext(container)
        let manager = UndoManager()
        context.undoManager = manager
        context.faultHandler = { _ in }
        let model = try #require(try context.fetch(FetchDescriptor<Specimen>()).first)
        switch property {
        case "grade": model.grade = .beta
        case "contact": model.contact = Contact(name: "new", mail: "", grade: .beta)
        case "outline": model.outline = .round(7)
        default: model.identity = UUID()
        }
        for save in [false, true] {
            if save { try context.save() }
            context.processPendingChanges()
            manager.undo()
            try? context.save()
            try context.save()
            let kept = try sql(container) { try $0.scalar("SELECT \(property) FROM Specimen") }
            #expect(kept == .text("old"), "\(save)")
            manager.redo()
            try context.save()
            let redone = try sql(container) { try $0.scalar("SELECT \(property) FROM Specimen") }
            #expect(redone != .text("old"), "\(save)")
        }
    }

    @Test func aValueThatIsAskedForByItsKeyPathIsToldToo() throws {
        let container = try Self.stored(Specimen.self)
        let writing = ModelContext(container)
        writing.insert(Specimen())
        try writing.save()
        try sql(container) { try $0.run("UPDATE Specimen SET contact = '{\"name\":\"kept\"}', grade = 'gamma'") }
        let context = ModelContext(container)
        var told: [String] = []
        context.faultHandler = { told.append("\($0)") }
        let model = try #require(try context.fetch(FetchDescriptor<Specimen>()).first)
        #expect(model.getValue(forKey: \.contact) == Contact(name: "kept", mail: "", grade: .alpha))
        #expect(told.count == 1 && told[0].contains("Specimen.contact"), "\(told)")
        #expect(model.getValue(forKey: \.grade) == .alpha && model.getValue(forKey: \.count) == 7)
        #expect(told.count == 2 && told[1].contains("Specimen.grade"), "\(told)")
    }

    @Test(arguments: ["contact", "grade"])
    func aSnapshotHasNoSubstitutes(property: String) throws {
        let store = try DefaultStore(ModelConfiguration("s", schema: Schema([Specimen.self]), isStoredInMemoryOnly: true))
        let writing = ModelContext(store.container)
        writing.insert(Specimen())
        try writing.save()
        let request = DataStoreFetchRequest(editingState: writing.editingState, descriptor: FetchDescriptor<Specimen>())
        let identifier = try #require(try store.fetch(request).fetchedSnapshots.first).persistentIdentifier
        try sql(store.container) { try $0.run("UPDATE Specimen SET \(property) = 'old'") }
        #expect { try store.fetch(request) } throws: { "\($0)".contains("Specimen.\(property)") }
        #expect { try store.cachedSnapshots(for: [identifier], editingState: writing.editingState) } throws: {
            "\($0)".contains("Specimen.\(property)")
        }
    }

    @Test func anInfiniteDefaultIsOneForRowsThatAreOlder() throws {
        let folder = try TestFolder()
        let first = try folder.owner(Bare.self)
        let writing = ModelContext(first)
        writing.insert(Bare.Gauge(name: "a"))
        try writing.save()
        first.close()
        let second = try folder.owner(Bounded.self)
        defer { second.close() }
        let gauge = try #require(try ModelContext(second).fetch(FetchDescriptor<Bounded.Gauge>()).first)
        #expect(gauge.name == "a" && gauge.most == .infinity && gauge.least == -.infinity)
    }
}
