/// Something that runs the work of an actor with a context.
public protocol ModelExecutor: Executor {
    var modelContext: ModelContext { get }
}

/// A `ModelExecutor` that runs one job at a time.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}
