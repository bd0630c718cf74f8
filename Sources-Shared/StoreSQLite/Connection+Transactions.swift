import CStoreSQLite

extension Connection {
    /// Runs `body` in one read transaction. Its first statement takes the snapshot; the end lets go of it.
    package func reading<T>(_ body: () throws -> T) throws -> T {
        try transaction("BEGIN", body)
    }

    /// Runs `body` in one write transaction, taken at once: a transaction that reads first and writes later fails with
    /// `.busySnapshot` after somebody else's commit.
    ///
    /// Everything is undone when `body` throws, when a statement in it ends the transaction by itself, or when COMMIT fails.
    package func writing<T>(_ body: () throws -> T) throws -> T {
        try transaction("BEGIN IMMEDIATE", body)
    }

    /// Runs `body` in a savepoint of the open transaction, or in a write transaction when none is open.
    package func savepoint<T>(_ body: () throws -> T) throws -> T {
        guard isInTransaction else { return try writing(body) }
        try run("SAVEPOINT storekeeper_savepoint")
        do {
            let result = try body()
            try run("RELEASE storekeeper_savepoint")
            return result
        } catch {
            if isInTransaction {
                try? run("ROLLBACK TO storekeeper_savepoint")
                try? run("RELEASE storekeeper_savepoint")
            }
            throw error
        }
    }

    private func transaction<T>(_ begin: String, _ body: () throws -> T) throws -> T {
        try self.begin(begin)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }

    /// Begins a write transaction that `commit` or `rollback` ends, for work that one closure cannot hold.
    package func beginWriting() throws {
        try begin("BEGIN IMMEDIATE")
    }

    private func begin(_ sql: String) throws {
        try run(sql)
        handle.expectsTransaction = true
    }

    /// Commits. On an error the transaction is still open, unless SQLite has already undone it.
    package func commit() throws {
        try handle.checkTransaction(statement: "COMMIT")
        handle.expectsTransaction = false
        do {
            try run("COMMIT")
        } catch {
            handle.expectsTransaction = isInTransaction
            throw error
        }
    }

    /// Undoes the transaction; nothing happens when none is open, since SQLite ends one by itself on some errors.
    package func rollback() {
        handle.expectsTransaction = false
        guard isInTransaction else { return }
        do {
            try run("ROLLBACK")
        } catch {
            // An interrupt meets ROLLBACK too while a statement stands in the middle of its rows.
            finalizeStatements()
            resetStatements()
            try? run("ROLLBACK")
        }
    }
}
