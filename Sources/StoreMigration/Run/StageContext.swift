import StoreSQLite

/// What the code of a stage works on: the one writing connection, inside the stage's transaction.
///
/// Not `Sendable`: it is valid only while the closure that got it runs, on its thread. No statement may be left unfinished.
package final class StageContext {
    package let connection: Connection
    /// The version whose schema the code sees.
    package let snapshot: SchemaSnapshot
    /// Where a declared table is really found, by its declared name; a table that is not in it is found under its own name.
    package let tableNames: [String: String]
    /// Whether the code may only read: the old side of a mapped stage.
    package let isReadOnly: Bool
    private let progress: MigrationProgress

    init(
        connection: Connection, snapshot: SchemaSnapshot, tableNames: [String: String] = [:], isReadOnly: Bool = false,
        progress: MigrationProgress
    ) {
        self.connection = connection
        self.snapshot = snapshot
        self.tableNames = tableNames
        self.isReadOnly = isReadOnly
        self.progress = progress
    }

    /// The name under which a declared table is found now.
    package func physicalName(of table: String) -> String {
        tableNames[table] ?? table
    }

    /// Adds rows that the stage's code is going to handle to the estimate of all rows.
    package func expect(rows: Int) {
        progress.expect(rows: Int64(rows))
    }

    /// Counts rows that the stage's code has handled.
    ///
    /// - Throws: `StoreError.cancelled` when the migration is to stop.
    package func advance(rows: Int) throws {
        try progress.advance(rows: rows)
    }
}
