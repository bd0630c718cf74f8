import StoreMigration
import StoreSQLite
import StoreShared
import Synchronization

/// The one process that owns a store: it migrates, writes, publishes and serves, from `open` until `close` or its end.
///
/// While it lives it holds the owner lock; the kernel frees the lock when the process ends, however it ends.
public final class StoreOwner: Sendable {
    /// The store and the files beside it.
    public let location: StoreLocation
    /// Grows by one with every owner of the store, and when this one restores a backup.
    public var epoch: Int64 { publication.metadata.epoch }

    let lock: OwnerLock
    private let writer: WritingConnection
    let publication: Publication
    private let server: OwnerServer
    private let housekeeper: Housekeeper
    private let options: OwnerOptions
    private let commits = Atomic<Int64>(0)
    private let writes = Atomic<Int64>(0)
    /// Whether a request is being carried out: one at a time, each has a thread.
    let isActing = Atomic<Bool>(false)
    private let isClosed = Mutex(false)
    /// Held while it closes: whoever closes it again waits until it is closed.
    private let closing = SerialLock()

    init(
        location: StoreLocation, lock: OwnerLock, writer: WritingConnection, publication: Publication, server: OwnerServer,
        housekeeper: Housekeeper,
        options: OwnerOptions
    ) {
        self.location = location
        self.lock = lock
        self.writer = writer
        self.publication = publication
        self.server = server
        self.housekeeper = housekeeper
        self.options = options
    }

    deinit {
        close()
    }

    /// Takes the store over, brings it to the plan's target and serves it. Blocks until it is published: a migration may take long.
    ///
    /// - Throws: `StoreError`: `.ownedByAnother` with the pid; `.storeTooNew`, `.foreign`, `.drifted`, `.unreadable`, `.unsuitablePlace`
    ///   before one byte was changed; `.planRefused` and `.migrationFailed` with the store at its previous version; `.cancelled`.
    package static func open(at location: StoreLocation, plan: MigrationPlan, options: OwnerOptions = OwnerOptions()) throws -> StoreOwner {
        try OwnerOpening(location: location, plan: plan, options: options).open()
    }

    /// The owner that this process has already, brought to the plan's target if that is another one; else opened.
    ///
    /// It closes when the last reference goes.
    package static func shared(at location: StoreLocation, plan: MigrationPlan, options: OwnerOptions = OwnerOptions()) throws -> StoreOwner
    {
        try OwnerRegistry.shared(at: location, plan: plan, options: options)
    }

    /// As the blocking form, on a thread of its own. Cancelling the task stops a migration and undoes it.
    package static func open(
        at location: StoreLocation, plan: MigrationPlan, options: OwnerOptions = OwnerOptions()
    ) async throws -> StoreOwner {
        var options = options
        let cancellation = options.cancellation ?? Cancellation()
        options.cancellation = cancellation
        let asked = options
        return try await withTaskCancellationHandler {
            try await onOwnThread("storekeeper-open") { try open(at: location, plan: plan, options: asked) }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Whether it has not been closed.
    package var isOpen: Bool { !isClosed.withLock { $0 } }

    /// Grows by one with every commit of this owner.
    package var commitCount: Int64 { commits.load(ordering: .relaxed) }

    /// Within a write: what `commitCount` is going to be before it is counted itself. A commit is counted there a moment after it can be seen.
    package var writeCount: Int64 { writes.load(ordering: .relaxed) }

    /// The version that the store has.
    public var version: SchemaVersion { publication.metadata.version }

    /// What the store says of itself, as of the last commit that changed it.
    package var metadata: StoreMetadata { publication.metadata }

    /// Writes: `body` runs with the one writing connection, inside one transaction under the write lock.
    ///
    /// Blocks while another write runs. Nothing may wait for another thread in `body`, and no statement may be left unfinished.
    ///
    /// - Parameter entities: the entities whose rows change, for those who listen.
    /// - Throws: what `body` throws, after everything is undone; `StoreError.fenced` when another owner has taken over.
    package func write<T>(changing entities: Set<String> = [], _ body: (Connection) throws -> T) throws -> T {
        let result: T
        var isDone = false
        do {
            result = try writer.write(epoch: epoch) { connection in
                let result = try body(connection)
                // Under the lock, so that the next write knows of this one.
                writes.add(1, ordering: .relaxed)
                isDone = true
                return result
            }
        } catch {
            if isDone { writes.subtract(1, ordering: .relaxed) }
            let code = (error as? StoreError)?.code
            if code != .fenced, code != .closed { OwnerState.serving.note(.rolledBack) }
            throw error
        }
        OwnerState.serving.note(.committed)
        if writer.noteWrite() { housekeeper.wake() }
        commits.add(1, ordering: .relaxed)
        if !entities.isEmpty { server.announceChange(of: entities.sorted()) }
        return result
    }

    /// Brings the store to the target of another plan, while it is being served.
    ///
    /// - Parameter options: for this migration; nil for those that the owner was opened with.
    package func migrate(to plan: MigrationPlan, options: OwnerOptions? = nil) throws {
        try writer.use { connection in
            try writer.checkFence(epoch, connection)
            try Migrating(
                location: location, plan: plan, options: options ?? self.options, publication: publication, server: server,
                housekeeper: housekeeper, isInUse: true
            )
            .run(connection)
        }
        if writer.noteWrite() { housekeeper.wake() }
    }

    /// Leaves: tells the readers, publishes `closed`, closes the store and gives the lock up. A second call does nothing.
    public func close() {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        try? closing.hold {
            guard isFirst else { return }
            options.tell(.closing)
            housekeeper.close()
            let isOurs = writer.close(epoch: epoch, whileOurs: server.removeSocket)
            OwnerOpening.leave(location, lock, in: .serving, isOurs: isOurs, publication: publication, server: server) {
                $0.state = .closed
            }
        }
    }

    /// What the one writing connection did.
    package func statementCounts() throws -> StatementCounts { try use { $0.counts } }

    /// The one writing connection outside of a transaction, under the write lock.
    func use<T>(_ body: (Connection) throws -> T) throws -> T {
        try writer.use { connection in
            try writer.checkFence(epoch, connection)
            return try body(connection)
        }
    }

    /// Publishes what the store is after it was brought back, and tells everybody.
    func publishReturn() {
        OwnerState.serving.note(.restored)
        // Whatever was read before is of another state.
        writes.add(1, ordering: .relaxed)
        commits.add(1, ordering: .relaxed)
        // A record that could not be written is written by the housekeeper; the socket tells the truth meanwhile.
        try? publication.publish { $0.settle() }
        server.broadcast(.published)
        options.tell(.published(version: metadata.version, generation: metadata.generation))
        if writer.noteWrite() { housekeeper.wake() }
    }
}
