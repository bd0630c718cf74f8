import CStoreSQLite

/// A closure that SQLite calls back while a statement runs.
final class ProgressHandler {
    let body: () -> Bool
    init(_ body: @escaping () -> Bool) { self.body = body }
}

/// A closure that SQLite asks before each action of a statement that it compiles.
final class AuthorizerHandler {
    let body: (Action) -> Bool
    init(_ body: @escaping (Action) -> Bool) { self.body = body }
}

/// What a statement is about to be allowed to do. The meaning of the texts: sqlite.org/c3ref/c_alter_table.html.
package struct Action: Hashable, Sendable {
    /// `SQLITE_ATTACH`, `SQLITE_PRAGMA`, `SQLITE_TRANSACTION`…
    package struct Kind: RawRepresentable, Hashable, Sendable {
        package let rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }
        package static let attach = Kind(rawValue: SQLITE_ATTACH)
        package static let detach = Kind(rawValue: SQLITE_DETACH)
        package static let pragma = Kind(rawValue: SQLITE_PRAGMA)
        package static let transaction = Kind(rawValue: SQLITE_TRANSACTION)
        package static let savepoint = Kind(rawValue: SQLITE_SAVEPOINT)
        package static let function = Kind(rawValue: SQLITE_FUNCTION)
        package static let insert = Kind(rawValue: SQLITE_INSERT)
        package static let update = Kind(rawValue: SQLITE_UPDATE)
        package static let delete = Kind(rawValue: SQLITE_DELETE)
        package static let createTable = Kind(rawValue: SQLITE_CREATE_TABLE)
        package static let dropTable = Kind(rawValue: SQLITE_DROP_TABLE)
        package static let alterTable = Kind(rawValue: SQLITE_ALTER_TABLE)
        package static let createIndex = Kind(rawValue: SQLITE_CREATE_INDEX)
        package static let createTrigger = Kind(rawValue: SQLITE_CREATE_TRIGGER)
        package static let createView = Kind(rawValue: SQLITE_CREATE_VIEW)
        package static let createVirtualTable = Kind(rawValue: SQLITE_CREATE_VTABLE)
        package static let createTemporaryIndex = Kind(rawValue: SQLITE_CREATE_TEMP_INDEX)
        package static let createTemporaryTable = Kind(rawValue: SQLITE_CREATE_TEMP_TABLE)
        package static let createTemporaryTrigger = Kind(rawValue: SQLITE_CREATE_TEMP_TRIGGER)
        package static let createTemporaryView = Kind(rawValue: SQLITE_CREATE_TEMP_VIEW)
        package static let dropIndex = Kind(rawValue: SQLITE_DROP_INDEX)
        package static let dropTrigger = Kind(rawValue: SQLITE_DROP_TRIGGER)
    }

    package let kind: Kind
    package let first: String?
    package let second: String?
    package let database: String?
    package let trigger: String?
}

extension Connection {
    /// Calls `handler` about every `steps` steps of SQLite's virtual machine while a statement runs; false interrupts it.
    ///
    /// One handler at a time; nil removes it. The SQLite function is `sqlite3_progress_handler`.
    package func onProgress(everySteps steps: Int32 = 1000, _ handler: (() -> Bool)?) {
        guard let handler else {
            sqlite3_progress_handler(handle.pointer, 0, nil, nil)
            progress = nil
            return
        }
        let box = ProgressHandler(handler)
        sqlite3_progress_handler(
            handle.pointer, steps,
            { context in
                guard let context else { return 0 }
                return Unmanaged<ProgressHandler>.fromOpaque(context).takeUnretainedValue().body() ? 0 : 1
            }, Unmanaged.passUnretained(box).toOpaque())
        progress = box
    }

    /// Asks `handler` about each action of the statements compiled from now on; false refuses the statement. nil removes it.
    package func authorize(_ handler: ((Action) -> Bool)?) throws {
        finalizeStatements()
        guard let handler else {
            try handle.check(sqlite3_set_authorizer(handle.pointer, nil, nil))
            authorizer = nil
            return
        }
        let box = AuthorizerHandler(handler)
        try handle.check(
            sqlite3_set_authorizer(
                handle.pointer,
                { context, kind, first, second, database, trigger in
                    guard let context else { return SQLITE_DENY }
                    let text = { (pointer: UnsafePointer<CChar>?) in pointer.map { String(cString: $0) } }
                    let action = Action(
                        kind: Action.Kind(rawValue: kind), first: text(first), second: text(second), database: text(database),
                        trigger: text(trigger))
                    return Unmanaged<AuthorizerHandler>.fromOpaque(context).takeUnretainedValue().body(action) ? SQLITE_OK : SQLITE_DENY
                }, Unmanaged.passUnretained(box).toOpaque()))
        authorizer = box
    }
}
