import StoreSQLite
import StoreShared

/// What the scripts of a plan may not do, asked of SQLite's own compiler: no way of writing it hides it.
final class ScriptRules {
    /// The first thing that was refused since it was last forgotten: `COMMIT`, `PRAGMA journal_mode`…
    private(set) var refused: String?

    /// Why batches could not come to an end with it, likewise.
    private(set) var objection: String?

    /// Folded names of the store's tables whose rows the statements change, also through triggers and keys.
    private(set) var written: Set<String> = []

    /// Folded names that a temporary object may not have: it would stand before the store's own in every statement, also the engine's.
    private let storeNames: Set<String>
    /// Whether the statement drops or renames a table, which changes SQLite's own tables by itself.
    private var changesTable = false

    private let batches: StageBatches?

    /// - Parameter batches: those that the script runs in.
    init(storeNames: Set<String>, batches: StageBatches? = nil) {
        self.storeNames = storeNames
        self.batches = batches
    }

    func forget() {
        (refused, objection) = (nil, nil)
        changesTable = false
    }

    /// For `Connection.authorize`.
    func allows(_ action: Action) -> Bool {
        if [.dropTable, .alterTable].contains(action.kind) { changesTable = true }
        if let found = batches?.objection(to: action) {
            objection = objection ?? found
            return false
        }
        guard let what = refusal(of: action) else {
            if [.insert, .update, .delete].contains(action.kind), action.database == "main" {
                written.insert(SQLName.folded(action.first ?? ""))
            }
            return true
        }
        if refused == nil { refused = what }
        return false
    }

    private func refusal(of action: Action) -> String? {
        switch action.kind {
        case .transaction:
            return action.first ?? "transaction control"
        case .savepoint:
            switch action.first {
            case "RELEASE": return "RELEASE"
            case "ROLLBACK": return "ROLLBACK TO"
            default: return "SAVEPOINT"
            }
        case .attach: return "ATTACH"
        // It would be refused when it runs, after the work of the statements before it.
        case .function where SQLName.folded(action.second ?? "") == "load_extension": return "load_extension"
        case .detach: return "DETACH"
        case .pragma:
            let name = action.first ?? ""
            return Self.isQuestion(name, argument: action.second) ? nil : "PRAGMA \(name)"
        case .insert, .update, .delete, .createTable, .createView, .createVirtualTable, .dropTable:
            return internalChange(of: action.first ?? "", in: action.database)
                ?? (action.makesTemporaryObject ? shadowing(action.first ?? "") : nil)
        case .alterTable:
            // The database comes first. What the table is to be called is not told.
            if action.first == "temp" { return "ALTER TABLE of the temporary table \(action.second ?? "")" }
            return internalChange(of: action.second ?? "", in: action.first)
        case .createIndex, .createTrigger, .dropIndex, .dropTrigger:
            return internalChange(of: action.second ?? "", in: action.database)
        case .createTemporaryTable, .createTemporaryView:
            return shadowing(action.first ?? "")
        case .createTemporaryIndex, .createTemporaryTrigger:
            return shadowing(action.first ?? "") ?? internalChange(of: action.second ?? "", in: nil)
        default:
            return nil
        }
    }

    /// Our own tables, and the marks of AUTOINCREMENT, which hold that of our history too.
    private func internalChange(of table: String, in database: String?) -> String? {
        let folded = SQLName.folded(table)
        if folded.hasPrefix("storekeeper_") { return "a change of \(table)" }
        return folded == "sqlite_sequence" && database != "temp" && !changesTable ? "a change of \(table)" : nil
    }

    private func shadowing(_ name: String) -> String? {
        let folded = SQLName.folded(name)
        guard storeNames.contains(folded) && !folded.hasPrefix("sqlite_") || folded.hasPrefix("storekeeper_") else { return nil }
        return "a temporary object with the name of the store's own \(name)"
    }

    /// Whether a pragma only asks.
    private static func isQuestion(_ name: String, argument: String?) -> Bool {
        let name = SQLName.folded(name)
        return schemaQuestions.contains(name) || argument == nil && settingQuestions.contains(name)
    }

    /// Questions about the schema and the rows; their argument names an object.
    private static let schemaQuestions: Set<String> = [
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list", "foreign_key_check",
        "integrity_check", "quick_check", "collation_list", "compile_options", "database_list", "function_list", "module_list",
        "pragma_list",
    ]

    /// Settings that answer when they get no argument. With one they change something.
    private static let settingQuestions: Set<String> = [
        "application_id", "auto_vacuum", "automatic_index", "busy_timeout", "cache_size", "cell_size_check", "count_changes",
        "data_version",
        "defer_foreign_keys", "encoding", "foreign_keys", "freelist_count", "journal_mode", "journal_size_limit", "legacy_alter_table",
        "locking_mode", "max_page_count", "mmap_size", "page_count", "page_size", "query_only", "recursive_triggers",
        "reverse_unordered_selects", "schema_version", "secure_delete", "synchronous", "temp_store", "threads", "trusted_schema",
        "user_version", "wal_autocheckpoint", "writable_schema",
    ]
}
