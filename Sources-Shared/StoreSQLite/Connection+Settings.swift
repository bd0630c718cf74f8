import CStoreSQLite
import CStoreSystem

extension Connection {
    /// How long a statement waits for another process's lock before it fails with `.busy`.
    package func setBusyTimeout(_ timeout: Duration) throws {
        let (seconds, attoseconds) = timeout.components
        let milliseconds = Swift.min(
            Int64(Int32.max), seconds.multipliedReportingOverflow(by: 1000).partialValue + attoseconds / 1_000_000_000_000_000)
        handle.busyTimeout = Int32(Swift.max(0, milliseconds))
        try handle.check(sqlite3_busy_timeout(handle.pointer, handle.busyTimeout))
    }

    /// Leaves the -wal and -shm files when the last connection closes, so that users who may only read can read while no owner lives.
    ///
    /// The option is `SQLITE_FCNTL_PERSIST_WAL`.
    package func keepWriteAheadLog() throws {
        var state: Int32 = 1
        try handle.check(sqlite3_file_control(handle.pointer, "main", SQLITE_FCNTL_PERSIST_WAL, &state))
    }

    /// Closes without a checkpoint: a plain last close rewrites the file.
    package func keepFromCheckpointingOnClose() throws {
        try setOption(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    }

    /// Reads the database by system calls, never through memory: what a damaged file does to mapped memory is a signal. Costs no statement.
    package func keepFromMapping() throws {
        var bytes: Int64 = 0
        let code = sqlite3_file_control(handle.pointer, "main", SQLITE_FCNTL_MMAP_SIZE, &bytes)
        // A library that cannot map at all does not know the question.
        if code != SQLITE_NOTFOUND { try handle.check(code) }
    }

    /// Whether foreign keys are enforced. Costs no statement.
    package func foreignKeys() throws -> Bool {
        try option(SQLITE_DBCONFIG_ENABLE_FKEY)
    }

    /// Switches the enforcement of foreign keys. Unlike the pragma this works inside a transaction.
    ///
    /// - Throws: `SQLiteError` when a deferred violation stands (switching would forget it), or when the state did not change.
    package func setForeignKeys(_ on: Bool) throws {
        if !on, try deferredForeignKeys() > 0 {
            throw SQLiteError(
                code: .constraintForeignKey, message: "foreign keys cannot be switched off while deferred violations stand", path: path)
        }
        try setOption(SQLITE_DBCONFIG_ENABLE_FKEY, on)
    }

    /// Lets RENAME leave the text of views, triggers and keys alone, and not fail on broken ones. Works inside a transaction.
    package func setLegacyAlterTable(_ on: Bool) throws {
        try setOption(SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, on)
    }

    /// 1 while deferred violations of foreign keys stand, else 0. The counter is `SQLITE_DBSTATUS_DEFERRED_FKS`.
    package func deferredForeignKeys() throws -> Int {
        var current: Int32 = 0
        var highest: Int32 = 0
        try handle.check(sqlite3_db_status(handle.pointer, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0))
        return Int(current)
    }

    /// Whether the file at the path is another one than the file that is open. Costs one `stat`.
    package var hasMoved: Bool {
        guard let pointer = handle.pointer else { return false }
        var moved: Int32 = 0
        return sqlite3_file_control(pointer, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    }

    /// A number for the content of the database as this connection's snapshot sees it: another one after a commit of anybody else. The file
    /// control is `SQLITE_FCNTL_DATA_VERSION`.
    ///
    /// Nil where there is none. Two connections give different numbers for the same content.
    package var contentVersion: UInt32? {
        guard let pointer = handle.pointer else { return nil }
        var version: UInt32 = 0
        return sqlite3_file_control(pointer, "main", SQLITE_FCNTL_DATA_VERSION, &version) == SQLITE_OK ? version : nil
    }

    /// Sets an option, and asks for it again.
    private func setOption(_ option: Int32, _ on: Bool) throws {
        var state: Int32 = -1
        try handle.check(store_sqlite_db_config(handle.pointer, option, on ? 1 : 0, &state))
        guard try self.option(option) == on else {
            throw SQLiteError(code: .misuse, message: "option \(option) of the connection did not change", path: path)
        }
    }

    private func option(_ option: Int32) throws -> Bool {
        var state: Int32 = 0
        try handle.check(store_sqlite_db_config(handle.pointer, option, -1, &state))
        return state == 1
    }
}
