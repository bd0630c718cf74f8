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
    static func newViolations(before: Violations, after: Violations) -> [Refusal] {
        let rows = Dictionary(grouping: after.rows.subtracting(before.isComplete ? before.rows : [])) { "\($0.table) to \($0.parent)" }
        return after.counts.keys.sorted(by: SQLName.precedes).compactMap { key in
            let more = after.counts[key, default: 0] - before.counts[key, default: 0]
            let fresh = (rows[key] ?? []).compactMap(\.rowid).sorted()
            guard more > 0 || before.isComplete && !fresh.isEmpty else { return nil }
            let examples = fresh.prefix(DataCheck.exampleLimit).map { "row \($0)" }
            return Refusal(
                object: "foreign key of table \(key)", reason: "rows would refer to rows that do not exist", examples: Array(examples),
                rows: max(more, fresh.count), remedy: "Correct or remove these rows in the stage.")
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
