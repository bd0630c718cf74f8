/// A schema for people and programs: as a script, as a drawing, as data.
extension RelationalSchema {
    /// A script that makes the schema in an empty database.
    package var script: String {
        let statements =
            tables.map(\.sql) + virtualTables.map(\.sql) + indexes.map(\.sql) + views.map(\.sql) + triggers.map(\.sql)
        return statements.map { $0 + ";\n" }.joined()
    }

    /// An entity-relationship diagram in the language of Mermaid.
    package var diagram: String {
        var lines = ["erDiagram"]
        for table in tables {
            lines.append("    \(Self.word(table.name)) {")
            for column in table.columns {
                let keys = [
                    column.isPrimaryKey || table.primaryKey.contains { $0.name.map { SQLName.same($0, column.name) } == true } ? "PK" : nil,
                    column.constraint(.references) != nil ? "FK" : nil, column.constraint(.unique) != nil ? "UK" : nil,
                ].compactMap { $0 }
                let type = column.type.isEmpty ? "ANY" : column.type
                let text = "        \(Self.word(type)) \(Self.word(column.name)) \(keys.joined(separator: ", "))"
                lines.append(String(text.reversed().drop { $0 == " " }.reversed()))
            }
            lines.append("    }")
        }
        for table in tables {
            for key in table.foreignKeys {
                lines.append("    \(Self.word(key.parent)) ||--o{ \(Self.word(table.name)) : \"\(key.columns.joined(separator: ", "))\"")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Mermaid takes letters, digits, underscores and hyphens outside of quotes.
    private static func word(_ name: String) -> String {
        String(name.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" ? $0 : "_" })
    }
}
