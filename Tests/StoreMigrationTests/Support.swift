import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

/// A database in memory that a test changes through the engine's planner and executor.
final class Bench {
    let connection: Connection

    init(_ sql: String) throws {
        connection = try Connection.inMemory()
        try connection.setForeignKeys(true)
        try connection.execute(sql)
    }

    deinit { connection.close() }

    /// The schema that the statements make.
    static func schema(_ sql: String) throws -> RelationalSchema {
        let connection = try Connection.inMemory()
        defer { connection.close() }
        try connection.execute(sql)
        return try RelationalSchema.read(connection)
    }

    func plan(
        to sql: String, frontEnd: FrontEnd = .sql, renames: [Rename] = [], losses: LossPolicy = .none,
        drops: ChangePlanner.Drops = .onlyNamed
    ) throws -> SchemaChange {
        try ChangePlanner.plan(
            from: RelationalSchema.read(connection), to: Self.schema(sql), frontEnd: frontEnd, renames: renames, losses: losses,
            drops: drops)
    }

    /// Plans, asks the rows, and changes, all in one transaction.
    @discardableResult
    func migrate(
        to sql: String, frontEnd: FrontEnd = .sql, renames: [Rename] = [], losses: LossPolicy = .none,
        drops: ChangePlanner.Drops = .onlyNamed
    ) throws -> SchemaChange {
        let change = try plan(to: sql, frontEnd: frontEnd, renames: renames, losses: losses, drops: drops)
        let refusals = try change.refusals + change.checks.compactMap { try $0.refusal(connection) }
        if !refusals.isEmpty { throw MigrationRefusal(refusals) }
        let old = try RelationalSchema.read(connection)
        try connection.writing {
            try ChangeExecutor(connection: connection, progress: .silent).run(change, from: old, to: Self.schema(sql), frontEnd: frontEnd)
        }
        return change
    }

    func rows(_ sql: String) throws -> [[Value]] { try connection.rows(sql) }
    func scalar(_ sql: String) throws -> Value? { try connection.scalar(sql) }
    func column(_ sql: String) throws -> [Value] { try connection.rows(sql).map { $0[0] } }

    /// What stands in the way before anything is changed.
    func foreseen(
        to sql: String, frontEnd: FrontEnd = .sql, renames: [Rename] = [], losses: LossPolicy = .none
    ) throws -> [Refusal] {
        let change = try plan(to: sql, frontEnd: frontEnd, renames: renames, losses: losses)
        return try change.refusals + change.checks.compactMap { try $0.refusal(connection) }
    }

    /// The refusals of a migration that must not happen, and that nothing was changed.
    func refusals(
        to sql: String, frontEnd: FrontEnd = .sql, renames: [Rename] = [], losses: LossPolicy = .none,
        drops: ChangePlanner.Drops = .onlyNamed
    ) throws -> [Refusal] {
        let before = try contents()
        do {
            try migrate(to: sql, frontEnd: frontEnd, renames: renames, losses: losses, drops: drops)
        } catch let refusal as MigrationRefusal {
            #expect(try contents() == before)
            return refusal.refusals
        }
        Issue.record("the migration was not refused")
        return []
    }

    private func contents() throws -> [[[Value]]] {
        let schema = try connection.rows("SELECT type, name, sql FROM sqlite_schema ORDER BY rowid")
        let tables = try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
        return try [schema] + tables.map { try connection.rows("SELECT * FROM \(SQLName.quoted($0[0].text ?? ""))") }
    }
}

extension SchemaChange {
    /// The kinds of the steps, for comparing.
    var kinds: [String] {
        steps.map { step in
            switch step {
            case .dropTrigger: "dropTrigger"
            case .dropView: "dropView"
            case .dropIndex: "dropIndex"
            case .renameTable: "renameTable"
            case .dropTable: "dropTable"
            case .renameColumn: "renameColumn"
            case .dropColumn: "dropColumn"
            case .addColumn: "addColumn"
            case .rebuild: "rebuild"
            case .createTable: "createTable"
            case .createIndex: "createIndex"
            case .createView: "createView"
            case .createTrigger: "createTrigger"
            case .rebuildSearch: "rebuildSearch"
            }
        }
    }
}
