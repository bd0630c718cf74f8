import StoreSQLite

/// How much room a migration needs on the store's file system, in bytes.
///
/// A rebuilt table is written once into the log as the copy and once as pages that become free, and then into the store: three times its
/// size and that of its indexes. A column that is dropped in place rewrites its table once, into the log and into the store.
struct SpaceNeed {
    let connection: Connection
    private var rebuilt: Set<String> = []
    private var rewritten: Set<String> = []

    init(connection: Connection) {
        self.connection = connection
    }

    mutating func add(_ change: SchemaChange) {
        for step in change.steps {
            switch step {
            case .rebuild(let rebuild): rebuilt.insert(change.oldName(of: rebuild.table))
            case .dropColumn(let table, _): rewritten.insert(change.oldName(of: table))
            default: break
            }
        }
    }

    mutating func add(copied tables: [String]) { rebuilt.formUnion(tables) }

    /// Nil when there is room, or where that cannot be told.
    ///
    /// - Parameter free: bytes that may still be written there.
    func refusal(in folder: String, free: Int64?, withBackup: Bool) throws -> Refusal? {
        guard let free else { return nil }
        let pageSize = try connection.scalar("PRAGMA page_size")?.integer ?? 4096
        let size = (try connection.scalar("PRAGMA page_count")?.integer ?? 0) * pageSize
        let backup = withBackup ? size : 0
        // The store as a whole bounds every table; only where that does not fit are the tables measured, which reads them.
        if rebuilt.isEmpty && rewritten.isEmpty {
            if free >= backup { return nil }
        } else if free >= backup + 3 * size {
            return nil
        }
        let need = backup + 3 * (try bytes(of: rebuilt) ?? size) + 2 * (try bytes(of: rewritten) ?? size)
        guard free < need else { return nil }
        return Refusal(
            object: "file system of \(folder)",
            reason:
                "the migration needs \(need) bytes there\(withBackup ? ", \(backup) of them for the backup" : ""), but \(free) are free",
            remedy: "Make room, then start it again.", isOfTheMoment: true)
    }

    /// Bytes of some tables with their indexes; nil where this SQLite cannot tell.
    func bytes(of tables: Set<String>) throws -> Int64? {
        var sum: Int64 = 0
        for table in tables {
            let names = try connection.rows(
                "SELECT name FROM sqlite_schema WHERE tbl_name = ? COLLATE NOCASE AND type IN ('table', 'index')", .text(table))
            for name in names {
                do {
                    sum += try connection.scalar("SELECT sum(pgsize) FROM dbstat WHERE name = ?", name[0])?.integer ?? 0
                } catch is SQLiteError {
                    return nil
                }
            }
        }
        return sum
    }
}
