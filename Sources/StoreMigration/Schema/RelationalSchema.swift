import StoreSQLite

/// What SQLite says of a database: its tables, indexes, views, triggers and virtual tables, each from its stored text.
///
/// Objects whose names begin with `storekeeper_` or `sqlite_` and the shadow tables of virtual tables are no part of it.
package struct RelationalSchema: Sendable {
    package let tables: [TableDefinition]
    package let virtualTables: [VirtualTableDefinition]
    package let indexes: [IndexDefinition]
    package let views: [ViewDefinition]
    package let triggers: [TriggerDefinition]
    /// Triggers of ours on the user's tables, which a rebuild must make again too.
    let ownTriggers: [TriggerDefinition]
    /// The rows of `sqlite_schema` that it was made from, without what is no part of it.
    let objects: [SchemaObject]
    /// Folded names of everything in the database, also of what is no part of the schema: a work name must avoid them.
    let takenNames: Set<String>

    /// Reads the schema of a database, and checks with SQLite that every table was understood.
    ///
    /// - Throws: `SchemaParseError` if the columns found in a table's text are not those that SQLite knows; `SQLiteError`.
    package static func read(_ connection: Connection) throws -> RelationalSchema {
        let schema = try RelationalSchema(objects: SchemaObject.all(in: connection))
        for table in schema.tables {
            let known = try connection.rows("SELECT name FROM pragma_table_xinfo(?)", .text(table.name)).map { $0[0].text ?? "" }
            guard known == table.columns.map(\.name) else {
                throw SchemaParseError(
                    statement: table.sql, reason: "table \(table.name) has the columns \(known.joined(separator: ", ")) to SQLite")
            }
        }
        return schema
    }

    init(objects: [SchemaObject]) throws {
        let virtual = objects.filter { $0.type == "table" && Self.isVirtual($0.sql ?? "") }.map(VirtualTableDefinition.init)
        let shadows = virtual.reduce(into: Set<String>()) { $0.formUnion($1.shadowTables) }
        let declared = objects.filter { object in
            object.sql != nil && !SQLName.isReserved(object.name) && !shadows.contains(SQLName.folded(object.table))
        }
        self.objects = declared
        virtualTables = virtual.filter { !SQLName.isReserved($0.name) }
        tables = try declared.filter { $0.type == "table" && !Self.isVirtual($0.sql ?? "") }.map { try TableParser.parse($0.sql ?? "") }

        var columns: [String: Set<String>] = [:]
        var names: Set<String> = []
        for table in tables {
            let own = Set(table.columns.map { SQLName.folded($0.name) })
            columns[SQLName.folded(table.name)] = own.union(["rowid", "_rowid_", "oid"])
            names.formUnion(own)
            names.insert(SQLName.folded(table.name))
        }
        for table in virtual { names.formUnion(SQLTokenizer.tokens(of: table.sql).compactMap { $0.name.map(SQLName.folded) }) }
        for object in declared where object.type == "view" { names.insert(SQLName.folded(object.name)) }

        indexes = try declared.filter { $0.type == "index" && !SQLName.isReserved($0.table) }.map { object in
            try IndexDefinition(object, columnsOfTable: columns[SQLName.folded(object.table)] ?? [])
        }
        views = declared.filter { $0.type == "view" }.map {
            ViewDefinition(name: $0.name, sql: $0.sql ?? "", normalForm: Self.normalForm($0.sql ?? "", names))
        }
        triggers = declared.filter { $0.type == "trigger" }.map { TriggerDefinition($0, names) }
        ownTriggers = objects.filter { $0.type == "trigger" && SQLName.isReserved($0.name) && !SQLName.isReserved($0.table) }
            .map { TriggerDefinition($0, names) }
        takenNames = Set(objects.map { SQLName.folded($0.name) })
    }

    private static func isVirtual(_ sql: String) -> Bool {
        guard sql.utf8.count > 14 else { return false }
        return SQLName.capitals(String(sql.prefix(14))) == "CREATE VIRTUAL"
    }

    /// The normal form of a view or trigger, in which every bare word and every alias may be what a text in double quotes means.
    fileprivate static func normalForm(_ sql: String, _ names: Set<String>) -> ExactText {
        let tokens = SQLTokenizer.tokens(of: sql)
        var names = names.union(["rowid", "_rowid_", "oid", "new", "old"])
        for (index, token) in tokens.enumerated() {
            if token.kind == .word || index > 0 && tokens[index - 1].keyword == "AS", let name = token.name {
                names.insert(SQLName.folded(name))
            }
        }
        return ExactText(NormalForm(knownNames: names).text(tokens))
    }

    package func table(_ name: String) -> TableDefinition? {
        tables.first { SQLName.same($0.name, name) }
    }

    package func indexes(of table: String) -> [IndexDefinition] {
        indexes.filter { SQLName.same($0.table, table) }
    }

    package func triggers(of table: String) -> [TriggerDefinition] {
        triggers.filter { SQLName.same($0.table, table) }
    }

    /// The schema with other statements for some tables, by folded name.
    func replacing(tables statements: [String: String]) throws -> RelationalSchema {
        try RelationalSchema(
            objects: objects.map { object in
                guard object.type == "table", let sql = statements[SQLName.folded(object.name)] else { return object }
                return SchemaObject(type: object.type, name: object.name, table: object.table, sql: sql)
            })
    }

    package var isEmpty: Bool { tables.isEmpty && virtualTables.isEmpty && views.isEmpty }

    /// The normal form of every object with its kind and name, in no order that counts.
    func normalForms(_ frontEnd: FrontEnd) -> [ExactText] {
        tables.map { $0.normalForm(frontEnd) } + virtualTables.map(\.normalForm) + indexes.map(\.normalForm) + views.map(\.normalForm)
            + triggers.map(\.normalForm)
    }
}

extension TriggerDefinition {
    fileprivate init(_ object: SchemaObject, _ names: Set<String>) {
        name = object.name
        table = object.table
        sql = object.sql ?? ""
        normalForm = RelationalSchema.normalForm(sql, names)
    }
}

extension RelationalSchema: Equatable {
    /// Equal by the strict normal form: that of SQL files.
    package static func == (first: RelationalSchema, second: RelationalSchema) -> Bool {
        Set(first.normalForms(.sql)) == Set(second.normalForms(.sql))
    }
}

extension TableDefinition {
    /// The table in normal form, one line a part.
    package func normalForm(_ frontEnd: FrontEnd) -> ExactText {
        var parts = columns.map { $0.normalForm(frontEnd) }
        if frontEnd == .models { parts.sort(by: ExactText.precedes) }
        parts += constraints.map(\.normalForm).sorted(by: ExactText.precedes)
        let options = [isWithoutRowid ? "WITHOUT ROWID" : nil, isStrict ? "STRICT" : nil].compactMap { $0 }
        return ExactText((["TABLE \(SQLName.quoted(name))"] + options + parts.map(\.text)).joined(separator: "\n  "))
    }
}

extension ColumnDefinition {
    /// The column in normal form; the order of its constraints does not count.
    package func normalForm(_ frontEnd: FrontEnd) -> ExactText {
        let counted = constraints.filter { $0.kind != .null && (frontEnd == .sql || $0.kind != .defaultValue) }
        let parts = [SQLName.quoted(name), type] + counted.map(\.normalForm).sorted(by: ExactText.precedes).map(\.text)
        return ExactText(parts.filter { !$0.isEmpty }.joined(separator: " "))
    }
}
