import StoreSQLite

/// What a context reads from and writes to.
///
/// A context never sees another's uncommitted rows: `read` runs in a snapshot of what is committed, `write` in one
/// transaction that is committed when its body returns and rolled back when it throws.
protocol ModelStorage: AnyObject {
    /// Names the store in identifiers.
    var storeIdentifier: String { get }
    var allowsSave: Bool { get }
    /// Grows with every commit that the storage knows of. What was read at another count may be stale.
    var commitCount: UInt64 { get }
    /// Within `write`: the commits before it, each of which `commitCount` counts by then or a moment later.
    var writeCount: UInt64 { get }
    /// What its connections did so far, as far as they are at rest.
    var statementCounts: StatementCounts { get }

    func read<T>(_ body: (Connection) throws -> T) throws -> T
    /// - Parameter entities: the entities whose rows change.
    func write<T>(changing entities: Set<String>, _ body: (Connection) throws -> T) throws -> T
    /// Gives the store back; later reads and writes throw.
    func close()

    /// How much of the store's history is kept; nil where saves do not go into it.
    var historyRetention: HistoryRetention? { get }
    /// The first of as many row numbers that no table has; nil where each table is numbered by itself.
    func reserveNumbers(_ count: Int) -> Int64?
    /// Begins to tell the store's hub of what other processes commit; those of this one tell it themselves.
    func watchOthers()
    /// How many pending changes a context may hold before it writes them by itself; nil: any number.
    var pendingLimit: Int? { get }
    /// Whether it is a stage of a migration: nobody else writes, and what is saved is committed with the stage.
    var isStage: Bool { get }
    /// Told of rows that a program is going to handle, and of those that it has handled.
    func expect(rows: Int)
    func advance(rows: Int) throws
}

extension ModelStorage {
    var pendingLimit: Int? { nil }
    var writeCount: UInt64 { commitCount }
    var statementCounts: StatementCounts { StatementCounts() }
    var isStage: Bool { false }
    var historyRetention: HistoryRetention? { .unlimited }
    func watchOthers() {}
    func reserveNumbers(_ count: Int) -> Int64? { nil }
    func expect(rows: Int) {}
    func advance(rows: Int) throws {}
}

extension Connection {
    /// Makes sure that the query layer's functions are there: a pooled connection comes without.
    func equipped() throws -> Connection {
        if !hasQueryFunctions {
            try QueryFunctions.register(on: self)
            hasQueryFunctions = true
        }
        return self
    }
}
