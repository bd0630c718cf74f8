import CStoreSQLite

/// Copying the write-ahead log into the database, which SQLite calls a checkpoint.
///
/// Where another connection holds the write lock, SQLite copies all the same, and up to 3.51.2 that can corrupt the database: a writer may
/// begin the log anew between the moment at which the copier looks how long it is and the moment at which it notes how much is copied.
/// Here a log is copied under SQLite's write lock, held from before the look until the end, or not at all. Then no other connection writes
/// or copies meanwhile, whoever it is; so a copy needs no other proof that nobody has come between.
extension Connection {
    /// Copies the log and empties it. Waits for nobody: nothing is done while somebody else writes, and nothing is emptied while a reader
    /// needs the log.
    ///
    /// - Returns: whether it is empty now.
    package func truncateLog() throws -> Bool {
        try handle.underWriteLock {
            do {
                return try scalar("PRAGMA wal_checkpoint(TRUNCATE)") == 0
            } catch let error as SQLiteError where error.code.primary == .interrupted {
                return false
            }
        }
    }

    /// After how many pages of the log a commit copies it into the database; 0 for never. Costs no statement.
    ///
    /// Where that fails, since a reader needs the log or another writes, it is tried again after as many pages more: each try costs as much
    /// as the log is long.
    package func setAutomaticCheckpoint(pages: Int) {
        handle.checkpointPages = Int32(clamping: pages)
        handle.nextCheckpointPages = handle.checkpointPages
        guard pages > 0 else {
            sqlite3_wal_hook(handle.pointer, nil, nil)
            return
        }
        // In the place of SQLite's own hook, which copies beside a writer.
        sqlite3_wal_hook(
            handle.pointer,
            { context, database, name, pages in
                guard let context else { return SQLITE_OK }
                let handle = Unmanaged<DatabaseHandle>.fromOpaque(context).takeUnretainedValue()
                // A log that is shorter than before has begun anew.
                if pages < handle.logPages { handle.nextCheckpointPages = handle.checkpointPages }
                handle.logPages = pages
                guard pages >= handle.nextCheckpointPages else { return SQLITE_OK }
                // The commit has been made; a log that cannot be copied now is copied later.
                let result = handle.underWriteLock { sqlite3_wal_checkpoint_v2(database, name, SQLITE_CHECKPOINT_FULL, nil, nil) }
                handle.counts.copies += 1
                handle.nextCheckpointPages = result == SQLITE_OK ? handle.checkpointPages : pages &+ handle.checkpointPages
                return SQLITE_OK
            }, Unmanaged.passUnretained(handle).toOpaque())
    }
}

extension DatabaseHandle {
    /// Runs a checkpoint that gives up where a lock is not to be had: without its handler being asked again SQLite would go on without the
    /// write lock, but an interrupted one copies nothing.
    func underWriteLock<T>(_ checkpoint: () throws -> T) rethrows -> T {
        sqlite3_busy_handler(
            pointer,
            { database, _ in
                sqlite3_interrupt(database.map { OpaquePointer($0) })
                return 0
            }, pointer.map { UnsafeMutableRawPointer($0) })
        defer { sqlite3_busy_timeout(pointer, busyTimeout) }
        return try checkpoint()
    }
}
