import StoreSQLite
import StoreShared
import Synchronization

/// Read-only connections to one store, each lent for one read transaction in a snapshot that was found readable.
///
/// Every read checks generation and schema inside its own transaction, which costs well under a microsecond; only when they
/// moved it looks closer, and then goes on, or throws. No connection may be kept beyond the closure.
package final class SnapshotPool: Sendable {
    /// A connection at rest belongs to nobody, one that is lent to one thread: the pool's lock hands it over.
    private struct Resting: @unchecked Sendable {
        var snapshots: [Snapshot] = []
        /// Those that are lent, the oldest first.
        var reads: [Read] = []
        var isClosed = false
        /// What the connections did that were closed because there were enough.
        var closed = StatementCounts()
    }

    /// A connection on its way between the pool and the one who reads: unchecked, since the pool's lock hands it from one thread to the other.
    private struct Handed: @unchecked Sendable {
        let snapshot: Snapshot?

        init(_ snapshot: Snapshot?) { self.snapshot = snapshot }
    }

    /// A read that runs.
    private struct Read {
        let snapshot: ObjectIdentifier
        /// To stop it.
        let recall: Snapshot.Recall
        let began = Deadline.now
    }

    package let location: StoreLocation
    package let identity: SchemaIdentity
    private let restingLimit: Int
    private let lastChecked: LastCheckedShape
    /// Nil in a process that does not own the store.
    private let own: OwnReaders?
    private let handed: HandedConnection?
    private let resting = Mutex(Resting())

    /// - Parameters:
    ///   - checked: the schema that was compared already, when the store was judged.
    ///   - handed: the connection that it was judged through.
    ///   - restingLimit: connections that are kept open while nobody reads; any number may read at a time.
    ///   - isOwners: whether this process owns the store as long as it reads, so that its reads need not pass the gate of the others.
    package init(
        location: StoreLocation, identity: SchemaIdentity, checked: CheckedShape? = nil, handed: HandedConnection? = nil,
        restingLimit: Int = 8, isOwners: Bool = false
    ) {
        lastChecked = LastCheckedShape(checked)
        self.handed = checked == nil ? nil : handed
        self.location = location
        self.identity = identity
        self.restingLimit = restingLimit
        own = isOwners ? OwnReaders.of(location) : nil
    }

    deinit {
        close()
    }

    /// Runs `body` in one read transaction: all that it reads is of one snapshot, of a schema that the identity may read.
    ///
    /// - Parameter budget: after that time the read is interrupted and undone; nil for no bound, which keeps the log growing.
    /// - Throws: what `body` throws; `StoreError`: `.outdated`, `.storeTooNew`, `.drifted`, `.absent`, `.unreadable` for what the
    ///   store is, `.budgetExceeded`, `.closed`.
    package func read<T>(budget: Duration? = .seconds(5), _ body: (Connection) throws -> T) throws -> T {
        var hasBegun = false
        return try ReadFailure.retrying(within: .seconds(5), pause: .milliseconds(5), mayRepeat: { !hasBegun }) {
            let snapshot = try take()
            defer { give(snapshot) }
            return try snapshot.read(budget: budget) { connection in
                hasBegun = true
                return try body(connection)
            }
        } failed: {
            throw $0.storeError(location)
        }
    }

    /// Interrupts every read that runs now; each fails and lets go of its snapshot.
    package func interrupt() {
        let reads = resting.withLock { $0.reads }
        for read in reads { read.recall.ask() }
    }

    /// How many reads run now.
    package var running: Int { resting.withLock { $0.reads.count } }

    /// How long the oldest read has been running that runs now; nil when nobody reads.
    package var oldestRead: Duration? { resting.withLock { $0.reads.first?.began }?.age }

    /// Closes every connection at rest; those that are lent are closed when they come back. Later reads throw.
    package func close() {
        let isFirst = resting.withLock { !$0.isClosed }
        if isFirst { ReaderState.ready.note(.left) }
        handed?.take()?.close()
        for snapshot in takeAll() { snapshot.close() }
    }

    private func takeAll() -> [Snapshot] {
        let box = resting.withLock { resting in
            defer { resting.snapshots = [] }
            resting.isClosed = true
            return Resting(snapshots: resting.snapshots)
        }
        return box.snapshots
    }

    private func take() throws -> Snapshot {
        let (found, isClosed) = resting.withLock { resting in (Handed(resting.snapshots.popLast()), resting.isClosed) }
        if isClosed { throw StoreError(.closed, "\(location.store) was closed by this program", path: location.store) }
        var snapshot = found.snapshot
        if let old = snapshot, old.hasMoved {
            ReaderState.ready.note(.fileReplaced)
            old.close()
            snapshot = nil
        }
        let lent = try snapshot ?? Snapshot(location, identity, lastChecked, own: own, handed: handed?.take())
        let read = Read(snapshot: ObjectIdentifier(lent), recall: lent.recall)
        resting.withLock { $0.reads.append(read) }
        return lent
    }

    private func give(_ snapshot: Snapshot) {
        let isFree = !snapshot.connection.isInTransaction
        let handed = Handed(snapshot), id = ObjectIdentifier(snapshot)
        let isKept = resting.withLock { resting in
            resting.reads.removeAll { $0.snapshot == id }
            guard let snapshot = handed.snapshot, isFree, !resting.isClosed, resting.snapshots.count < restingLimit else { return false }
            // Nobody can ask this read to end any more.
            snapshot.recall.reset()
            resting.snapshots.append(snapshot)
            return true
        }
        if !isKept {
            let counts = snapshot.connection.counts
            resting.withLock { $0.closed = $0.closed + counts }
            snapshot.close()
        }
    }

    /// What the connections did that are at rest now, or have been closed after a read.
    package var counts: StatementCounts {
        resting.withLock { resting in resting.snapshots.reduce(resting.closed) { $0 + $1.connection.counts } }
    }
}
