#if STORE_FAULTS
import Foundation
import StoreSQLite
import Testing

/// All that a store is and holds, for comparing: every object of the schema by its text, every row with its row id, the marks, and what
/// the store says of itself. Without what differs from run to run: the history, the epoch and the identity.
struct StoreState: Equatable {
    var schema: [[Value]] = []
    var rows: [String: [[Value]]] = [:]
    var metadata: [[Value]] = []
    var generation: Value?

    /// Reads it in one snapshot, and expects that the file is intact and no key without its parent.
    init(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let connection = try Connection(path: path, access: .readOnly)
        defer { connection.close() }
        try connection.reading {
            #expect(try connection.rows("PRAGMA integrity_check") == [["ok"]], sourceLocation: sourceLocation)
            #expect(try connection.rows("PRAGMA foreign_key_check").isEmpty, sourceLocation: sourceLocation)
            schema = try connection.rows(
                """
                SELECT type, name, tbl_name, sql FROM sqlite_schema
                WHERE tbl_name NOT LIKE 'storekeeper\\_%' ESCAPE '\\' AND name <> 'sqlite_sequence' ORDER BY type, name
                """)
            let tables = try connection.rows(
                "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'storekeeper\\_%' ESCAPE '\\'"
            )
            for table in tables {
                guard let name = table[0].text, name != "sqlite_schema" else { continue }
                let rowid = table[1] == 1 ? "" : "rowid, "
                let marks = name == "sqlite_sequence" ? " WHERE name NOT LIKE 'storekeeper\\_%' ESCAPE '\\'" : ""
                rows[name] = try connection.rows("SELECT \(rowid)* FROM \"\(name)\"\(marks) ORDER BY \(name == "sqlite_sequence" ? 2 : 1)")
                if name == "sqlite_sequence" { rows[name] = rows[name]?.map { Array($0.dropFirst()) } }
            }
            metadata = try connection.rows(
                "SELECT key, value FROM storekeeper_metadata WHERE key NOT IN ('epoch', 'store_id') ORDER BY key")
            generation = try connection.scalar("PRAGMA user_version")
        }
    }

    /// Nil where there is no file yet, or one that nothing was committed to.
    static func ifThere(_ path: String) throws -> StoreState? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let connection = try Connection(path: path, access: .readOnly)
        defer { connection.close() }
        return try connection.scalar("SELECT 1 FROM sqlite_schema LIMIT 1") == nil ? nil : StoreState(path)
    }

    /// A value of the metadata.
    func told(_ key: String) -> String? {
        metadata.first { $0[0] == .text(key) }?[1].text
    }
}
#endif
