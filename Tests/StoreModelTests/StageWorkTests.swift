import Foundation
import StoreSQLite
import Synchronization
import Testing

@testable import StoreModel

/// How much SQLite does for each row in typed code of a stage, in counts.
@Suite struct StageWorkTests {
    private static let rows = 1000
    private static let work = Mutex<[StatementWork]>([])

    private enum Plan: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [WorkV1.self, WorkV2.self] }
        static var stages: [MigrationStage] {
            [
                .custom(
                    fromVersion: WorkV1.self, toVersion: WorkV2.self, willMigrate: nil,
                    didMigrate: { context in
                        let connection = try context.core.openStorage().read { $0 }
                        connection.onWork { work in StageWorkTests.work.withLock { $0.append(work) } }
                        defer { connection.onWork(nil) }
                        try context.enumerate(FetchDescriptor<WorkV2.Item>(), allowEscapingMutations: true) { $0.length = $0.text.count }
                        try context.save()
                    })
            ]
        }
    }

    @Test func aTypedStageReadsEveryRowOnceAndWritesItOnce() throws {
        let folder = try TestFolder()
        let first = try folder.owner(WorkV1.self)
        let context = ModelContext(first)
        for number in 0..<Self.rows { context.insert(WorkV1.Item(text: "\(number)")) }
        try context.save()
        first.close()
        try folder.owner(WorkV2.self, Plan.self).close()

        let work = Self.work.withLock { $0 }
        let counts = work.filter { $0.sql.contains("count(*)") }
        let reads = work.filter { $0.sql.hasPrefix("SELECT") && !$0.sql.contains("count(*)") }
        let updates = work.filter { $0.sql.hasPrefix("UPDATE") }
        // One in this store, and one in each of the two without rows in which every plan of the tests is tried first.
        #expect(counts.count == 3)
        // One for each 200 rows.
        #expect(reads.count == 5, "\(reads)")
        #expect(updates.count == Self.rows)
        #expect(work.reduce(0) { $0 + $1.scanned } == 0)
        // A savepoint begins and ends for each 200 rows, and there is nothing else.
        #expect(work.count == counts.count + reads.count + updates.count + 10, "\(Set(work.map(\.sql)))")
        let operations = work.reduce(0) { $0 + $1.operations } / Self.rows
        #expect(operations < 40, "\(operations) operations a row")
    }
}

private enum WorkV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
        var text: String
        init(text: String) { self.text = text }
    }
}

private enum WorkV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
        var text: String
        var length: Int = 0
        init(text: String) { self.text = text }
    }
}
