import StoreSQLite

/// The integrity checks of FTS tables, which `PRAGMA integrity_check` does not make: whether a search finds what the rows say.
///
/// They are written as an INSERT, so they run on a copy in a private temporary file.
enum SearchExamination {
    static func findings(_ connection: Connection, _ schema: RelationalSchema) throws -> [Finding] {
        let tables = schema.virtualTables.filter { SearchIntegrity.modules.contains($0.module) }
        guard !tables.isEmpty else { return [] }
        let copy = try Connection.temporaryFile()
        defer { copy.close() }
        do {
            let backup = try Backup(from: connection, to: copy)
            while try backup.step(pages: 2000) {}
        } catch let error as SQLiteError where error.code.primary == .full {
            return tables.map { table in
                Finding(
                    object: "virtual table \(table.name)", problem: "its index was not checked: there is no room for a copy",
                    remedy: "make room for temporary files, or name a folder in SQLITE_TMPDIR")
            }
        }
        return tables.compactMap { finding($0, copy) }
    }

    private static func finding(_ table: VirtualTableDefinition, _ copy: Connection) -> Finding? {
        do {
            return try SearchIntegrity.damage(of: table, copy).map { damage in
                let name = SQLName.quoted(table.name)
                let remedy =
                    damage == .differs
                    ? "run INSERT INTO \(name)(\(name)) VALUES ('rebuild') in the did script of the next version"
                    : "see that its module, its tokenizer and its content are there"
                return Finding(object: "virtual table \(table.name)", problem: damage.reason, remedy: remedy)
            }
        } catch {
            return Finding(
                object: "virtual table \(table.name)",
                problem: "its index was not checked: \((error as? SQLiteError)?.message ?? "\(error)")",
                remedy: "ask again when the machine has room and memory")
        }
    }
}
