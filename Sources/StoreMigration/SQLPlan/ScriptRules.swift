import StoreSQLite
import StoreShared

/// What the scripts of a plan may not do, asked of SQLite's own compiler: no way of writing it hides it.
final class ScriptRules {
    /// The first thing that was refused since it was last forgotten: `COMMIT`, `PRAGMA journal_mode`…
    private(set) var refused: String?

    func forget() {
        refused = nil
    }

    /// For `Connection.authorize`.
    func allows(_ action: Action) -> Bool {
        guard let what = Self.refusal(of: action) else { return true }
        if refused == nil { refused = what }
        return false
    }

    private static func refusal(of action: Action) -> String? {
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
        case .detach: return "DETACH"
        case .pragma:
            let name = action.first ?? ""
            return isQuestion(name, argument: action.second) ? nil : "PRAGMA \(name)"
        case .insert, .update, .delete, .createTable, .dropTable, .alterTable:
            // ALTER TABLE gives the database first.
            let table = (action.kind == .alterTable ? action.second : action.first) ?? ""
            return SQLName.folded(table).hasPrefix("storekeeper_") ? "a change of \(table)" : nil
        default:
            return nil
        }
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
