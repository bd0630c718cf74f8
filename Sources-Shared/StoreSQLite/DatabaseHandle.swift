import CStoreSQLite
import Synchronization

/// The open database behind a connection and its statements: the pointer, and what is known about the transaction.
///
/// It ends with `close`, after which statements that are still around do nothing but throw.
final class DatabaseHandle {
    let path: String
    private(set) var pointer: OpaquePointer?
    /// Whether a transaction of ours must be open: `SQLITE_FULL` and `OR ROLLBACK` end one without a word.
    var expectsTransaction = false
    /// Statements prepared, and steps made, since the connection was opened.
    var counts = StatementCounts()
    let interrupter: Interrupter
    /// Milliseconds that a statement waits for a lock.
    var busyTimeout: Int32 = 0
    /// Pages of the log from which a commit copies it.
    var checkpointPages: Int32 = 0
    /// Pages of the log after the last commit, and from how many it is copied: more where the last try has failed.
    var logPages: Int32 = 0
    var nextCheckpointPages: Int32 = 0
    /// The compiled statements that are not finalized yet.
    private var statements: Set<OpaquePointer> = []

    init(path: String, pointer: OpaquePointer) {
        self.path = path
        self.pointer = pointer
        interrupter = Interrupter(pointer)
    }

    deinit {
        close()
    }

    /// Finalizes every statement of ours and closes. A second call does nothing.
    ///
    /// Not every statement of the connection is ours: virtual tables keep some that they finalize themselves.
    func close() {
        guard let database = pointer else { return }
        interrupter.forget()
        pointer = nil
        for statement in statements { sqlite3_finalize(statement) }
        statements.removeAll()
        sqlite3_close_v2(database)
    }

    func register(_ statement: OpaquePointer) {
        statements.insert(statement)
    }

    /// Finalizes a statement, unless closing has done so already.
    func finalize(_ statement: OpaquePointer) {
        if statements.remove(statement) != nil { sqlite3_finalize(statement) }
    }

    /// Ends every statement of ours that is in the middle of its rows.
    func resetStatements() {
        for statement in statements where sqlite3_stmt_busy(statement) != 0 { sqlite3_reset(statement) }
    }

    /// The error that the last failed call left, with the result code that it returned.
    func error(_ result: Int32, statement: String? = nil) -> SQLiteError {
        guard let pointer else {
            return SQLiteError(code: .misuse, message: "the connection is closed", statement: statement, path: path)
        }
        let extended = sqlite3_extended_errcode(pointer)
        let code = extended & 0xff == result & 0xff ? extended : result
        let systemError = sqlite3_system_errno(pointer)
        let decides = [SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL, SQLITE_PERM, SQLITE_READONLY].contains(code & 0xff)
        return SQLiteError(
            code: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(pointer)), statement: statement, path: path,
            systemError: decides && systemError != 0 ? systemError : nil)
    }

    /// Throws unless the call succeeded.
    func check(_ result: Int32, statement: String? = nil) throws(SQLiteError) {
        if result != SQLITE_OK { throw error(result, statement: statement) }
    }

    /// Throws if a transaction that must be open has ended underneath us, until it is given up with `rollback`.
    @inline(__always)
    func checkTransaction(statement: @autoclosure () -> String?) throws(SQLiteError) {
        if expectsTransaction, let pointer, sqlite3_get_autocommit(pointer) != 0 {
            throw SQLiteError(
                code: .abort, message: "the transaction has ended by itself, and everything in it is undone", statement: statement(),
                path: path)
        }
    }
}

/// How much work a connection has done; for tests that guard counts.
package struct StatementCounts: Hashable, Sendable {
    /// Statements compiled by SQLite.
    package var prepared = 0
    /// Calls of `sqlite3_step`.
    package var steps = 0
    /// Statements begun to run.
    package var runs = 0
    /// Times that a commit has tried to copy the log.
    package var copies = 0

    package init(prepared: Int = 0, steps: Int = 0, runs: Int = 0, copies: Int = 0) {
        self.prepared = prepared
        self.steps = steps
        self.runs = runs
        self.copies = copies
    }

    package static func + (left: StatementCounts, right: StatementCounts) -> StatementCounts {
        StatementCounts(
            prepared: left.prepared + right.prepared, steps: left.steps + right.steps, runs: left.runs + right.runs,
            copies: left.copies + right.copies)
    }

    package static func - (left: StatementCounts, right: StatementCounts) -> StatementCounts {
        StatementCounts(
            prepared: left.prepared - right.prepared, steps: left.steps - right.steps, runs: left.runs - right.runs,
            copies: left.copies - right.copies)
    }
}

/// Interrupts what a connection is doing, from any thread. The running statement fails with `.interrupted`.
package final class Interrupter: Sendable {
    // The pointer is only passed to sqlite3_interrupt, under the lock, while the database is open.
    private struct Target: @unchecked Sendable {
        var pointer: OpaquePointer?
    }
    private let target: Mutex<Target>

    init(_ pointer: OpaquePointer) {
        target = Mutex(Target(pointer: pointer))
    }

    func forget() {
        target.withLock { $0.pointer = nil }
    }

    /// Interrupts; nothing happens once the connection is closed. The SQLite function is `sqlite3_interrupt`.
    package func interrupt() {
        target.withLock { target in
            if let pointer = target.pointer { sqlite3_interrupt(pointer) }
        }
    }
}
