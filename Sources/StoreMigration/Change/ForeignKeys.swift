import StoreSQLite

/// Violations of foreign keys, before and after a change: only new ones are the change's fault.
enum ForeignKeys {
    /// One row whose parent is missing.
    struct Violation: Hashable {
        let table: String
        /// Nil in a WITHOUT ROWID table.
        let rowid: Int64?
        let parent: String
    }

    /// The violations of some tables, as many as fit into memory without growing with the store.
    struct Violations {
        var rows: Set<Violation> = []
        var counts: [String: Int] = [:]
        var isComplete = true
    }

    /// How many violations are remembered one by one.
    private static let limit = 10_000

    /// Tables of the schema that declare foreign keys.
    static func children(in schema: RelationalSchema) -> [TableDefinition] {
        schema.tables.filter { !parents(of: $0).isEmpty }
    }

    /// Folded names of the tables that a table refers to.
    static func parents(of table: TableDefinition) -> Set<String> {
        Set((table.constraints + table.columns.flatMap(\.constraints)).compactMap { $0.parent.map(SQLName.folded) })
    }

    /// - Parameter name: what a table is called in the result, so that violations before and after can be compared.
    static func violations(in connection: Connection, of tables: [String], name: (String) -> String) throws -> Violations {
        var found = Violations()
        for table in tables {
            let statement = try connection.prepare("PRAGMA foreign_key_check(\(SQLName.quoted(table)))")
            while try next(statement) {
                let parent = name(statement.text(2))
                found.counts["\(name(table)) to \(parent)", default: 0] += 1
                if found.rows.count < limit {
                    found.rows.insert(Violation(table: name(table), rowid: statement.isNull(1) ? nil : statement.int64(1), parent: parent))
                } else {
                    found.isComplete = false
                }
            }
            statement.reset()
        }
        return found
    }

    /// A key without a unique parent makes the question itself an error; whether that is new is another check's matter.
    private static func next(_ statement: Statement) throws -> Bool {
        do {
            return try statement.step()
        } catch let error as SQLiteError where error.code.primary == .error {
            return false
        }
    }

    /// A refusal for each key that is violated by rows that did not violate it before.
    ///
    /// Rows are compared one by one where they have rowids and are not too many, else by their number.
    ///
    /// - Parameter schema: the new one, whose names the violations have, folded.
    static func newViolations(
        before: Violations, after: Violations, in connection: Connection, _ schema: RelationalSchema
    ) throws -> [Refusal] {
        let rows = Dictionary(grouping: after.rows.subtracting(before.isComplete ? before.rows : [])) { "\($0.table) to \($0.parent)" }
        return try after.counts.keys.sorted(by: SQLName.precedes).flatMap { key -> [Refusal] in
            let more = after.counts[key, default: 0] - before.counts[key, default: 0]
            let new = rows[key] ?? []
            let fresh = new.compactMap(\.rowid).sorted()
            guard more > 0 || before.isComplete && !fresh.isEmpty else { return [] }
            let reason = "rows would refer to rows that do not exist"
            let remedy = "Correct or remove these rows in the stage."
            // Without rowids nobody can tell new ones from old ones.
            let isAllNew = before.counts[key, default: 0] == 0
            let example = after.rows.first { "\($0.table) to \($0.parent)" == key }
            let names = example.map { schema.table($0.table)?.name ?? $0.table } ?? key
            let checks = example.map { orphans(of: $0.table, to: $0.parent, schema, among: isAllNew ? nil : fresh, reason, remedy) } ?? []
            let named = try checks.compactMap { try $0.refusal(connection) }
            if !named.isEmpty { return named }
            return [
                Refusal(
                    object: "foreign key of table \(names)" + (example.map { " to \(schema.table($0.parent)?.name ?? $0.parent)" } ?? ""),
                    reason: reason,
                    examples: fresh.prefix(DataCheck.exampleLimit).map { "row \($0)" }, rows: max(more, fresh.count), remedy: remedy)
            ]
        }
    }

    /// Questions for the rows that violate the keys from one table to another, each with its columns.
    ///
    /// - Parameter rowids: only these rows; nil for all.
    private static func orphans(
        of child: String, to parent: String, _ schema: RelationalSchema, among rowids: [Int64]?, _ reason: String, _ remedy: String
    ) -> [DataCheck] {
        guard let table = schema.table(child) else { return [] }
        let mapping = TableMapping(from: table, to: table, frontEnd: .sql, losses: .none) { $0 }
        let name = SQLName.quoted(table.name)
        return table.foreignKeys.filter { SQLName.same($0.parent, parent) }.compactMap { key in
            var conditions = key.columns.map { "\(name).\(SQLName.quoted($0)) IS NOT NULL" }
            if let parent = schema.table(key.parent) {
                let columns = key.parentColumns.isEmpty ? parent.primaryKey.compactMap(\.name) : key.parentColumns
                guard columns.count == key.columns.count else { return nil }
                let pairs = zip(columns, key.columns).map { "storekeeper_parent.\(SQLName.quoted($0)) = \(name).\(SQLName.quoted($1))" }
                conditions.append(
                    "NOT EXISTS (SELECT 1 FROM \(SQLName.quoted(parent.name)) AS storekeeper_parent WHERE \(pairs.joined(separator: " AND ")))"
                )
            }
            if let rowids {
                guard let rowid = mapping.sourceRowid, !rowids.isEmpty else { return nil }
                conditions.append("\(name).\(rowid) IN (\(rowids.prefix(1000).map(String.init).joined(separator: ", ")))")
            }
            let values = key.columns.map { "substr(quote(\(SQLName.quoted($0))), 1, 60)" }.joined(separator: " || ', ' || ")
            return DataCheck(
                object: "foreign key of table \(table.name) to \(schema.table(key.parent)?.name ?? key.parent), "
                    + "column\(key.columns.count == 1 ? "" : "s") \(key.columns.joined(separator: ", "))",
                reason: reason, remedy: remedy, label: "\(mapping.rowLabel) || ': ' || \(values)", source: name,
                condition: conditions.joined(separator: " AND "))
        }
    }

    /// Tables whose keys refer to columns that are not unique, by `table name`: SQLite then fails every insert.
    static func mismatches(in connection: Connection, _ schema: RelationalSchema) -> [String: String] {
        var found: [String: String] = [:]
        for table in children(in: schema) {
            do {
                try connection.run("PRAGMA foreign_key_check(\(SQLName.quoted(table.name)))")
            } catch let error as SQLiteError {
                found["table \(table.name)"] = error.message
            } catch {
                found["table \(table.name)"] = "\(error)"
            }
        }
        return found
    }
}
