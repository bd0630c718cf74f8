import StoreSQLite
import StoreShared

/// How a reader deals with a store that is not ready for it: one that is absent, outdated or being migrated.
///
/// What waiting cannot mend (a store that is too new, damaged, or whose migration failed) throws at once under every policy.
public enum WaitPolicy: Hashable, Sendable {
    /// Throws at once what the store is: `StoreError` with the verdict as its code.
    case never
    /// Waits for an owner to bring it there, at most so long by the monotonic clock; then throws `StoreError.timedOut`. A duration of zero
    /// or less looks once.
    case upTo(Duration)
    /// Waits until an owner brings it there, or the wait is cancelled, which throws `StoreError.cancelled`.
    case forever

    var deadline: Deadline {
        switch self {
        case .never: .now
        case .upTo(let duration): .after(duration)
        case .forever: .never
        }
    }
}

/// A store opened for reading only, by a program built for one version of its schema.
///
/// It has no way to write or to migrate. Every read runs in one transaction in which the schema was found to be one that the
/// program may read; a migration that commits meanwhile is seen by the next read, which goes on where the new schema allows
/// it, and throws `StoreError.storeTooNew` where not. The owner lists it among its readers.
public final class StoreReader: Sendable {
    /// The version that the program was built for.
    public let identity: SchemaIdentity
    /// The identity of the store.
    package let storeID: String
    package let location: StoreLocation
    package let pool: SnapshotPool
    private let presence: ReaderPresence?
    private let board = ChangeBoard()

    private init(_ judgement: Judgement, identity: SchemaIdentity, listeningBy subscription: Subscription?) {
        location = judgement.location
        self.identity = identity
        storeID = judgement.metadata?.storeID ?? ""
        pool = SnapshotPool(location: location, identity: identity, checked: judgement.shape, handed: judgement.connection)
        presence = ReaderPresence(location, identity, pool, board, listeningBy: subscription)
    }

    deinit {
        close()
    }

    /// Opens a store; blocks the calling thread while it waits.
    ///
    /// - Parameters:
    ///   - path: the store; it need not exist yet where the policy waits.
    ///   - identity: what the program was built for.
    ///   - wait: what to do about a store that is absent, outdated or being migrated. One that is too new, failed or unreadable
    ///     throws at once, since waiting cannot help.
    ///   - cancellation: ends the wait from another thread.
    ///   - onProgress: called while it waits, whenever something changed.
    /// - Throws: `StoreError` with the verdict as its code; `.timedOut` when the policy's time ran out; `.cancelled`.
    public static func open(
        at path: String, identity: SchemaIdentity, wait: WaitPolicy = .never, cancellation: Cancellation? = nil,
        onProgress: ((StoreProgress) -> Void)? = nil
    ) throws -> StoreReader {
        let location = try StoreLocation(path: path, until: wait.deadline) { cancellation?.isCancelled ?? false }
        let judgement: Judgement
        var subscription: Subscription?
        if wait == .never {
            judgement = try judgeOnce(location, identity)
        } else {
            (judgement, subscription) = try waited(location, identity, wait.deadline, cancellation ?? Cancellation(), onProgress)
        }
        if let error = judgement.error { throw error }
        return StoreReader(judgement, identity: identity, listeningBy: subscription)
    }

    /// Opens a store without blocking the calling task: the wait has a thread of its own. Cancelling the task ends it.
    public static func open(
        at path: String, identity: SchemaIdentity, wait: WaitPolicy = .never, onProgress: (@Sendable (StoreProgress) -> Void)? = nil
    ) async throws -> StoreReader {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await onOwnThread("storekeeper-wait") {
                try open(at: path, identity: identity, wait: wait, cancellation: cancellation, onProgress: onProgress)
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private static func judgeOnce(_ location: StoreLocation, _ identity: SchemaIdentity) throws -> Judgement {
        do {
            let judgement = try judge(location, for: identity)
            ReaderState.judging.note(judgement.verdict == .ready ? .storeReady : .storeWillNot)
            return judgement
        } catch {
            ReaderState.judging.note(.broke)
            throw error
        }
    }

    /// Waits.
    ///
    /// - Returns: what the store is, and what woke the wait.
    static func waited(
        _ location: StoreLocation, _ identity: SchemaIdentity, _ deadline: Deadline, _ cancellation: Cancellation,
        _ onProgress: ((StoreProgress) -> Void)?
    ) throws -> (judgement: Judgement, subscription: Subscription) {
        let bell = try System.eventCounter()
        let waiter = StoreWaiter(location, for: identity, wokenBy: bell)
        let outcome = try cancellation.handling {
            System.signal(bell)
        } _: {
            try waiter.wait(until: deadline, isCancelled: { cancellation.isCancelled }, onProgress: onProgress ?? { _ in })
        }
        if outcome.timedOut, let error = outcome.judgement.error {
            throw StoreError(
                .timedOut, "waited in vain: \(error.message)", remedy: error.remedy, path: location.store, ownerPID: error.ownerPID,
                storeVersion: error.storeVersion, wantedVersion: identity.version)
        }
        return (outcome.judgement, waiter.subscription)
    }

    /// Runs `body` in one read transaction: all that it reads is of one snapshot, of a schema that the program may read.
    ///
    /// - Parameter budget: after that time the read is interrupted and undone; nil for no bound.
    package func read<T>(budget: Duration? = .seconds(5), _ body: (Connection) throws -> T) throws -> T {
        try pool.read(budget: budget, body)
    }

    /// Runs `body` in one read transaction: all that it reads is of one snapshot, of a schema that the program may read.
    ///
    /// - Parameters:
    ///   - budget: after that time the read is interrupted and undone; nil for no bound, which lets the log grow.
    ///   - body: gets what it reads with; kept beyond the closure it throws.
    /// - Throws: what `body` throws; `StoreError` for what the store is, or `.budgetExceeded`.
    public func transaction<T>(budget: Duration? = .seconds(5), _ body: (ReadTransaction) throws -> T) throws -> T {
        try pool.read(budget: budget) { connection in
            let transaction = ReadTransaction(connection)
            defer { transaction.end() }
            return try body(transaction)
        }
    }

    /// All rows of one statement, in a transaction of its own.
    public func rows(_ sql: String, _ values: Value...) throws -> [[Value]] {
        try pool.read { try $0.rows(sql, values) }
    }

    /// Follows what the owner tells of changed rows, from now on: ask for it, then read, then wait for the next change.
    ///
    /// - Parameter entities: those whose changes matter; nil for all.
    public func changes(of entities: Set<String>? = nil) -> StoreChanges {
        StoreChanges(board, of: entities)
    }

    /// What the store is for this program now.
    package func judgement() throws -> Judgement {
        try judge(location, for: identity)
    }

    /// Closes the connections and tells the owner. Reads that run end as they are; later ones throw.
    public func close() {
        presence?.end()
        board.close()
        pool.close()
    }
}

/// What a read transaction reads with. It is of use only within its closure.
public final class ReadTransaction {
    private var connection: Connection?

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// All rows of one statement.
    ///
    /// - Throws: `SQLiteError`; `StoreError.misuse` after the transaction has ended.
    public func rows(_ sql: String, _ values: Value...) throws -> [[Value]] {
        guard let connection else {
            throw StoreError(.misuse, "the read transaction has ended", remedy: "read inside its closure")
        }
        return try connection.rows(sql, values)
    }

    func end() {
        connection = nil
    }
}
