import Dispatch

/// Runs the work of a model actor on a queue of its own, never on the thread that made the actor.
// Unchecked: after the initialiser the context is used by the jobs of the queue only, one at a time.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
    public final let modelContext: ModelContext
    private let queue = DispatchQueue(label: "storekeeper-model-executor")

    public init(modelContext: ModelContext) {
        self.modelContext = modelContext
        modelContext.autosaves { [queue] work in queue.async(execute: work) }
    }
}

extension DefaultSerialModelExecutor: SerialExecutor {
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
