import StoreSQLite

/// An empty database in memory that has the schema of a version, on which scripts are tried before anything runs.
struct PlanTrial {
    private let connection: Connection

    init(_ snapshot: SchemaSnapshot) throws {
        connection = try Connection.inMemory()
        for statement in snapshot.statements { try connection.run(statement) }
    }

    /// Tries a script; see `PlanScript.check`.
    @discardableResult
    func check(_ script: PlanScript, parameters: Set<String> = []) throws -> Set<String> {
        try script.check(on: connection, parameters: parameters)
    }

    /// Makes the tables here that the scripts have made there: will.sql may leave some for did.sql.
    ///
    /// - Parameter before: the schema that was there before the scripts.
    func takeOver(from other: PlanTrial, madeSince before: RelationalSchema) throws {
        for (schema, prefix) in [("temp.sqlite_schema", "CREATE TEMP "), ("main.sqlite_schema", "CREATE ")] {
            for row in try other.connection.rows("SELECT name, sql FROM \(schema) WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'") {
                guard let name = row[0].text, let sql = row[1].text, schema.hasPrefix("temp") || before.table(name) == nil,
                    !SQLName.isReserved(name)
                else { continue }
                // One that this schema has too is made by the engine.
                if try connection.scalar("SELECT 1 FROM sqlite_schema WHERE name = ?", .text(name)) != nil { continue }
                try connection.execute(prefix + sql.dropFirst("CREATE ".count))
            }
        }
    }
}
