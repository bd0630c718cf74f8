import StoreSQLite

/// Why a statement of a schema could not be understood.
struct SchemaParseError: Error, CustomStringConvertible {
    let statement: String
    let reason: String

    var description: String { "\(reason) in: \(statement)" }
}

/// Reads the CREATE TABLE text that SQLite stores into its definition.
///
/// SQLite has accepted the text, so the parser needs no grammar of expressions: it finds where each column and each constraint
/// begins and ends, and keeps the rest as tokens.
struct TableParser {
    private let sql: String
    private let tokens: [SQLToken]
    private var position = 0
    private var normal = NormalForm(knownNames: nil)

    static func parse(_ sql: String) throws -> TableDefinition {
        var parser = TableParser(sql: sql)
        return try parser.table()
    }

    private init(sql: String) {
        self.sql = sql
        tokens = SQLTokenizer.tokens(of: sql)
    }

    // MARK: Tokens

    private var token: SQLToken? { position < tokens.count ? tokens[position] : nil }

    private func keyword(at offset: Int = 0) -> String {
        position + offset < tokens.count ? tokens[position + offset].keyword : ""
    }

    private func isSymbol(_ symbol: String) -> Bool { token?.isSymbol(symbol) == true }

    private mutating func accept(_ keywords: String...) -> Bool {
        for (offset, word) in keywords.enumerated() where keyword(at: offset) != word { return false }
        position += keywords.count
        return true
    }

    private func failure(_ reason: String) -> SchemaParseError { SchemaParseError(statement: sql, reason: reason) }

    private mutating func name() throws -> String {
        guard let token, let name = token.name else { throw failure("a name is missing") }
        position += 1
        return name
    }

    /// The tokens inside the parentheses that begin here, without them; moves behind the closing one.
    private mutating func parenthesised() throws -> ArraySlice<SQLToken> {
        guard isSymbol("(") else { throw failure("a parenthesis is missing") }
        let start = position + 1
        var depth = 0
        while let token {
            position += 1
            if token.isSymbol("(") { depth += 1 }
            if token.isSymbol(")") { depth -= 1 }
            if depth == 0 { return tokens[start..<(position - 1)] }
        }
        throw failure("a parenthesis is not closed")
    }

    // MARK: Table

    private mutating func table() throws -> TableDefinition {
        guard accept("CREATE") else { throw failure("CREATE is missing") }
        _ = accept("TEMP") || accept("TEMPORARY")
        guard accept("TABLE") else { throw failure("TABLE is missing") }
        _ = accept("IF", "NOT", "EXISTS")
        var nameRange = token?.range ?? 0..<0
        var tableName = try name()
        if isSymbol(".") {
            position += 1
            nameRange = token?.range ?? 0..<0
            tableName = try name()
        }
        guard isSymbol("(") else { throw failure("the columns are missing") }
        normal.knownNames = columnNames()
        position += 1

        var columns: [ColumnDefinition] = []
        var constraints: [ConstraintDefinition] = []
        while true {
            if startsTableConstraint() {
                // SQLite takes table constraints with or without commas between them.
                while startsTableConstraint() {
                    if let constraint = try tableConstraint() { constraints.append(constraint) }
                }
            } else {
                columns.append(try column())
            }
            if isSymbol(",") {
                position += 1
            } else if isSymbol(")") {
                position += 1
                break
            } else {
                throw failure("'\(token?.text ?? "the end")' is not understood")
            }
        }
        var withoutRowid = false
        var strict = false
        while let token {
            if accept("WITHOUT") { withoutRowid = true }
            if SQLName.capitals(token.text) == "STRICT" { strict = true }
            position += 1
        }
        return TableDefinition(
            name: tableName, sql: sql, columns: columns, constraints: constraints, isWithoutRowid: withoutRowid, isStrict: strict,
            nameRange: nameRange)
    }

    /// The folded names of the columns, found before anything is normalised, with the three names of the rowid.
    private func columnNames() -> Set<String> {
        var names: Set<String> = ["rowid", "_rowid_", "oid"]
        var depth = 0
        var startsItem = false
        for token in tokens[position...] {
            if token.isSymbol("(") {
                depth += 1
                startsItem = depth == 1
                continue
            }
            if token.isSymbol(")") { depth -= 1 }
            if depth == 1, startsItem, !Self.tableConstraintKeywords.contains(token.keyword), let name = token.name {
                names.insert(SQLName.folded(name))
            }
            startsItem = depth == 1 && token.isSymbol(",")
            if depth == 0 { break }
        }
        return names
    }

    private static let tableConstraintKeywords: Set<String> = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]
    private static let columnConstraintKeywords: Set<String> = [
        "CONSTRAINT", "NOT", "NULL", "PRIMARY", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED", "AS", "DEFERRABLE",
    ]

    private func startsTableConstraint() -> Bool { Self.tableConstraintKeywords.contains(keyword()) }

    // MARK: Columns

    private mutating func column() throws -> ColumnDefinition {
        let start = position
        let columnName = try name()
        var words: [String] = []
        var type = ""
        while let token, !token.isSymbol(","), !token.isSymbol(")"), !Self.columnConstraintKeywords.contains(token.keyword) {
            if token.isSymbol("(") {
                let arguments = try parenthesised()
                type = words.joined(separator: " ") + "(" + arguments.map(\.text).joined() + ")"
                words = [type]
            } else {
                words.append(token.name ?? token.text)
                position += 1
            }
        }
        type = SQLName.capitals(words.joined(separator: " "))
        var constraints: [ConstraintDefinition] = []
        while let token, !token.isSymbol(","), !token.isSymbol(")") {
            guard let constraint = try columnConstraint() else { continue }
            constraints.append(constraint)
        }
        let range = tokens[start].range.lowerBound..<tokens[position - 1].range.upperBound
        return ColumnDefinition(name: columnName, type: type, constraints: constraints, sql: sql.slice(range))
    }

    private mutating func constraintName() throws -> String? {
        accept("CONSTRAINT") ? try name() : nil
    }

    /// One constraint of a column; nil for a CONSTRAINT name that nothing follows, which SQLite accepts.
    private mutating func columnConstraint() throws -> ConstraintDefinition? {
        let start = position
        let constraintName = try constraintName()
        let body = position
        var draft = Draft()
        if accept("NOT", "NULL") {
            draft.kind = .notNull
            skipConflictClause()
        } else if accept("NULL") {
            draft.kind = .null
            skipConflictClause()
        } else if accept("PRIMARY", "KEY") {
            draft.kind = .primaryKey
            draft.isDescending = accept("DESC")
            _ = accept("ASC")
            skipConflictClause()
            draft.isAutoincrement = accept("AUTOINCREMENT")
        } else if accept("UNIQUE") {
            draft.kind = .unique
            skipConflictClause()
        } else if accept("CHECK") {
            draft.kind = .check
            draft.payload = source(try parenthesised())
        } else if accept("DEFAULT") {
            draft.kind = .defaultValue
            draft.payload = try defaultValue()
        } else if accept("COLLATE") {
            draft.kind = .collate
            draft.payload = SQLName.capitals(try name())
        } else if keyword() == "REFERENCES" {
            draft.kind = .references
            (draft.parent, draft.parentColumns) = try references()
        } else if keyword() == "DEFERRABLE" || keyword() == "NOT" && keyword(at: 1) == "DEFERRABLE" {
            draft.kind = .deferrable
            skipDeferrable()
        } else if keyword() == "GENERATED" || keyword() == "AS" {
            draft.kind = .generated
            _ = accept("GENERATED", "ALWAYS")
            guard accept("AS") else { throw failure("AS is missing") }
            draft.payload = source(try parenthesised())
            if let token, ["STORED", "VIRTUAL"].contains(SQLName.capitals(token.text)) {
                draft.isStored = SQLName.capitals(token.text) == "STORED"
                position += 1
            }
        } else if constraintName != nil {
            return nil
        } else {
            throw failure("'\(token?.text ?? "the end")' is not understood")
        }
        return constraint(draft, name: constraintName, from: start, body: body)
    }

    private mutating func defaultValue() throws -> String {
        if isSymbol("(") {
            let start = position
            _ = try parenthesised()
            return source(tokens[start..<position])
        }
        let start = position
        if isSymbol("+") || isSymbol("-") { position += 1 }
        position += 1
        guard position <= tokens.count else { throw failure("the default is missing") }
        return source(tokens[start..<position])
    }

    private mutating func skipConflictClause() {
        if keyword() == "ON", keyword(at: 1) == "CONFLICT" { position += 3 }
    }

    /// Moves behind `REFERENCES table (columns) actions`; gives the table and the columns.
    private mutating func references() throws -> (String, [String]) {
        guard accept("REFERENCES") else { throw failure("REFERENCES is missing") }
        let parent = try name()
        let columns = isSymbol("(") ? indexedColumns(try parenthesised(), sql: sql).compactMap(\.name) : []
        while true {
            if keyword() == "ON", ["DELETE", "UPDATE", "INSERT"].contains(keyword(at: 1)) {
                position += 2
                position += keyword() == "SET" || keyword() == "NO" ? 2 : 1
            } else if accept("MATCH") {
                position += 1
            } else {
                return (parent, columns)
            }
        }
    }

    private mutating func skipDeferrable() {
        _ = accept("NOT")
        _ = accept("DEFERRABLE")
        if accept("INITIALLY") { position += 1 }
    }

    // MARK: Table constraints

    private mutating func tableConstraint() throws -> ConstraintDefinition? {
        let start = position
        let constraintName = try constraintName()
        let body = position
        var draft = Draft()
        if accept("PRIMARY", "KEY") {
            draft.kind = .primaryKey
            var columns = try parenthesised()
            if columns.last?.keyword == "AUTOINCREMENT" {
                draft.isAutoincrement = true
                columns = columns.dropLast()
            }
            draft.columns = indexedColumns(columns, sql: sql)
            skipConflictClause()
        } else if accept("UNIQUE") {
            draft.kind = .unique
            draft.columns = indexedColumns(try parenthesised(), sql: sql)
            skipConflictClause()
        } else if accept("CHECK") {
            draft.kind = .check
            draft.payload = source(try parenthesised())
            skipConflictClause()
        } else if accept("FOREIGN", "KEY") {
            draft.kind = .references
            draft.columns = indexedColumns(try parenthesised(), sql: sql)
            (draft.parent, draft.parentColumns) = try references()
            if keyword() == "DEFERRABLE" || keyword() == "NOT" && keyword(at: 1) == "DEFERRABLE" { skipDeferrable() }
        } else if constraintName != nil {
            return nil
        } else {
            throw failure("'\(token?.text ?? "the end")' is not understood")
        }
        return constraint(draft, name: constraintName, from: start, body: body)
    }

    // MARK: Results

    private struct Draft {
        var kind = ConstraintDefinition.Kind.check
        var payload = ""
        var columns: [IndexedColumn] = []
        var parent: String?
        var parentColumns: [String] = []
        var isDescending = false
        var isAutoincrement = false
        var isStored = false
    }

    private func constraint(_ draft: Draft, name: String?, from start: Int, body: Int) -> ConstraintDefinition {
        let text = draft.kind == .collate ? "COLLATE \(draft.payload)" : normal.text(tokens[body..<position])
        return ConstraintDefinition(
            kind: draft.kind, name: name,
            normalForm: ExactText((name.map { "CONSTRAINT \(SQLName.quoted($0)) " } ?? "") + text),
            payload: draft.payload, columns: draft.columns, parent: draft.parent, parentColumns: draft.parentColumns,
            isDescending: draft.isDescending, isAutoincrement: draft.isAutoincrement, isStored: draft.isStored,
            range: tokens[start].range.lowerBound..<tokens[position - 1].range.upperBound)
    }

    private func source(_ tokens: ArraySlice<SQLToken>) -> String {
        guard let first = tokens.first, let last = tokens.last else { return "" }
        return sql.slice(first.range.lowerBound..<last.range.upperBound)
    }
}

/// The columns of a key or an index, from the tokens between its parentheses.
func indexedColumns(_ tokens: ArraySlice<SQLToken>, sql: String) -> [IndexedColumn] {
    var parts: [[SQLToken]] = [[]]
    var depth = 0
    for token in tokens {
        if token.isSymbol("(") { depth += 1 }
        if token.isSymbol(")") { depth -= 1 }
        if depth == 0, token.isSymbol(",") {
            parts.append([])
        } else {
            parts[parts.count - 1].append(token)
        }
    }
    return parts.compactMap { part in
        var part = part
        if let last = part.last, last.keyword == "ASC" || last.keyword == "DESC" { part.removeLast() }
        var collation: String?
        if part.count >= 3, part[part.count - 2].keyword == "COLLATE" {
            collation = part.last?.name.map(SQLName.capitals)
            part.removeLast(2)
        }
        guard let first = part.first, let last = part.last else { return nil }
        if part.count == 1, let name = first.name { return IndexedColumn(name: name, collation: collation, expression: nil) }
        return IndexedColumn(name: nil, collation: collation, expression: sql.slice(first.range.lowerBound..<last.range.upperBound))
    }
}
