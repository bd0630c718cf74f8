import CStoreSQLite

/// What one run of a statement took, in counts that are the same at every run: for tests that guard them.
package struct StatementWork: Hashable, Sendable {
    package let sql: String
    /// Rows that were stepped over in scans of whole tables and indexes. A `count(*)` of a whole table counts pages and not here.
    package let scanned: Int
    /// Operations of SQLite's virtual machine.
    package let operations: Int
}

/// A closure that is told of each statement that has run.
final class WorkHandler {
    let body: (StatementWork) -> Void
    init(_ body: @escaping (StatementWork) -> Void) { self.body = body }
}

extension Connection {
    /// Tells `handler` of every statement of the connection when it has run; nil ends that. It must not use the connection.
    ///
    /// The SQLite functions are `sqlite3_trace_v2` with `SQLITE_TRACE_PROFILE`, and `sqlite3_stmt_status`.
    package func onWork(_ handler: ((StatementWork) -> Void)?) {
        guard let handler else {
            sqlite3_trace_v2(handle.pointer, 0, nil, nil)
            work = nil
            return
        }
        let box = WorkHandler(handler)
        sqlite3_trace_v2(
            handle.pointer, UInt32(SQLITE_TRACE_PROFILE),
            { _, context, statement, _ in
                guard let context, let statement else { return 0 }
                let pointer = OpaquePointer(statement)
                let work = StatementWork(
                    sql: sqlite3_sql(pointer).map { String(cString: $0) } ?? "",
                    scanned: Int(sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1)),
                    operations: Int(sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_VM_STEP, 1)))
                Unmanaged<WorkHandler>.fromOpaque(context).takeUnretainedValue().body(work)
                return 0
            }, Unmanaged.passUnretained(box).toOpaque())
        work = box
    }
}
