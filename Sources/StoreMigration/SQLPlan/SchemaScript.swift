import StoreSQLite
import StoreShared

/// `schema.sql`: the whole schema of a version, as CREATE statements.
struct SchemaScript {
    /// The statements as they are written, without what stands around them.
    let statements: [String]

    /// Runs the file in a database in memory, so that SQLite itself says where a statement ends and what is wrong with it.
    ///
    /// The lines that `.dump` puts around a schema (BEGIN, COMMIT, PRAGMA) are passed over.
    ///
    /// - Throws: `StoreError.planRefused` naming file, line and statement.
    init(_ file: PlanFile) throws {
        let connection = try Connection.inMemory()
        defer { connection.close() }
        let reader = StatementReader(connection, script: file.text)
        var statements: [PlanStatement] = []
        var tokens = SQLTokenizer.tokens(of: file.text)[...]
        while let statement = Self.upcoming(file, reader.position, &tokens) {
            if ["BEGIN", "COMMIT", "PRAGMA"].contains(statement.verb) {
                reader.skip(to: statement.range.upperBound)
                continue
            }
            try Self.checkKind(statement)
            do {
                guard let part = try reader.next() else { break }
                let whole = PlanStatement(file, part.range)
                try part.statement.run()
                statements.append(whole)
            } catch let error as SQLiteError {
                throw statement.error(error.message, remedy: "correct the statement", errorPosition: reader.errorPosition)
            }
        }
        self.statements = statements.map(\.text)
        try Self.checkViewsAndTriggers(connection, statements)
    }

    /// What comes next, cut at the first semicolon: enough for its kind, and for naming it if SQLite does not accept it.
    private static func upcoming(_ file: PlanFile, _ position: Int, _ tokens: inout ArraySlice<SQLToken>) -> PlanStatement? {
        tokens = tokens.drop { $0.range.lowerBound < position || $0.isSymbol(";") }
        guard let first = tokens.first, let last = tokens.first(where: { $0.isSymbol(";") }) ?? tokens.last else { return nil }
        return PlanStatement(file, first.range.lowerBound..<last.range.upperBound)
    }

    private static func checkKind(_ statement: PlanStatement) throws {
        guard statement.verb == "CREATE" else {
            throw statement.error(
                "only CREATE statements may stand here", remedy: "put rows into seed.sql and changes of rows into will.sql or did.sql")
        }
        let keywords = statement.tokens.map(\.keyword)
        if keywords.count > 1, ["TEMP", "TEMPORARY"].contains(keywords[1]) {
            throw statement.error("a temporary object is no part of a schema", remedy: "take TEMP away, or make it in a script")
        }
        // CREATE TABLE name AS SELECT: a bracket or USING comes first in every other form.
        if keywords.count > 1, keywords[1] == "TABLE",
            let head = statement.tokens.first(where: { $0.isSymbol("(") || $0.keyword == "AS" }), head.keyword == "AS"
        {
            throw statement.error("a table made from a query has no columns of its own", remedy: "declare its columns")
        }
    }

    /// SQLite compiles a view or a trigger only when it is used.
    private static func checkViewsAndTriggers(_ connection: Connection, _ statements: [PlanStatement]) throws {
        for row in try connection.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'view'") {
            let (name, sql) = (row[0].text ?? "", row[1].text ?? "")
            do {
                _ = try connection.prepare("SELECT * FROM \(SQLName.quoted(name))")
            } catch let error as SQLiteError {
                let statement = statements.first { $0.text == sql } ?? statements.first { $0.tokens.contains { $0.name == name } }
                throw statement?.error("view \(name) cannot be used: \(error.message)", remedy: "correct the view") ?? error
            }
        }
    }
}
