import StoreSQLite

/// An empty copy of a schema in memory, on which a change is tried.
enum Trial {
    /// - Parameter views: whether views and triggers are made too.
    static func make(_ schema: RelationalSchema, views: Bool) throws -> Connection {
        let connection = try Connection.inMemory()
        do {
            for table in schema.tables { try connection.run(table.sql) }
            for table in schema.virtualTables { try connection.run(table.sql) }
            for index in schema.indexes { try connection.run(index.sql) }
            if views {
                for view in schema.views { try connection.run(view.sql) }
                for trigger in schema.triggers { try connection.run(trigger.sql) }
                for trigger in schema.ownTriggers { try connection.run(trigger.sql) }
            }
        } catch let error as SQLiteError {
            connection.close()
            throw MigrationRefusal(
                Refusal(
                    object: error.statement ?? "the schema", reason: "it cannot be made in this process: \(error.message)",
                    remedy: "Register the collation, function or module that it needs, or drop it."))
        }
        return connection
    }
}
