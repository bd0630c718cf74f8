import Foundation
import PlanHarness
import StoreSQLite
import StoreShared
import SwiftData
import Testing

@testable import StoreModel

/// A folder for one test, removed with it.
final class TestFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("storekeeper-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var store: URL { url.appendingPathComponent("notes.store") }

    func configuration(allowsSave: Bool = true) -> ModelConfiguration { ModelConfiguration(url: store, allowsSave: allowsSave) }

    /// Opens the store as its owner; a plan that can do that leads to one schema on every way.
    func owner(_ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil) throws -> ModelContainer {
        let schema = Schema(versionedSchema: version)
        let container = try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration()])
        try ThreeWays(TypedPlan(schema.mapping(), plan).plan).check()
        return container
    }

    func reader(_ version: any VersionedSchema.Type) throws -> ModelContainer {
        try ModelContainer(for: Schema(versionedSchema: version), configurations: [configuration(allowsSave: false)])
    }

    /// A store of version 1 with three notes, of which two have the same key.
    func fill() throws {
        let container = try owner(PlanV1.self)
        defer { container.close() }
        let context = ModelContext(container)
        let folder = PlanV1.Folder(name: "F")
        let tags = ["x", "y"].map { PlanV1.Tag(name: $0) }
        for (key, text) in [("a", "first"), ("b", "second"), ("b", "again")] {
            let note = PlanV1.Note(key: key, text: Data(text.utf8))
            context.insert(note)
            note.folder = folder
            note.tags = tags
        }
        try context.save()
    }
}

@Suite struct PlanTests {
    @Test func aStoreGoesThroughEveryKindOfStage() throws {
        let folder = try TestFolder()
        try folder.fill()
        let container = try folder.owner(PlanV4.self, NotePlan.self)
        defer { container.close() }
        let context = ModelContext(container)
        let notes = try context.fetch(FetchDescriptor<PlanV4.Note>(sortBy: [SortDescriptor(\.key)]))
        #expect(notes.map(\.key) == ["a", "b"])
        #expect(notes.map(\.body) == ["first", "second"])
        #expect(notes.map(\.count) == [7, 7])
        #expect(notes.map(\.length) == [5, 6])
        #expect(notes.allSatisfy { $0.place?.name == "F" })
        #expect(notes.allSatisfy { Set($0.labels.map(\.name)) == ["x", "y"] })
        #expect(try context.fetch(FetchDescriptor<PlanV4.Tag>()).allSatisfy { $0.notes.count == 2 })
        context.insert(PlanV4.Note(key: "c", body: "new"))
        try context.save()
    }

    @Test func aLightweightStageRenamesAndGivesDefaults() throws {
        let folder = try TestFolder()
        try folder.fill()
        let container = try folder.owner(PlanV2.self, NotePlan.self)
        defer { container.close() }
        let context = ModelContext(container)
        let notes = try context.fetch(FetchDescriptor<PlanV2.Note>())
        #expect(notes.map { String(decoding: $0.body, as: UTF8.self) } == ["first", "second", "again"])
        #expect(notes.allSatisfy { $0.count == 7 && $0.place?.name == "F" && $0.labels.count == 2 })
    }

    @Test func aNewUniquenessOverDuplicatesIsRefusedAndChangesNothing() throws {
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [PlanV1.self, UniqueKeys.self] }
            static var stages: [MigrationStage] { [] }
        }
        let folder = try TestFolder()
        try folder.fill()
        let error = #expect(throws: StoreError.self) { try folder.owner(UniqueKeys.self, Plan.self) }
        #expect(error.map { "\($0)".contains("key") } == true)
        let container = try folder.owner(PlanV1.self)
        defer { container.close() }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<PlanV1.Note>()) == 3)
    }

    @Test func aStageThatThrowsLeavesTheStoreAsItWas() throws {
        struct Refused: Error {}
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [PlanV1.self, PlanV2.self] }
            static var stages: [MigrationStage] {
                [
                    .custom(
                        fromVersion: PlanV1.self, toVersion: PlanV2.self,
                        willMigrate: { context in
                            context.insert(PlanV1.Note(key: "saved by the stage", text: Data()))
                            try context.save()
                        },
                        didMigrate: { _ in throw Refused() })
                ]
            }
        }
        let folder = try TestFolder()
        try folder.fill()
        do {
            _ = try folder.owner(PlanV2.self, Plan.self)
            Issue.record("the stage's error was lost")
        } catch SwiftDataError.loadIssueModelContainer {
            // As SwiftData calls it; the error itself says more.
        }
        let container = try folder.owner(PlanV1.self)
        defer { container.close() }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<PlanV1.Note>()) == 3)
    }

    @Test func twoVersionsThatDescribeTheSameModelsAreRefusedWithoutAStore() throws {
        enum Twin: VersionedSchema {
            static let versionIdentifier = Schema.Version(9, 0, 0)
            static var models: [any PersistentModel.Type] { PlanV1.models }
        }
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [PlanV1.self, Twin.self] }
            static var stages: [MigrationStage] { [] }
        }
        let folder = try TestFolder()
        let error = #expect(throws: StoreError.self) { try folder.owner(PlanV1.self, Plan.self) }
        #expect(error?.message.contains("1.0.0") == true && error?.message.contains("9.0.0") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.store.path))
    }

    @Test func aStageFromAVersionToItselfIsRefusedByName() throws {
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [PlanV1.self, PlanV2.self] }
            static var stages: [MigrationStage] {
                [
                    .lightweight(fromVersion: PlanV1.self, toVersion: PlanV1.self),
                    .lightweight(fromVersion: PlanV1.self, toVersion: PlanV2.self),
                ]
            }
        }
        let error = #expect(throws: StoreError.self) { try TestFolder().owner(PlanV2.self, Plan.self) }
        #expect(error?.code == .planRefused && error?.message.contains("1.0.0") == true, "\(String(describing: error))")
    }

    /// Neither a copy of a model that did not change nor a stage is needed.
    @Test func oneTypeMayStandInSeveralVersions() throws {
        enum First: VersionedSchema {
            static let versionIdentifier = Schema.Version(1, 0, 0)
            static var models: [any PersistentModel.Type] { [Booking.self] }
        }
        enum Second: VersionedSchema {
            static let versionIdentifier = Schema.Version(2, 0, 0)
            static var models: [any PersistentModel.Type] { [Booking.self, Marker.self] }
        }
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
            static var stages: [MigrationStage] { [] }
        }
        let folder = try TestFolder()
        let first = try folder.owner(First.self)
        let context = ModelContext(first)
        context.insert(Booking(room: "A", day: 1, guest: "g"))
        try context.save()
        first.close()
        let second = try folder.owner(Second.self, Plan.self)
        defer { second.close() }
        #expect(try ModelContext(second).fetch(FetchDescriptor<Booking>()).map(\.guest) == ["g"])
        #expect(try ModelContext(second).fetchCount(FetchDescriptor<Marker>()) == 0)
    }

    @Test func aNewRequiredPropertyWithoutDefaultIsRefusedWhenThePlanIsBuilt() throws {
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [PlanV2.self, PlanV3.self] }
            static var stages: [MigrationStage] { [] }
        }
        let folder = try TestFolder()
        let error = #expect(throws: StoreError.self) { try folder.owner(PlanV3.self, Plan.self) }
        #expect(error?.code == .planRefused && error?.message.contains("Note.length") == true)
    }

    @Test func aHashModifierMakesAnotherVersionAndADefaultDoesNot() throws {
        let plain = try Schema([PlainItems.Item.self]).mapping().snapshot().fingerprint
        #expect(try Schema([ModifiedItems.Item.self]).mapping().snapshot().fingerprint != plain)
        #expect(try Schema([RedefaultedItems.Item.self]).mapping().snapshot().fingerprint == plain)
    }
}

@Suite struct StageTests {
    @Test func theContextsOfAStageLetGoOfTheirModels() throws {
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [PlanV3.self, PlanV4.self] }
            static var stages: [MigrationStage] {
                [
                    .mapped(fromVersion: PlanV3.self, toVersion: PlanV4.self) { old, new in
                        try old.enumerate(FetchDescriptor<PlanV3.Note>(), batchSize: 1000) { note in
                            guard let copy = new.model(for: note.persistentModelID) as? PlanV4.Note else { return }
                            copy.body = String(decoding: note.body, as: UTF8.self)
                            #expect(new.changedModelsArray.count <= 5000 || note.length == 0)
                        }
                        #expect(new.changedModelsArray.count < 5000)
                        try new.save()
                    }
                ]
            }
        }
        let folder = try TestFolder()
        let first = try folder.owner(PlanV3.self)
        let context = ModelContext(first)
        for number in 0..<6001 { context.insert(PlanV3.Note(key: "\(number)", body: Data("\(number)".utf8))) }
        try context.save()
        first.close()
        let container = try folder.owner(PlanV4.self, Plan.self)
        defer { container.close() }
        var wrong = 0
        try ModelContext(container).enumerate(FetchDescriptor<PlanV4.Note>()) { if $0.body != $0.key { wrong += 1 } }
        #expect(wrong == 0)
    }

    @Test func theOldSideOfAMappedStageCannotBeSaved() throws {
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [PlanV3.self, PlanV4.self] }
            static var stages: [MigrationStage] {
                [
                    .mapped(fromVersion: PlanV3.self, toVersion: PlanV4.self) { old, _ in
                        old.insert(PlanV3.Note(key: "x", body: Data()))
                        try old.save()
                    }
                ]
            }
        }
        let folder = try TestFolder()
        try folder.owner(PlanV3.self).close()
        #expect(throws: StoreError.self) { try folder.owner(PlanV4.self, Plan.self) }
    }

    @Test func rewrittenModelsAreThoseThatTheStageInserts() throws {
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [PlanV3.self, PlanV4.self] }
            static var stages: [MigrationStage] {
                [
                    .mapped(fromVersion: PlanV3.self, toVersion: PlanV4.self, rewriting: [PlanV4.Note.self]) { old, new in
                        for note in try old.fetch(FetchDescriptor<PlanV3.Note>()) {
                            let made = PlanV4.Note(key: note.key + "!", body: String(decoding: note.body, as: UTF8.self))
                            new.insert(made)
                            if let place = note.place { made.place = new.model(for: place.persistentModelID) as? PlanV4.Folder }
                        }
                        try new.save()
                    }
                ]
            }
        }
        let folder = try TestFolder()
        let first = try folder.owner(PlanV3.self)
        let context = ModelContext(first)
        let note = PlanV3.Note(key: "a", body: Data("text".utf8))
        context.insert(note)
        note.place = PlanV3.Folder(name: "F")
        try context.save()
        first.close()
        let container = try folder.owner(PlanV4.self, Plan.self)
        defer { container.close() }
        let found = try ModelContext(container).fetch(FetchDescriptor<PlanV4.Note>())
        #expect(found.map(\.key) == ["a!"] && found.first?.body == "text" && found.first?.place?.name == "F")
    }
}

@Suite struct RoleTests {
    @Test func anOwnerWritesAndAReaderReads() throws {
        let folder = try TestFolder()
        try folder.fill()
        let owner = try folder.owner(PlanV1.self)
        defer { owner.close() }
        let reader = try folder.reader(PlanV1.self)
        defer { reader.close() }
        let reading = ModelContext(reader)
        let note = try #require(
            try reading.fetch(FetchDescriptor<PlanV1.Note>(predicate: #Predicate { $0.key == "a" })).first)
        #expect(note.folder?.notes.count == 3)
        let writing = ModelContext(owner)
        writing.insert(PlanV1.Note(key: "c", text: Data()))
        #expect(try reading.fetchCount(FetchDescriptor<PlanV1.Note>()) == 3)
        try writing.save()
        #expect(try reading.fetchCount(FetchDescriptor<PlanV1.Note>()) == 4)
        note.key = "z"
        #expect(throws: SwiftDataError.modelValidationFailure) { try reading.save() }
    }

    @Test func twoContainersOfOneProcessShareTheOwner() throws {
        let folder = try TestFolder()
        let (one, two) = (try folder.owner(PlanV1.self), try folder.owner(PlanV1.self))
        defer { two.close() }
        let (first, second) = (ModelContext(one), ModelContext(two))
        first.insert(PlanV1.Folder(name: "one"))
        second.insert(PlanV1.Folder(name: "two"))
        #expect(try second.fetch(FetchDescriptor<PlanV1.Folder>()).map(\.name) == ["two"])
        try first.save()
        try second.save()
        #expect(try first.fetchCount(FetchDescriptor<PlanV1.Folder>()) == 2)
        one.close()
        second.insert(PlanV1.Folder(name: "three"))
        try second.save()
        #expect(throws: StoreError.self) { try first.fetchCount(FetchDescriptor<PlanV1.Folder>()) }
    }

    @Test func aSecondContainerOfANewerVersionMigratesAndTheFirstIsTold() throws {
        let folder = try TestFolder()
        try folder.fill()
        let old = try folder.owner(PlanV1.self)
        defer { old.close() }
        let context = ModelContext(old)
        #expect(try context.fetchCount(FetchDescriptor<PlanV1.Note>()) == 3)
        let new = try folder.owner(PlanV4.self, NotePlan.self)
        defer { new.close() }
        let error = #expect(throws: StoreError.self) { try context.fetch(FetchDescriptor<PlanV1.Note>()) }
        #expect(error?.code == .storeTooNew)
        context.insert(PlanV1.Note(key: "late", text: Data()))
        #expect(throws: StoreError.self) { try context.save() }
        #expect(try ModelContext(new).fetchCount(FetchDescriptor<PlanV4.Note>()) == 2)
    }

    @Test func aStoreNewerThanThePlanIsRefused() throws {
        let folder = try TestFolder()
        try folder.fill()
        try folder.owner(PlanV4.self, NotePlan.self).close()
        let error = #expect(throws: StoreError.self) { try folder.owner(PlanV1.self) }
        #expect(error?.code == .storeTooNew)
        #expect(error.map { SwiftDataError.backwardMigration ~= $0 } == true)
        let reader = #expect(throws: StoreError.self) { try folder.reader(PlanV1.self) }
        #expect(reader?.code == .storeTooNew)
    }

    @Test func aReaderOfAnOlderStoreIsToldThatItIsOutdated() throws {
        let folder = try TestFolder()
        try folder.fill()
        let error = #expect(throws: StoreError.self) { try folder.reader(PlanV4.self) }
        #expect(error?.code == .outdated)
    }

    @Test func anIdentifierOutlivesTheContainer() throws {
        let folder = try TestFolder()
        try folder.fill()
        let first = try folder.owner(PlanV1.self)
        let id = try #require(try ModelContext(first).fetch(FetchDescriptor<PlanV1.Note>()).first?.persistentModelID)
        first.close()
        let second = try folder.owner(PlanV1.self)
        defer { second.close() }
        #expect((ModelContext(second).model(for: id) as? PlanV1.Note)?.key == "a")
    }

    @Test func numbersOfDeletedRowsAreNotUsedAgain() throws {
        let folder = try TestFolder()
        let container = try folder.owner(PlanV1.self)
        defer { container.close() }
        let context = ModelContext(container)
        let first = PlanV1.Folder(name: "a")
        context.insert(first)
        try context.save()
        let id = first.persistentModelID
        context.delete(first)
        try context.save()
        let second = PlanV1.Folder(name: "b")
        context.insert(second)
        try context.save()
        #expect(second.persistentModelID != id)
    }
}
