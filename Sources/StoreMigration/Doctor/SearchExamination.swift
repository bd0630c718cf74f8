import StoreSQLite

/// The integrity checks of FTS tables, which `PRAGMA integrity_check` does not make: whether a search finds what the rows say.
///
/// They are written as an INSERT, so they run on a copy in a private temporary file.
enum SearchExamination {
    static func findings(_ connection: Connection, _ schema: RelationalSchema) throws -> [Finding] {
        let tables = schema.virtualTables.filter { ["fts3", "fts4", "fts5"].contains($0.module) }
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
        let name = SQLName.quoted(table.name)
        // FTS4 compares with a text, of which a contentless table has none.
        if table.module != "fts5", table.externalContent?.isEmpty == true { return nil }
        // With rank 1 FTS5 compares with content that lies elsewhere, too.
        let comparesContent = table.module == "fts5" && table.externalContent?.isEmpty == false
        do {
            try copy.run(
                comparesContent
                    ? "INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)"
                    : "INSERT INTO \(name) (\(name)) VALUES ('integrity-check')")
            return nil
        } catch let error as SQLiteError where error.code.primary == .corrupt {
            return Finding(
                object: "virtual table \(table.name)",
                problem: "its index does not say what its rows say: searches miss rows or find wrong ones",
                remedy: "run INSERT INTO \(name)(\(name)) VALUES ('rebuild') in the did script of the next version")
        } catch {
            return Finding(
                object: "virtual table \(table.name)",
                problem: "its index cannot be checked: \((error as? SQLiteError)?.message ?? "\(error)")",
                remedy: "see that its module, its tokenizer and its content are there")
        }
    }
}
