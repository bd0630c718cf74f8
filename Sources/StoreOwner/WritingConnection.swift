import StoreSQLite
import StoreShared
import Synchronization

/// The one connection of the whole system that writes and checkpoints, behind one lock.
///
/// Debian's SQLite has the WAL-reset bug: a second connection that copies the log beside a writer can corrupt the store.
final class WritingConnection: @unchecked Sendable {
    // The connection is only touched while the lock is held, and is nil after closing.
    private let lock = SerialLock()
    private var connection: Connection?
    private let location: StoreLocation
    private let ownerLock: OwnerLock
    /// When the last write ended; nil while the log holds nothing that must be copied into the store.
    private let lastWrite = Mutex<Deadline?>(nil)

    /// How long the log is left alone after a write, before it is copied into the store and emptied.
    private static let quiet = Pace.of(.seconds(1))
    /// Log pages after which a commit copies the log into the store.
    private static let checkpointPages = 1000
    /// Bytes of the log from which readers are kept waiting for a moment so that it can be emptied.
    private let drainsAt: Int64
    /// When a log that could not be emptied is tried again, and how long after that.
    private let nextDrain = Mutex<(at: Deadline, pause: Duration)>((.now, WritingConnection.firstPause))

    /// How long newcomers wait at the gate while the readers inside end; what comes after a drain that failed, doubled each time up to a
    /// minute.
    private static let drainPatience: Duration = .milliseconds(250)
    private static let firstPause: Duration = .milliseconds(250)
    private static let lastPause: Duration = .seconds(60)

    init(_ connection: Connection, at location: StoreLocation, lock ownerLock: OwnerLock, drainsAt: Int64 = 16 << 20) {
        self.connection = connection
        self.drainsAt = drainsAt
        self.location = location
        self.ownerLock = ownerLock
    }

    /// Opens the store for writing, making it if it is missing. Nothing in it changes but a log that a killed process left, which SQLite recovers.
    static func open(_ location: StoreLocation) throws -> Connection {
        let connection = try Connection(path: location.store, access: .create)
        try connection.keepWriteAheadLog()
        try connection.keepFromCheckpointingOnClose()
        setCheckpointing(connection, true)
        try connection.keepFromMapping()
        try connection.execute(
            "PRAGMA synchronous = FULL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON")
        #if STORE_FAULTS
        if Planted.commitWithoutSync.isOrdered { try connection.execute("PRAGMA synchronous = NORMAL") }
        #endif
        try connection.setForeignKeys(true)
        return connection
    }

    /// Whether a commit that finds the log long copies it into the store before it returns.
    static func setCheckpointing(_ connection: Connection, _ on: Bool) {
        connection.setAutomaticCheckpoint(pages: on ? checkpointPages : 0)
    }

    /// Puts the store into WAL mode, waiting for other programs in it: SQLite's busy handler does not cover the switch.
    static func switchToWriteAheadLog(_ connection: Connection, until deadline: Deadline) throws {
        while true {
            do {
                guard try connection.scalar("PRAGMA journal_mode = WAL") == "wal" else {
                    throw StoreError(
                        .unsuitablePlace, "\(connection.path) cannot use a write-ahead log", remedy: "move it to a local file system",
                        path: connection.path)
                }
                return
            } catch let error as SQLiteError where error.code.primary == .busy && !deadline.hasPassed {
                System.sleep(.milliseconds(20))
            }
        }
    }

    /// Runs `body` with the connection, outside of a transaction. Waits for the lock.
    func use<T>(_ body: (Connection) throws -> T) throws -> T {
        try lock.hold {
            guard let connection else {
                throw StoreError(.closed, "the owner of \(location.store) has closed", remedy: "open the store again", path: location.store)
            }
            return try body(connection)
        }
    }

    /// Runs `body` in one write transaction of the owner with this epoch.
    ///
    /// - Parameter epoch: asked for under the lock, since a restore raises it.
    /// - Throws: `StoreError.fenced` when another owner has taken the store over, which takes a deleted or replaced lock file; then
    ///   nothing was written.
    func write<T>(epoch: @autoclosure () -> Int64, _ body: (Connection) throws -> T) throws -> T {
        try use { connection in
            try connection.writing {
                try checkFence(epoch(), connection)
                return try body(connection)
            }
        }
    }

    /// Under the write lock of SQLite, so that no other owner can come between the check and the commit.
    func checkFence(_ epoch: Int64, _ connection: Connection) throws {
        #if STORE_FAULTS
        if Planted.noEpochInCommit.isOrdered { return }
        #endif
        let found = try StoreMetadata.epoch(of: connection)
        guard found == epoch, ownerLock.stillNamesThePath() else {
            OwnerState.serving.note(.fenced)
            throw StoreError(
                .fenced, "another owner has taken over \(location.store): its epoch is \(found ?? 0), this owner's \(epoch)",
                remedy: "close this owner; nobody may delete \(location.ownerLock) while an owner lives", path: location.store)
        }
    }

    /// Notes that the log has grown.
    ///
    /// - Returns: whether that is news, so that somebody has to see to it.
    func noteWrite() -> Bool {
        lastWrite.withLock { last in
            defer { last = .now }
            return last == nil || isLong
        }
    }

    /// Copies the log into the store and empties it once writing has paused, unless a reader still needs it.
    ///
    /// - Parameter epoch: the owner's; one that was superseded leaves the log to the other.
    /// - Returns: whether it must be tried again.
    func checkpointWhenQuiet(epoch: @autoclosure () -> Int64) -> Bool {
        guard let last = lastWrite.withLock({ $0 }) else { return false }
        guard last.isOlder(than: Self.quiet) else { return true }
        let isDone = lock.tryHold {
            guard let connection, isOurs(epoch(), connection) else { return true }
            let isCopied = truncateLog(connection)
            OwnerState.serving.note(isCopied ? .logCopied : .logKept)
            return isCopied
        }
        guard isDone == true else { return true }
        return lastWrite.withLock { now in
            if now == last { now = nil }
            return now != nil
        }
    }

    /// Empties a log that readers in overlapping transactions have let grow: nobody comes in, who is inside ends, the log is cut.
    ///
    /// - Parameters:
    ///   - gate: opened by the caller; it is open again afterwards.
    ///   - ask: called where somebody would not leave: has the readers asked to.
    /// - Returns: whether there is such a log still.
    func drainWhenLong(epoch: @autoclosure () -> Int64, _ gate: Gate, ask: () -> Void) -> Bool {
        guard isLong else { return false }
        guard nextDrain.withLock({ $0.at.hasPassed }) else { return true }
        let isEmpty = try? lock.hold {
            guard let connection, isOurs(epoch(), connection) else { return true }
            if truncateLog(connection) { return true }
            guard gate.shut(within: Self.drainPatience) else { return false }
            defer { gate.open() }
            return truncateLog(connection)
        }
        if isEmpty != true { ask() }
        return nextDrain.withLock { next in
            next.at = isEmpty == true ? .now : .after(next.pause)
            next.pause = isEmpty == true ? Self.firstPause : min(next.pause * 2, Self.lastPause)
            return isEmpty != true
        }
    }

    /// Whether the log has outgrown what readers may cost. Asked by name: a descriptor of ours would be one too many.
    private var isLong: Bool {
        ((try? System.stat(location.store + "-wal"))?.size ?? 0) > drainsAt
    }

    /// Without waiting: a reader in an old snapshot keeps the log, and the next try or the next owner copies it.
    private func truncateLog(_ connection: Connection) -> Bool { (try? connection.truncateLog()) == true }

    /// Whether nobody has taken over.
    private func isOurs(_ epoch: Int64?, _ connection: Connection) -> Bool {
        guard ownerLock.stillNamesThePath() else { return false }
        guard let epoch else { return true }
        return (try? StoreMetadata.epoch(of: connection)) == epoch
    }

    /// Ends it: the log is copied into the store while the store still is ours, then the connection closes.
    ///
    /// - Parameters:
    ///   - epoch: the owner's; nil for one that did not come to have one.
    ///   - body: runs before that under SQLite's write lock while the store is this owner's, so that nobody can take it over meanwhile: who
    ///     does commits an epoch first. Left out where another program keeps that lock for seconds.
    /// - Returns: whether the store still was ours.
    @discardableResult
    func close(epoch: @autoclosure () -> Int64?, whileOurs body: () -> Void = {}) -> Bool {
        let wasOurs = try? lock.hold {
            guard let connection else { return false }
            let epoch = epoch()
            let isOurs = isOurs(epoch, connection)
            if isOurs {
                if epoch != nil { try? connection.writing { if self.isOurs(epoch, connection) { body() } } }
                _ = truncateLog(connection)
            }
            connection.close()
            self.connection = nil
            return isOurs
        }
        return wasOurs == true
    }
}
