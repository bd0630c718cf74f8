/// A table or a column as `stage.json` names it: `note`, `note.body`, `"order lines"."a.b"`.
struct PlanName: Hashable, Sendable {
    let table: String
    /// Nil for a table.
    let column: String?

    init(table: String, column: String?) {
        self.table = table
        self.column = column
    }

    /// Reads it as SQL would: what needs quotes is quoted.
    init?(_ text: String) {
        let tokens = SQLTokenizer.tokens(of: text)
        func name(_ index: Int) -> String? {
            guard tokens[index].kind == .word || tokens[index].kind == .quotedName, let name = tokens[index].name, !name.isEmpty else {
                return nil
            }
            return name
        }
        switch tokens.count {
        case 1:
            guard let table = name(0) else { return nil }
            self.init(table: table, column: nil)
        case 3 where tokens[1].isSymbol("."):
            guard let table = name(0), let column = name(2) else { return nil }
            self.init(table: table, column: column)
        default:
            return nil
        }
    }

    /// For people: `table note` or `column note.body`.
    var description: String { column.map { "column \(table).\($0)" } ?? "table \(table)" }

    /// Whether a schema has it.
    func exists(in schema: RelationalSchema) -> Bool {
        guard let found = schema.table(table) else {
            return column == nil && schema.virtualTables.contains { SQLName.same($0.name, table) }
        }
        return column.map { found.column($0) != nil } ?? true
    }
}
