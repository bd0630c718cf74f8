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

    func read<T>(_ body: (Connection) throws -> T) throws -> T
    func write<T>(_ body: (Connection) throws -> T) throws -> T
}
