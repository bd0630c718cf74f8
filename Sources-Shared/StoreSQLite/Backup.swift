import CStoreSQLite

/// A copy of one database into another through SQLite's backup API: a whole page image, atomic for the readers of the destination.
///
/// While it runs, the destination must not be used otherwise. Ended without the last step, the destination is left as it was.
/// Source: sqlite.org/backup.html.
package final class Backup {
    private let source: DatabaseHandle
    private let destination: DatabaseHandle
    private var pointer: OpaquePointer?

    package init(from source: Connection, to destination: Connection) throws {
        self.source = source.handle
        self.destination = destination.handle
        guard let from = source.handle.pointer, let to = destination.handle.pointer else {
            throw SQLiteError(code: .misuse, message: "a backup needs two open connections", path: destination.path)
        }
        pointer = sqlite3_backup_init(to, "main", from, "main")
        if pointer == nil { throw destination.handle.error(sqlite3_extended_errcode(to)) }
    }

    deinit {
        if let pointer, source.pointer != nil { sqlite3_backup_finish(pointer) }
    }

    /// Copies up to this many pages; a negative number copies all.
    ///
    /// - Returns: true while there are pages left. `.busy` and `.locked` may be tried again; other errors end the backup.
    package func step(pages: Int32) throws -> Bool {
        guard let pointer else { return false }
        #if STORE_FAULTS
        defer { FailPoint.pass("a step of a backup") }
        #endif
        switch sqlite3_backup_step(pointer, pages) {
        case SQLITE_OK: return true
        case SQLITE_DONE:
            self.pointer = nil
            try destination.check(sqlite3_backup_finish(pointer))
            return false
        case let result:
            throw SQLiteError(
                code: ResultCode(rawValue: result), message: String(cString: sqlite3_errstr(result)), path: destination.path,
                systemError: destination.pointer.map { sqlite3_system_errno($0) })
        }
    }

    /// Pages that were left after the last step.
    package var remainingPages: Int { pointer.map { Int(sqlite3_backup_remaining($0)) } ?? 0 }

    /// Pages of the source at the last step.
    package var totalPages: Int { pointer.map { Int(sqlite3_backup_pagecount($0)) } ?? 0 }
}
