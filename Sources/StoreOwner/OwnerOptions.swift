import StoreMigration
import StoreShared

/// How an owner opens its store.
public struct OwnerOptions: Sendable {
    /// How long to wait for another owner to leave. Zero refuses at once.
    public var wait: Duration = .zero
    /// How many backups from before migrations are kept, the newest; nil makes none.
    public var backupsKept: Int? = 3
    /// Whether the whole plan is one transaction or each stage is.
    public var atomicity = MigrationAtomicity.plan
    /// Allows the stages to lose data that the plan itself does not allow them to lose.
    public var allowsLoss = false
    /// Goes on although the plan has versions below the store's own whose scripts never ran on it.
    public var allowsSkipped = false
    /// Takes over a database of another program whose shape a version of the plan has.
    public var adopts = false
    /// How long to pause between the batches of a batched stage.
    public var batchPause: Duration = .zero
    /// How long readers in old snapshots are asked to leave before an exclusive stage gives up.
    public var drain: Duration = .seconds(10)
    /// Bytes of the write-ahead log from which newcomers among the readers wait for a moment, so that it can be emptied.
    package var logLimit: Int64 = 16 << 20
    /// The group that may ask on the socket, whoever may read the store; nil leaves it to the store's permissions.
    public var socketGroup: String?
    /// Allows a file system that is not known to be safe for a write-ahead log.
    public var allowsAnyFileSystem = false
    /// Told of everything the owner does, on the thread that does it: keep it short.
    public var onEvent: (@Sendable (OwnerEvent) -> Void)?
    /// The service manager that is told what the owner does, and that may have made the socket; nil where there is none.
    public var serviceManager: ServiceManager?
    /// Stops the opening, and a migration in it, when it is cancelled.
    public var cancellation: Cancellation?
    /// Ends the process with this status when a cancelled migration could not be undone within 1.5 seconds: the next owner undoes it.
    /// nil waits for as long as it takes.
    public var exitStatusWhenStuck: Int32?

    /// What each property says that nobody has set.
    public init() {}

    /// Tells everyone who wants to know.
    func tell(_ event: OwnerEvent) {
        serviceManager?.tell(event)
        onEvent?(event)
    }
}

/// What an owner is doing, as it happens.
public enum OwnerEvent: Sendable {
    /// The lock is taken and the store is open; `epoch` grows by one with every owner.
    case opening(epoch: Int64)
    /// A migration begins.
    case migrating(from: SchemaVersion, to: SchemaVersion, stages: Int)
    /// A stage begins; `number` counts from 1.
    case stage(number: Int, of: Int, name: String)
    /// Rows of this stage that are done, and their number if it is known.
    case progress(stage: Int, of: Int, rowsDone: Int64, rowsTotal: Int64?)
    /// A migration is at work on something that has no rows to count: a long statement, a backup. At least every second.
    case working
    /// Something that a person should know, and that stops nobody.
    case warning(String)
    /// The version is committed and published; `generation` grows by one with every change of the schema.
    case published(version: SchemaVersion, generation: Int64)
    /// The migration failed or was refused; the store is at its previous version.
    case failed(reason: String)
    /// Requests are answered from now on.
    case serving
    /// A reader came or left.
    case reader(pid: Int32, joined: Bool)
    /// The owner leaves.
    case closing
}
