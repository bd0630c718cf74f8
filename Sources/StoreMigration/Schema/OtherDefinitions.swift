import StoreSQLite

/// One view.
package struct ViewDefinition: Sendable {
    package let name: String
    /// The statement as SQLite stores it.
    package let sql: String
    package let normalForm: ExactText
}

/// One trigger, of a table or of a view.
package struct TriggerDefinition: Sendable {
    package let name: String
    /// The table or view that it belongs to.
    package let table: String
    /// The statement as SQLite stores it.
    package let sql: String
    package let normalForm: ExactText
}

/// One virtual table. Its shadow tables are no part of a schema: its module makes and keeps them.
package struct VirtualTableDefinition: Sendable {
    package let name: String
    /// The module's name in small letters: `fts5`, `rtree`…
    package let module: String
    /// The statement as SQLite stores it.
    package let sql: String
    package let normalForm: ExactText

    init(_ object: SchemaObject) {
        name = object.name
        sql = object.sql ?? ""
        let tokens = SQLTokenizer.tokens(of: sql)
        let using = tokens.firstIndex { $0.keyword == "USING" }
        module = using.flatMap { $0 + 1 < tokens.count ? tokens[$0 + 1].name : nil }.map(SQLName.folded) ?? ""
        // The arguments are the module's own language: only white space and comments can be left out.
        let head = tokens[..<(using.map { $0 + 1 } ?? tokens.count)]
        normalForm = ExactText(
            NormalForm(knownNames: nil).text(head) + " " + tokens[head.endIndex...].map(\.text).joined(separator: " "))
    }

    /// The folded names of the tables that the module keeps for this one.
    var shadowTables: Set<String> {
        let suffixes: [String] =
            switch module {
            case "fts3", "fts4": ["content", "segments", "segdir", "docsize", "stat"]
            case "fts5": ["data", "idx", "content", "docsize", "config"]
            case "rtree", "rtree_i32", "geopoly": ["node", "parent", "rowid"]
            default: []
            }
        return Set(suffixes.map { SQLName.folded(name + "_" + $0) })
    }

    /// The table that an FTS table keeps its text in (`content='t'`); nil if it keeps the text itself, empty for a contentless one.
    var externalContent: String? {
        let tokens = SQLTokenizer.tokens(of: sql)
        for index in tokens.indices where index + 2 < tokens.count {
            if SQLName.folded(tokens[index].text) == "content", tokens[index + 1].isSymbol("=") { return tokens[index + 2].name }
        }
        return nil
    }
}
