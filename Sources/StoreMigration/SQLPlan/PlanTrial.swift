import StoreSQLite
import StoreShared

/// An empty database in memory that has the schema of a version, on which scripts are tried before anything runs.
struct PlanTrial {
    private let connection: Connection
    private let snapshot: SchemaSnapshot
    private let storeNames: Set<String>

    /// - Parameter other: the version on the other side of the stage.
    init(_ snapshot: SchemaSnapshot, and other: SchemaSnapshot? = nil) throws {
        self.snapshot = snapshot
        storeNames = snapshot.schema.takenNames.union(other?.schema.takenNames ?? [])
        connection = try Connection.inMemory()
        // As in the store, so that what a key does with its children is compiled too.
        try connection.setForeignKeys(true)
        // Our own tables too: what a script may not do with them is to be refused as that.
        for statement in StoreMetadata.createStatements + snapshot.statements { try connection.run(statement) }
    }

    /// Tries a script; see `PlanScript.check`.
    ///
    /// - Throws: `StoreError.planRefused`, also for a script that leaves another schema than the version declares.
    @discardableResult
    func check(_ script: PlanScript, batches: StageBatches? = nil) throws -> PlanScript.Use {
        let use = try script.check(on: connection, storeNames: storeNames, batches: batches)
        if try RelationalSchema.shape(of: connection, snapshot.frontEnd) != snapshot.shape {
            let difference = try SchemaDifference(
                actual: RelationalSchema.read(connection), expected: snapshot.schema, frontEnd: snapshot.frontEnd)
            throw script.file.refusal(
                "it leaves another schema than that of \(snapshot.version): \(difference.lines.joined(separator: "; "))",
                remedy: "declare the schema in schema.sql; for rows between will.sql and did.sql use a TEMP table")
        }
        return use
    }

    /// Makes the temporary tables here that the scripts have made there: will.sql may leave some for did.sql.
    func takeOver(from other: PlanTrial) throws {
        for row in try other.connection.rows(
            "SELECT sql FROM temp.sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' " + PlanScript.isNotInternal)
        {
            guard let sql = row[0].text else { continue }
            try connection.execute("CREATE TEMP " + sql.dropFirst("CREATE ".count))
        }
    }
}
