import Dispatch

/// Runs the work of a model actor on a queue of its own, never on the thread that made the actor.
// Unchecked: after the initialiser the context is used by the jobs of the queue only, one at a time.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
    /// The context of the actor, for its jobs alone.
    public final let modelContext: ModelContext
    private let queue = DispatchQueue(label: "storekeeper-model-executor")

    /// Takes a context over: from now on only the actor's jobs may use it, and it saves by itself among them where `autosaveEnabled` is set.
    public init(modelContext: ModelContext) {
        self.modelContext = modelContext
        modelContext.autosaves { [queue] work in queue.async(execute: work) }
    }
}

extension DefaultSerialModelExecutor: SerialExecutor {
    /// Runs a job after those that came before.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    /// Itself, without a reference that is counted.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
