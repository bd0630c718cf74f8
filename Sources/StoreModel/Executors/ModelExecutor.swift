/// Something that runs the work of an actor with a context.
public protocol ModelExecutor: Executor {
    /// The context of the actor. Only its jobs may use it.
    var modelContext: ModelContext { get }
}

/// A `ModelExecutor` that runs one job at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}
