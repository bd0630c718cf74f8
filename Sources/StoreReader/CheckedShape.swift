import StoreShared
import Synchronization

/// A schema that was compared with the one recorded and found to be it, by what tells it from every other: what the store says of
/// itself, and the number that SQLite changes with every change of a schema.
package struct CheckedShape: Hashable, Sendable {
    package let metadata: StoreMetadata
    /// `PRAGMA schema_version`.
    package let cookie: Int64
}

/// The last schema that a connection of a reader compared, so that its other connections need not compare it again.
final class LastCheckedShape: Sendable {
    private let last: Mutex<CheckedShape?>

    init(_ shape: CheckedShape?) {
        last = Mutex(shape)
    }

    var shape: CheckedShape? {
        get { last.withLock { $0 } }
        set { last.withLock { $0 = newValue } }
    }
}
