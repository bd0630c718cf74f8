import StoreSQLite

/// One row of `sqlite_schema`.
struct SchemaObject: Sendable {
    let type: String
    let name: String
    let table: String
    /// Nil for an index that SQLite made for a constraint.
    let sql: String?

    /// Every object of the database in the order of its creation. One statement.
    static func all(in connection: Connection) throws -> [SchemaObject] {
        try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid").map { row in
            SchemaObject(type: row[0].text ?? "", name: row[1].text ?? "", table: row[2].text ?? "", sql: row[3].text)
        }
    }
}
