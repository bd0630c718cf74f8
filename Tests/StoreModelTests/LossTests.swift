import Foundation
import StoreOwner
import StoreShared
import SwiftData
import Synchronization
import Testing

@testable import StoreModel

enum LossV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
        var number: Int
        init(number: Int) { self.number = number }
    }
}

enum LossV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
        var number: Int
        var doubled: Int = 0
        var words: [String] = []
        var counts: [String: Int] = [:]
        var maybe: [Int]? = []
        var odd: String = "a\0b"
        init(number: Int) { self.number = number }
    }
}

enum UnsavedCustomPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LossV1.self, LossV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: LossV1.self, toVersion: LossV2.self, willMigrate: nil,
                didMigrate: { context in
                    for item in try context.fetch(FetchDescriptor<LossV2.Item>()) { item.doubled = item.number * 2 }
                })
        ]
    }
}

enum UnsavedMappedPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LossV1.self, LossV2.self] }
    static var stages: [MigrationStage] {
        [
            .mapped(fromVersion: LossV1.self, toVersion: LossV2.self) { old, new in
                try old.enumerate(FetchDescriptor<LossV1.Item>()) { item in
                    guard let copy = new.model(for: item.persistentModelID) as? LossV2.Item else { return }
                    copy.doubled = item.number * 2
                }
            }
        ]
    }
}

@Model final class Extreme {
    var big: UInt64 = 0
    var price: Decimal = 0
    var ratio: Double = 0
    var maybe: Double?
    init() {}
}

@Suite("Nothing is lost or wrong in silence") struct LossTests {
    private func fill(_ folder: TestFolder, _ count: Int) throws {
        let container = try folder.owner(LossV1.self)
        defer { container.close() }
        let context = ModelContext(container)
        for number in 1...count { context.insert(LossV1.Item(number: number)) }
        try context.save()
    }

    @Test(arguments: [UnsavedCustomPlan.self as any SchemaMigrationPlan.Type, UnsavedMappedPlan.self], [3, 5_003])
    func whatAStageDidNotSaveIsSaved(plan: any SchemaMigrationPlan.Type, count: Int) throws {
        let folder = try TestFolder()
        try fill(folder, count)
        let container = try folder.owner(LossV2.self, plan)
        defer { container.close() }
        let context = ModelContext(container)
        #expect(try context.fetchCount(FetchDescriptor<LossV2.Item>(predicate: #Predicate { $0.doubled == $0.number * 2 })) == count)
    }

    @Test func listsAndTextsWithZeroBytesAreDefaultsForRowsThatExist() throws {
        let folder = try TestFolder()
        try fill(folder, 1)
        let container = try folder.owner(LossV2.self, UnsavedCustomPlan.self)
        defer { container.close() }
        let item = try #require(try ModelContext(container).fetch(FetchDescriptor<LossV2.Item>()).first)
        #expect(item.words == [] && item.counts == [:] && item.maybe == [] && item.odd == "a\0b")
    }

    @Test func whatHasNoPlaceInAColumnIsRefused() throws {
        let container = try ModelContainer(for: Extreme.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        for change in [{ $0.big = .max }, { $0.price = .nan }, { $0.ratio = .nan }, { $0.maybe = .nan }] as [(Extreme) -> Void] {
            let context = ModelContext(container)
            let model = Extreme()
            change(model)
            context.insert(model)
            #expect { try context.save() } throws: { "\($0)".contains("cannot be stored") && "\($0)".contains("Extreme") }
            #expect(try ModelContext(container).fetchCount(FetchDescriptor<Extreme>()) == 0)
        }
    }

    @Test func insertingAModelThatIsThereChangesNothing() throws {
        let container = try ModelContainer(for: Extreme.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let model = Extreme()
        context.insert(model)
        try context.save()
        model.ratio = 2
        context.insert(model)
        #expect(try context.fetch(FetchDescriptor<Extreme>()).count == 1)
        context.delete(model)
        context.insert(model)
        context.delete(model)
        #expect(context.deletedModelsArray.count == 1)
        context.insert(model)
        #expect(context.changedModelsArray.count == 1 && context.deletedModelsArray.isEmpty)
        try context.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Extreme>()).map(\.ratio) == [2])
    }

    @Test func aStoreIsNamedByTheURLOfAFile() throws {
        let url = try #require(URL(string: "https://example.org/c"))
        #expect {
            try ModelContainer(for: Extreme.self, configurations: ModelConfiguration(url: url))
        } throws: { "\($0)".contains("https://example.org/c") }
    }

    @Test func aStoreThatThisProcessIsClosingCanBeOpenedAgain() throws {
        let folder = try TestFolder()
        for _ in 0..<30 {
            let container = try folder.owner(LossV1.self)
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                container.close()
                done.signal()
            }
            let again = try folder.owner(LossV1.self)
            done.wait()
            again.close()
        }
    }
}
