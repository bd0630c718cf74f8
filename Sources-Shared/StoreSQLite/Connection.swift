import CStoreSQLite

/// One connection to one SQLite database. It is used by one thread at a time; whoever holds it sees to that.
///
/// Not `Sendable`: a connection is reached through the lock or the executor that owns it.
package final class Connection {
    /// What a connection may do with the file.
    package enum Access: Sendable {
        /// Reads only; never checkpoints, never makes a file.
        case readOnly
        /// Reads and writes a file that exists.
        case readWrite
        /// Reads and writes, and makes the file if there is none.
        case create
    }

    /// Whether the functions of the query layer are registered; that layer sets it.
    package var hasQueryFunctions = false

    let handle: DatabaseHandle
    private var cache = StatementCache()
    /// Kept alive for SQLite, which holds them unretained.
    var progress: ProgressHandler?
    var authorizer: AuthorizerHandler?
    var work: WorkHandler?

    /// The path that the connection was opened with.
    package var path: String { handle.path }

    /// Opens `path`. Symbolic links in the last part are refused: resolve the path before.
    ///
    /// - Parameter busyTimeout: how long a statement waits for a lock of another process before it fails with `.busy`.
    /// - Throws: `SQLiteError`; a missing file, missing permission and running out of descriptors are told apart by `systemError`.
    package init(path: String, access: Access, busyTimeout: Duration = .seconds(5)) throws {
        handle = try Self.open(path: path, access: access, flags: SQLITE_OPEN_NOFOLLOW)
        try configure(busyTimeout: busyTimeout)
    }

    /// A private database in a file without a name, which goes with the connection; empty.
    package static func temporaryFile() throws -> Connection {
        try Connection(private: "", flags: 0)
    }

    private init(private path: String, flags: Int32) throws {
        handle = try Self.open(path: path, access: .create, flags: flags)
        try configure(busyTimeout: .zero)
    }

    /// A private database in memory, empty.
    package static func inMemory() throws -> Connection {
        try Connection(private: ":memory:", flags: SQLITE_OPEN_MEMORY)
    }

    private static func open(path: String, access: Access, flags: Int32) throws -> DatabaseHandle {
        let accessFlags =
            switch access {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        var pointer: OpaquePointer?
        let result = sqlite3_open_v2(path, &pointer, accessFlags | flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let pointer else {
            throw SQLiteError(code: .outOfMemory, message: "no memory for a connection", path: path)
        }
        let handle = DatabaseHandle(path: path, pointer: pointer)
        try handle.check(result)
        return handle
    }

    private func configure(busyTimeout: Duration) throws {
        try setBusyTimeout(busyTimeout)
        sqlite3_extended_result_codes(handle.pointer, 1)
    }

    /// Finalizes every statement and closes. Further use throws.
    package func close() {
        cache.removeAll()
        handle.close()
    }

    // MARK: Statements

    /// A statement from the cache, reset and without bindings; compiled if it is not there.
    ///
    /// The cache is bounded and belongs to one `generation` of the schema. A statement is handed out once at a time:
    /// use it up before asking for the same text again.
    package func statement(_ sql: String) throws -> Statement {
        if let statement = cache.take(sql) { return statement }
        let statement = try Statement(handle, sql, persistent: true)
        cache.insert(statement, for: sql)
        return statement
    }

    /// A statement of the caller's own, finalized when it goes away.
    package func prepare(_ sql: String) throws -> Statement {
        try Statement(handle, sql, persistent: false)
    }

    /// The generation of the schema that cached statements were compiled for. Another value finalizes them all:
    /// SQLite compiles an old statement again without a word, and then returns other columns.
    package var generation: Int64 = 0 {
        didSet { if generation != oldValue { cache.removeAll() } }
    }

    /// Finalizes the cached statements.
    package func finalizeStatements() {
        cache.removeAll()
    }

    /// Ends every statement that is in the middle of its rows, wherever it is held: one would keep tables from being dropped.
    package func resetStatements() {
        handle.resetStatements()
    }

    /// Runs any number of statements from one text and throws their rows away.
    package func execute(_ sql: String) throws {
        try sql.utf8CString.withUnsafeBufferPointer { text in
            guard var rest = text.baseAddress else { return }
            while rest.pointee != 0 {
                guard let statement = try Statement(handle, next: &rest) else { continue }
                try statement.run()
            }
        }
    }

    /// Runs one cached statement to its end.
    package func run(_ sql: String, _ values: Value...) throws {
        let statement = try statement(sql)
        try statement.bind(values)
        try statement.run()
    }

    /// All rows of one cached statement. Not for hot paths: every value is boxed.
    package func rows(_ sql: String, _ values: Value...) throws -> [[Value]] {
        try rows(sql, values)
    }

    /// All rows of one cached statement. Not for hot paths: every value is boxed.
    package func rows(_ sql: String, _ values: [Value]) throws -> [[Value]] {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        var rows: [[Value]] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.value($0) })
        }
        return rows
    }

    /// The first row, nil if there is none.
    package func row(_ sql: String, _ values: Value...) throws -> [Value]? {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        return try statement.step() ? (0..<statement.columnCount).map { statement.value($0) } : nil
    }

    /// The first value of the first row, nil if there is no row.
    package func scalar(_ sql: String, _ values: Value...) throws -> Value? {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        return try statement.step() && statement.columnCount > 0 ? statement.value(0) : nil
    }

    // MARK: State

    /// The row id of the last insert on this connection.
    package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle.pointer) }

    /// Rows that the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes64(handle.pointer)) }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { handle.pointer.map { sqlite3_get_autocommit($0) == 0 } ?? false }

    /// Whether a snapshot is still held: by a transaction, or after its end by a statement in the middle of its rows.
    package var holdsSnapshot: Bool { handle.pointer.map { sqlite3_txn_state($0, "main") != SQLITE_TXN_NONE } ?? false }

    /// Statements compiled and steps made so far.
    package var counts: StatementCounts { handle.counts }

    /// Interrupts this connection from any thread.
    package var interrupter: Interrupter { handle.interrupter }

    /// The version of the library that is linked, such as 3040001.
    package static var libraryVersion: Int { Int(sqlite3_libversion_number()) }

    /// Whether the linked library has the fix for the WAL-reset bug of SQLite 3.7.0 to 3.51.2: with the bug, one connection that
    /// writes while another checkpoints can corrupt the database. Fixed in 3.51.3, 3.50.7 and 3.44.6.
    package static var hasWALResetFix: Bool {
        let version = libraryVersion
        return version >= 3_051_003 || (3_050_007..<3_051_000).contains(version) || (3_044_006..<3_045_000).contains(version)
    }
}
