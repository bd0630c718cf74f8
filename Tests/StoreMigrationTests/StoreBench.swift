import Foundation
import PlanHarness
import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

/// A store in a temporary folder, made and migrated by the runner as an owner would.
final class StoreBench {
    let folder: String
    let location: StoreLocation
    let connection: Connection

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("storekeeper-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        location = try StoreLocation(path: folder + "/notes.store")
        connection = try Connection(path: location.store, access: .create)
        try connection.keepWriteAheadLog()
        _ = try connection.scalar("PRAGMA journal_mode = WAL")
        try connection.setForeignKeys(true)
    }

    deinit {
        connection.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    static func snapshot(
        _ version: SchemaVersion, _ statements: String..., frontEnd: FrontEnd = .sql, annotations: [String: String] = [:]
    ) throws -> SchemaSnapshot {
        try SchemaSnapshot(version: version, frontEnd: frontEnd, statements: statements, annotations: annotations)
    }

    func runner(
        _ plan: MigrationPlan, _ options: MigrationOptions = MigrationOptions(),
        cancellation: Cancellation = Cancellation(),
        observer: @escaping (MigrationEvent) -> Void = { _ in }
    ) -> MigrationRunner {
        MigrationRunner(
            connection: connection, location: location, plan: plan, options: options, cancellation: cancellation, observer: observer)
    }

    @discardableResult
    func create(_ snapshot: SchemaSnapshot, rows: String = "") throws -> StoreMetadata {
        let metadata = try runner(MigrationPlan(versions: [snapshot])).create(epoch: 1, owner: "test")
        try connection.execute(rows)
        return metadata
    }

    /// Migrates, which must succeed, with a plan that leads to one schema on every way.
    @discardableResult
    func migrate(_ plan: MigrationPlan, _ options: MigrationOptions = MigrationOptions()) throws -> StoreMetadata {
        let metadata = try runner(plan, options).run(epoch: 1, owner: "test")
        try ThreeWays(plan).check()
        return metadata
    }

    /// The error of a migration that must fail.
    func failure(_ plan: MigrationPlan, _ options: MigrationOptions = MigrationOptions()) throws -> StoreError {
        do {
            _ = try runner(plan, options).run(epoch: 1, owner: "test")
        } catch let error as StoreError {
            return error
        }
        Issue.record("the migration did not fail")
        return StoreError(.misuse, "the migration did not fail")
    }

    var metadata: StoreMetadata? { get throws { try StoreMetadata.read(connection) } }
    var history: [HistoryEntry] { get throws { try HistoryEntry.all(connection) } }
    var backups: [String] { (try? FileManager.default.contentsOfDirectory(atPath: location.backups).sorted()) ?? [] }

    /// Everything that a failed migration must leave as it was.
    var contents: [[[Value]]] {
        get throws {
            let schema = try connection.rows("SELECT type, name, sql FROM sqlite_schema ORDER BY rowid")
            let tables = try RelationalSchema.read(connection).tables.map(\.name)
            return try [schema, connection.rows("PRAGMA user_version"), connection.rows("SELECT * FROM storekeeper_metadata")]
                + tables.map { try connection.rows("SELECT * FROM \(SQLName.quoted($0))") }
        }
    }
}

extension SchemaVersion {
    static let one = SchemaVersion(1, 0, 0)
    static let two = SchemaVersion(2, 0, 0)
    static let three = SchemaVersion(3, 0, 0)
}
