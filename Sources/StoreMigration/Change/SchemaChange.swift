/// The steps that turn one schema into another, in their order, with what they ask of the rows and what they lose.
package struct SchemaChange: Sendable {
    /// One step. Views and triggers go first and come back last, so that no other step meets them.
    package enum Step: Sendable {
        case dropTrigger(String)
        case dropView(String)
        case dropIndex(String)
        case renameTable(from: String, to: String)
        case dropTable(String)
        case renameColumn(table: String, from: String, to: String)
        case dropColumn(table: String, column: String)
        case addColumn(table: String, definition: String)
        case rebuild(TableRebuild)
        case createTable(sql: String)
        case createIndex(sql: String)
        case createView(sql: String)
        case createTrigger(sql: String)
        /// Fills an FTS table with external content, where its own text went with the old one or the content has other row ids now.
        case rebuildSearch(String)
    }

    /// Data that the change throws away.
    package struct Loss: Sendable, Hashable {
        /// The table, as the old version calls it.
        package let table: String
        /// The column, as the old version calls it; nil for the whole table.
        package let column: String?
    }

    package internal(set) var steps: [Step] = []
    package internal(set) var losses: [Loss] = []
    var checks: [DataCheck] = []
    /// Whether rows of rebuilt tables break what these have declared all along.
    var deepChecks: [DataCheck] = []
    /// Structural reasons why the change cannot be made, whatever the rows.
    var refusals: [Refusal] = []
    /// Only tables, views, indexes and columns that may be empty or have a default are added: a reader of the old version reads on.
    package internal(set) var isAdditive = false
    /// The names of the tables that both versions have.
    var tableNames: [(old: String, new: String)] = []
    /// The tables that are dropped, as the old version calls them.
    var droppedTables: [String] = []

    package var isEmpty: Bool { steps.isEmpty }

    /// What the old version calls a table of the new one.
    func oldName(of table: String) -> String {
        tableNames.first { SQLName.same($0.new, table) }?.old ?? table
    }

    /// The tables that are rebuilt.
    package var rebuilds: [TableRebuild] {
        steps.compactMap { if case .rebuild(let rebuild) = $0 { rebuild } else { nil } }
    }
}

/// The complete rebuild of one table.
package struct TableRebuild: Sendable {
    /// The name of the table, before and after.
    package var table: String { mapping.target.name }
    /// Why nothing less will do, for people.
    package let reason: String
    let mapping: TableMapping
    /// A name that nothing in the store has.
    let workName: String
    /// The statements of its indexes, byte for byte as stored where they do not change.
    let indexes: [String]
}

extension SchemaChange.Step: CustomStringConvertible {
    /// The step in SQL or, for a rebuild, in words.
    package var description: String {
        switch self {
        case .dropTrigger(let name): "DROP TRIGGER \(SQLName.quoted(name))"
        case .dropView(let name): "DROP VIEW \(SQLName.quoted(name))"
        case .dropIndex(let name): "DROP INDEX \(SQLName.quoted(name))"
        case .renameTable(let from, let to): "ALTER TABLE \(SQLName.quoted(from)) RENAME TO \(SQLName.quoted(to))"
        case .dropTable(let name): "DROP TABLE \(SQLName.quoted(name))"
        case .renameColumn(let table, let from, let to):
            "ALTER TABLE \(SQLName.quoted(table)) RENAME COLUMN \(SQLName.quoted(from)) TO \(SQLName.quoted(to))"
        case .dropColumn(let table, let column): "ALTER TABLE \(SQLName.quoted(table)) DROP COLUMN \(SQLName.quoted(column))"
        case .addColumn(let table, let definition): "ALTER TABLE \(SQLName.quoted(table)) ADD COLUMN \(definition)"
        case .rebuild(let rebuild): "rebuild of table \(rebuild.table), since \(rebuild.reason)"
        case .createTable(let sql), .createIndex(let sql), .createView(let sql), .createTrigger(let sql): sql
        case .rebuildSearch(let name): "INSERT INTO \(SQLName.quoted(name)) (\(SQLName.quoted(name))) VALUES ('rebuild')"
        }
    }
}
