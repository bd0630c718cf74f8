import Foundation
import StoreShared
import SwiftData
import Testing

@testable import StoreModel

/// Plans that lead to a lower version, because they say so.
@Suite struct DownwardTests {
    enum Custom: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [PlanV1.self, PlanV2.self] }
        static var stages: [MigrationStage] {
            [
                .lightweight(fromVersion: PlanV1.self, toVersion: PlanV2.self),
                .custom(
                    fromVersion: PlanV2.self, toVersion: PlanV1.self,
                    willMigrate: { context in
                        for note in try context.fetch(FetchDescriptor<PlanV2.Note>()) where note.count != 7 {
                            note.body += Data(" x\(note.count)".utf8)
                        }
                        try context.save()
                    },
                    didMigrate: { context in
                        context.insert(PlanV1.Note(key: "back", text: Data("from 2.0.0".utf8)))
                        try context.save()
                    }),
            ]
        }
    }

    enum Lightweight: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [PlanV1.self, PlanV2.self] }
        static var stages: [MigrationStage] {
            [
                .lightweight(fromVersion: PlanV1.self, toVersion: PlanV2.self),
                .lightweight(fromVersion: PlanV2.self, toVersion: PlanV1.self),
            ]
        }
    }

    enum OnlyUp: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [PlanV1.self, PlanV2.self] }
        static var stages: [MigrationStage] { [.lightweight(fromVersion: PlanV1.self, toVersion: PlanV2.self)] }
    }

    enum Inferred: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [PlanV1.self, PlanV2.self] }
        static var stages: [MigrationStage] { [] }
    }

    /// A store at 2.0.0 with the notes of `fill`, one of them with a count, and one more.
    private func secondVersion(_ folder: TestFolder) throws {
        try folder.fill()
        let container = try folder.owner(PlanV2.self, OnlyUp.self)
        defer { container.close() }
        let context = ModelContext(container)
        let notes = try context.fetch(FetchDescriptor<PlanV2.Note>(sortBy: [SortDescriptor(\.key)]))
        notes[0].count = 9
        context.insert(PlanV2.Note(key: "z", body: Data("new".utf8)))
        try context.save()
    }

    private func texts(_ context: ModelContext) throws -> [String] {
        try context.fetch(FetchDescriptor<PlanV1.Note>()).map { String(decoding: $0.text, as: UTF8.self) }.sorted()
    }

    @Test func aPlanLeadsDownwardsByTheCustomStageThatSaysSo() throws {
        let folder = try TestFolder()
        try secondVersion(folder)
        let container = try folder.owner(PlanV1.self, Custom.self)
        let context = ModelContext(container)
        let texts = try texts(context)
        #expect(texts.count == 5 && texts.contains("from 2.0.0") && texts.contains("new"))
        #expect(texts.filter { $0.hasSuffix(" x9") }.count == 1)
        // Renames are turned round: columns, to-ones and pairs keep what they hold.
        let old = try context.fetch(FetchDescriptor<PlanV1.Note>()).filter { $0.key != "back" && $0.key != "z" }
        #expect(old.count == 3 && old.allSatisfy { $0.folder?.name == "F" && $0.tags.count == 2 })
        container.close()

        // And up again, by the same plan.
        let again = try folder.owner(PlanV2.self, Custom.self)
        defer { again.close() }
        let notes = try ModelContext(again).fetch(FetchDescriptor<PlanV2.Note>())
        #expect(notes.count == 5 && notes.allSatisfy { $0.count == 7 })
        #expect(notes.filter { $0.place?.name == "F" && $0.labels.count == 2 }.count == 3)
    }

    @Test func anExplicitLightweightStageLeadsDownwardsToo() throws {
        let folder = try TestFolder()
        try secondVersion(folder)
        let container = try folder.owner(PlanV1.self, Lightweight.self)
        defer { container.close() }
        #expect(try texts(ModelContext(container)) == ["again", "first", "new", "second"])
    }

    @Test(arguments: [OnlyUp.self, Inferred.self, nil] as [(any SchemaMigrationPlan.Type)?])
    func nothingLeadsDownwardsThatDoesNotSaySo(_ plan: (any SchemaMigrationPlan.Type)?) throws {
        let folder = try TestFolder()
        try secondVersion(folder)
        let error = #expect(throws: StoreError.self) { try folder.owner(PlanV1.self, plan) }
        #expect(error?.code == .storeTooNew && error.map { SwiftDataError.backwardMigration ~= $0 } == true)
        let container = try folder.owner(PlanV2.self, OnlyUp.self)
        defer { container.close() }
        #expect(try ModelContext(container).fetch(FetchDescriptor<PlanV2.Note>()).map(\.count).sorted() == [7, 7, 7, 9])
    }

    @Test func aStageBackThatThrowsLeavesTheStoreAsItWas() throws {
        struct Refused: Error {}
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [PlanV1.self, PlanV2.self] }
            static var stages: [MigrationStage] {
                [.custom(fromVersion: PlanV2.self, toVersion: PlanV1.self, willMigrate: nil, didMigrate: { _ in throw Refused() })]
            }
        }
        let folder = try TestFolder()
        try secondVersion(folder)
        let error = #expect(throws: StoreError.self) { try folder.owner(PlanV1.self, Plan.self) }
        #expect(error?.code == .migrationFailed && error?.cause is Refused)
        let container = try folder.owner(PlanV2.self, OnlyUp.self)
        defer { container.close() }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<PlanV2.Note>()) == 4)
    }

    /// A lower version's required property that the higher one has not needs a value, as in every stage.
    @Test func aStageBackIsCheckedWhenThePlanIsBuilt() throws {
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [Old.self, New.self] }
            static var stages: [MigrationStage] { [.lightweight(fromVersion: New.self, toVersion: Old.self)] }
        }
        let error = #expect(throws: StoreError.self) { try TestFolder().owner(Old.self, Plan.self) }
        #expect(error?.code == .planRefused && error?.message.contains("Item.lost") == true, "\(String(describing: error))")
    }

    enum Old: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Item.self] }

        @Model final class Item {
            var lost: Int
            init(lost: Int) { self.lost = lost }
        }
    }

    enum New: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Item.self] }

        @Model final class Item {
            var name = ""
            init() {}
        }
    }
}
