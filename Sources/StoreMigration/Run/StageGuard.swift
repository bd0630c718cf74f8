import StoreSQLite

/// Keeps the code of a stage from what would break the transaction that it runs in.
enum StageGuard {
    /// Pragmas that change the file, the keys or what the engine relies on. Without a value they are questions, which are allowed.
    private static let forbiddenPragmas: Set<String> = [
        "application_id", "auto_vacuum", "defer_foreign_keys", "encoding", "foreign_keys", "ignore_check_constraints", "journal_mode",
        "journal_size_limit", "legacy_alter_table", "locking_mode", "page_size", "query_only", "schema_version", "secure_delete",
        "synchronous", "temp_store", "trusted_schema", "user_version", "wal_autocheckpoint", "wal_checkpoint", "writable_schema",
    ]

    /// Runs `body` while statements that begin or end a transaction, attach a file, change a setting or make a temporary object with the
    /// name of one of the store's do not compile.
    ///
    /// Savepoints are allowed: they cannot end the transaction around them.
    ///
    /// - Parameter forbids: what else is not to compile.
    static func guarding<T>(_ connection: Connection, forbids: @escaping (Action) -> Bool = { _ in false }, _ body: () throws -> T) throws
        -> T
    {
        let names = try connection.rows("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite@_%' ESCAPE '@'")
        let storeNames = Set(names.compactMap { $0[0].text.map(SQLName.folded) })
        try connection.authorize { action in
            switch action.kind {
            case _ where forbids(action): false
            case .transaction, .attach, .detach: false
            // It would stand before the store's own in every statement, also the engine's.
            case _ where action.makesTemporaryObject: !storeNames.contains(SQLName.folded(action.first ?? ""))
            case .pragma:
                action.second == nil && action.first.map(SQLName.folded) != "wal_checkpoint"
                    || !forbiddenPragmas.contains(SQLName.folded(action.first ?? ""))
            default: true
            }
        }
        defer { try? connection.authorize(nil) }
        return try body()
    }
}

extension Action {
    /// Whether a table or a view comes into being that stands before one of the same name in the store: `TEMP`, or `temp.` before its name.
    var makesTemporaryObject: Bool {
        switch kind {
        case .createTemporaryTable, .createTemporaryView: true
        case .createTable, .createView, .createVirtualTable: database == "temp"
        default: false
        }
    }
}
