import Foundation
import StoreSQLite
import StoreShared
import SwiftData
import Testing

@testable import StoreModel

/// A version that is edited after it shipped: no new version, no plan.
@Suite struct EditedInPlaceTests {
    let folder: TestFolder

    /// A store with one note, which has two tags.
    init() throws {
        folder = try TestFolder()
        let container = try folder.owner(Shipped.self)
        defer { container.close() }
        let context = ModelContext(container)
        let note = Shipped.Note(title: "first")
        context.insert(note)
        note.tags = [Shipped.Tag(name: "x"), Shipped.Tag(name: "y")]
        try context.save()
    }

    private func metadata() throws -> StoreMetadata {
        let connection = try Connection(path: folder.store.path, access: .readOnly)
        defer { connection.close() }
        return try #require(try connection.reading { try StoreMetadata.read(connection) })
    }

    private func record() throws -> PublishedRecord {
        try #require(PublishedRecord.read(from: StoreLocation(path: folder.store.path)).record)
    }

    private func identity(_ version: any VersionedSchema.Type) throws -> SchemaIdentity {
        try Schema(versionedSchema: version).mapping().snapshot().identity
    }

    private func checkGrown(_ container: ModelContainer) throws {
        let context = ModelContext(container)
        let note = try #require(try context.fetch(FetchDescriptor<Grown.Note>()).first)
        #expect(note.title == "first" && note.rating == 3 && note.words == ["none"] && note.due == nil && note.folder == nil)
        #expect(Set(note.tags.map(\.name)) == ["x", "y"])
        note.folder = Grown.Folder(name: "F")
        note.rating = 5
        try context.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Grown.Note>(predicate: #Predicate { $0.folder?.name == "F" })) == 1)
    }

    @Test func whatIsAddedNeedsNoVersionAndNoPlan() throws {
        let before = try metadata()
        let container = try folder.owner(Grown.self)
        defer { container.close() }
        try checkGrown(container)
        let after = try metadata()
        #expect(after.version == before.version)
        #expect(after.fingerprint == (try identity(Grown.self)).fingerprint)
        #expect(after.generation == before.generation + 1)
        let published = try record()
        #expect(published.fingerprint == after.fingerprint && published.generation == after.generation)
        #expect(published.version == SchemaVersion(2, 0, 0))
    }

    @Test func theNewestVersionOfAPlanMayBeEdited() throws {
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [Earlier.self, Grown.self] }
            static var stages: [MigrationStage] { [.lightweight(fromVersion: Earlier.self, toVersion: Grown.self)] }
        }
        let container = try folder.owner(Grown.self, Plan.self)
        defer { container.close() }
        try checkGrown(container)
        // Each store has its own way there.
        let other = try TestFolder()
        let earlier = try other.owner(Earlier.self)
        ModelContext(earlier).insert(Earlier.Note(title: "old"))
        earlier.close()
        try other.owner(Grown.self, Plan.self).close()
    }

    @Test func anEarlierVersionThatWasEditedGoesOnFromThere() throws {
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [Grown.self, Next.self] }
            static var stages: [MigrationStage] { [.lightweight(fromVersion: Grown.self, toVersion: Next.self)] }
        }
        let container = try folder.owner(Next.self, Plan.self)
        defer { container.close() }
        let note = try #require(try ModelContext(container).fetch(FetchDescriptor<Next.Note>()).first)
        #expect(note.name == "first" && note.rating == 3)
    }

    @Test func readersOfTheOlderFormReadOnAndThoseOfTheNewerOneWaitForIt() throws {
        let early = #expect(throws: StoreError.self) { try folder.reader(Grown.self) }
        #expect(early?.code == .outdated)
        let older = try folder.reader(Shipped.self)
        defer { older.close() }
        let context = ModelContext(older)
        #expect(try context.fetchCount(FetchDescriptor<Shipped.Note>()) == 1)
        let container = try folder.owner(Grown.self)
        defer { container.close() }
        #expect(try metadata().readableBy == [identity(Shipped.self), identity(Grown.self)])
        #expect(try record().readableBy == [identity(Shipped.self), identity(Grown.self)])
        #expect(try context.fetch(FetchDescriptor<Shipped.Note>()).map(\.title) == ["first"])
        let newer = try folder.reader(Grown.self)
        defer { newer.close() }
        #expect(try ModelContext(newer).fetch(FetchDescriptor<Grown.Note>()).map(\.rating) == [3])
        let late = try folder.reader(Shipped.self)
        late.close()
    }

    @Test func anOwnerOfTheOlderFormIsToldThatTheStoreIsNewerAndChangesNothing() throws {
        try folder.owner(Grown.self).close()
        let bytes = try Data(contentsOf: folder.store)
        let error = #expect(throws: StoreError.self) { try folder.owner(Shipped.self) }
        #expect(error?.code == .storeTooNew)
        #expect(try Data(contentsOf: folder.store) == bytes)
    }

    @Test func aRequiredValueWithoutDefaultIsRefusedByName() throws {
        let before = try metadata()
        let error = try #require(#expect(throws: StoreError.self) { try folder.owner(Demanding.self) })
        #expect(error.code == .planRefused && error.description.contains("Note") && error.description.contains("author"))
        let after = try metadata()
        #expect(after.fingerprint == before.fingerprint && after.shape == before.shape && after.generation == before.generation)
    }

    @Test func whatIsRemovedMustBeEmpty() throws {
        let error = try #require(#expect(throws: StoreError.self) { try folder.owner(Narrowed.self) })
        #expect(error.code == .planRefused && error.description.contains("table Tag"))
        let emptied = try folder.owner(Shipped.self)
        let context = ModelContext(emptied)
        for tag in try context.fetch(FetchDescriptor<Shipped.Tag>()) { context.delete(tag) }
        try context.save()
        emptied.close()
        let container = try folder.owner(Narrowed.self)
        defer { container.close() }
        #expect(try ModelContext(container).fetch(FetchDescriptor<Narrowed.Note>()).map(\.title) == ["first"])
    }

    // MARK: Another number

    @Test func withoutAPlanAnotherNumberIsReachedByInference() throws {
        let container = try folder.owner(Renumbered.self)
        defer { container.close() }
        try checkGrown(container)
        #expect(try metadata().version == SchemaVersion(3, 0, 0))
    }

    @Test func theSameModelsUnderAHigherNumberOnlyChangeTheirName() throws {
        try folder.owner(Grown.self).close()
        let container = try folder.owner(Renumbered.self)
        defer { container.close() }
        #expect(try metadata().version == SchemaVersion(3, 0, 0))
        #expect(try metadata().fingerprint == identity(Grown.self).fingerprint)
        // The fingerprint decides: a program of the lower number still may read and write.
        let older = try folder.owner(Grown.self)
        defer { older.close() }
        try checkGrown(older)
        #expect(try metadata().version == SchemaVersion(3, 0, 0))
    }

    @Test func nothingIsDowngradedByInference() throws {
        try folder.owner(Renumbered.self).close()
        let error = #expect(throws: StoreError.self) { try folder.owner(Shipped.self) }
        #expect(error?.code == .storeTooNew)
    }

    // MARK: Two containers of one process

    @Test func aNarrowerSchemaDropsNothingUnderAContainerThatLives() throws {
        let empty = try TestFolder()
        let first = try empty.owner(Shipped.self)
        defer { first.close() }
        let error = try #require(#expect(throws: StoreError.self) { try empty.owner(Narrowed.self) })
        #expect(error.code == .planRefused && error.description.contains("table Tag"))
        #expect(error.description.contains("this process has the store open"))
        let context = ModelContext(first)
        context.insert(Shipped.Tag(name: "x"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Shipped.Tag>()) == 1)
    }

    // MARK: Known from the plan

    /// Says so before the stage before it runs, and where there is no store yet.
    @Test(arguments: [true, false]) func aMappedStageThatCannotFillWhatItRequiresIsRefusedWithThePlan(rewriting: Bool) throws {
        enum Plan: SchemaMigrationPlan {
            @TaskLocal static var rewriting: [any PersistentModel.Type] = []
            static var schemas: [any VersionedSchema.Type] { [Earlier.self, UnfillableFirst.self, UnfillableSecond.self] }
            static var stages: [MigrationStage] {
                [
                    .lightweight(fromVersion: Earlier.self, toVersion: UnfillableFirst.self),
                    .mapped(fromVersion: UnfillableFirst.self, toVersion: UnfillableSecond.self, rewriting: rewriting) { old, new in
                        for note in try old.fetch(FetchDescriptor<UnfillableFirst.Note>()) {
                            new.insert(UnfillableSecond.Note(title: note.title))
                        }
                    },
                ]
            }
        }
        let store = try TestFolder()
        let container = try store.owner(Earlier.self)
        let context = ModelContext(container)
        context.insert(Earlier.Note(title: "first"))
        try context.save()
        container.close()
        guard rewriting else {
            for folder in [store, try TestFolder()] {
                let error = try #require(
                    #expect(throws: StoreError.self) { try folder.owner(UnfillableSecond.self, Plan.self) })
                #expect(error.code == .planRefused && error.description.contains("Note.length"))
                #expect(error.description.contains("rewriting"))
            }
            try store.owner(Earlier.self).close()
            return
        }
        try Plan.$rewriting.withValue([UnfillableSecond.Note.self]) {
            let migrated = try store.owner(UnfillableSecond.self, Plan.self)
            defer { migrated.close() }
            #expect(try ModelContext(migrated).fetch(FetchDescriptor<UnfillableSecond.Note>()).map(\.length) == [5])
        }
    }

    // MARK: What is said

    @Test func rowsAreNamedInTheOrderOfTheirNumbers() throws {
        let store = try TestFolder()
        let container = try store.owner(PlanV1.self)
        let context = ModelContext(container)
        for number in 0..<12 { context.insert(PlanV1.Note(key: number < 8 ? "\(number)" : "same", text: Data())) }
        try context.save()
        container.close()
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [PlanV1.self, UniqueKeys.self] }
            static var stages: [MigrationStage] { [] }
        }
        // Of 9, 10, 11 and 12 the text "10" comes first, and the number 9.
        let error = try #require(#expect(throws: StoreError.self) { try store.owner(UniqueKeys.self, Plan.self) })
        #expect(error.description.contains("in 4 rows, the first with storekeeper_id 9"), "\(error)")
    }

    @Test func aRefusalSaysEachThingOnce() throws {
        let text = try #require(#expect(throws: StoreError.self) { try folder.owner(Narrowed.self) }).description
        for part in ["table Tag:", "table Note_tags:", "Allow the loss in the plan"] {
            #expect(text.components(separatedBy: part).count == 2, "\(text)")
        }
    }
}
