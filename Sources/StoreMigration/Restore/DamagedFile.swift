import StoreSQLite
import StoreShared

/// A file in the place of a store that is no database any more. SQLite can put nothing into it, so it is moved to the backups.
package enum DamagedFile {
    /// Whether SQLite can still open it as a database. For one who holds the owner lock.
    ///
    /// - Throws: `SQLiteError` for what says nothing of the file: no permission, no descriptor left.
    private static func isDatabase(_ location: StoreLocation) throws -> Bool {
        guard let facts = try? System.stat(location.store), facts.size > 0 else { return true }
        do {
            let connection = try Connection(path: location.store, access: .readWrite)
            defer { connection.close() }
            try connection.keepWriteAheadLog()
            try connection.keepFromCheckpointingOnClose()
            _ = try connection.scalar("SELECT count(*) FROM sqlite_schema")
            return true
        } catch let error as SQLiteError where [.notADatabase, .corrupt].contains(error.code.primary) {
            return false
        }
    }

    /// Moves the file with its log to the backups, where it is no database. For one who holds the owner lock, before SQLite has it open.
    ///
    /// - Returns: where it is kept, and its permission bits; nil where nothing had to be moved.
    /// - Throws: `StoreError` when it cannot be moved; it is where it was then.
    package static func setAside(_ location: StoreLocation) throws -> (file: String, mode: UInt32)? {
        do {
            if try isDatabase(location) { return nil }
            let mode = try System.stat(location.store).permissions
            let kept = StoreBackup.nameOfDamaged(at: location)
            // The log first: one that lies beside a new file would be replayed into it.
            for suffix in ["-wal", "-shm", "-journal", ""] where (try? System.linkStat(location.store + suffix)) != nil {
                try System.rename(location.store + suffix, to: kept + suffix)
            }
            for folder in [location.backups, location.folder] { try System.sync(System.open(folder, [.read, .folder]), path: folder) }
            return (kept, mode)
        } catch let error as SystemError {
            throw StoreError(
                .unsuitablePlace, "\(location.store) is no database any more and could not be moved to \(location.backups)",
                remedy: "move it away with its -wal and -shm, then restore", path: location.store, cause: error)
        } catch let error as SQLiteError {
            throw StoreError(
                .unreadable, "\(location.store) cannot be opened as a store", remedy: error.remedy, path: location.store, cause: error)
        }
    }
}
