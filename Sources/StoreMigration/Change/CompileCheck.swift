import StoreSQLite

/// Compiles every view and trigger of a schema: SQLite itself finds out about a broken one only when it is used.
enum CompileCheck {
    /// The reason by `view name` or `trigger name`, empty when all compile.
    static func broken(in connection: Connection, _ schema: RelationalSchema) -> [String: String] {
        var broken: [String: String] = [:]
        for view in schema.views {
            if let reason = failure(of: "SELECT * FROM \(SQLName.quoted(view.name))", connection) { broken["view \(view.name)"] = reason }
        }
        for target in Set(schema.triggers.map { SQLName.folded($0.table) }) {
            let triggers = schema.triggers(of: target)
            guard let name = triggers.first?.table else { continue }
            for statement in statements(firing: name, connection) {
                guard let reason = failure(of: statement, connection) else { continue }
                // A view without a trigger for this event: nothing to compile.
                if reason == "cannot modify \(name) because it is a view" { continue }
                // SQLite compiles all triggers of an event together and does not always say which of them is broken.
                let culprits = triggers.filter { reason.contains($0.name) }
                for trigger in culprits.isEmpty ? triggers : culprits { broken["trigger \(trigger.name)"] = reason }
            }
        }
        return broken
    }

    /// Statements whose compilation compiles the triggers of every event of a table or view. They are never run.
    private static func statements(firing name: String, _ connection: Connection) -> [String] {
        let columns =
            (try? connection.rows("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", .text(name)))?.compactMap { $0[0].text } ?? []
        guard !columns.isEmpty else { return [] }
        let table = SQLName.quoted(name)
        let list = columns.map(SQLName.quoted)
        return [
            "INSERT INTO \(table) (\(list.joined(separator: ", "))) VALUES (\(columns.map { _ in "NULL" }.joined(separator: ", ")))",
            "UPDATE \(table) SET \(list.map { "\($0) = \($0)" }.joined(separator: ", "))",
            "DELETE FROM \(table)",
        ]
    }

    private static func failure(of sql: String, _ connection: Connection) -> String? {
        do {
            _ = try connection.prepare(sql)
            return nil
        } catch let error as SQLiteError {
            return error.message
        } catch {
            return "\(error)"
        }
    }
}
