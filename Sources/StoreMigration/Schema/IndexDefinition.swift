import StoreSQLite

/// One index that a CREATE INDEX statement made.
package struct IndexDefinition: Sendable {
    package let name: String
    package let table: String
    /// The statement as SQLite stores it.
    package let sql: String
    package let isUnique: Bool
    package let columns: [IndexedColumn]
    /// The condition of a partial index.
    package let condition: String?
    package let normalForm: ExactText

    init(_ object: SchemaObject, columnsOfTable: Set<String>) throws {
        name = object.name
        table = object.table
        sql = object.sql ?? ""
        let tokens = SQLTokenizer.tokens(of: sql)
        isUnique = tokens.count > 1 && tokens[1].keyword == "UNIQUE"
        guard let open = tokens.firstIndex(where: { $0.isSymbol("(") }) else {
            throw SchemaParseError(statement: sql, reason: "the columns are missing")
        }
        var depth = 0
        var close = tokens.count
        for index in open..<tokens.count {
            if tokens[index].isSymbol("(") { depth += 1 }
            if tokens[index].isSymbol(")") { depth -= 1 }
            if depth == 0 {
                close = index
                break
            }
        }
        guard close < tokens.count else { throw SchemaParseError(statement: sql, reason: "a parenthesis is not closed") }
        columns = indexedColumns(tokens[(open + 1)..<close], sql: sql)
        if close + 2 < tokens.count, tokens[close + 1].keyword == "WHERE" {
            condition = sql.slice(tokens[close + 2].range.lowerBound..<tokens[tokens.count - 1].range.upperBound)
        } else {
            condition = nil
        }
        normalForm = ExactText(NormalForm(knownNames: columnsOfTable).text(tokens))
    }

    /// The statement with another name for the index and for its table.
    func sql(named newName: String, on newTable: String) -> String {
        let tokens = SQLTokenizer.tokens(of: sql)
        guard let on = tokens.firstIndex(where: { $0.keyword == "ON" }), on + 1 < tokens.count, on > 0 else { return sql }
        return sql.replacing(tokens[on + 1].range, with: SQLName.quoted(newTable))
            .replacing(tokens[on - 1].range, with: SQLName.quoted(newName))
    }
}
