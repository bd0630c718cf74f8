/// An actor with a context of its own. `@ModelActor` writes the conformance.
public protocol ModelActor: Actor {
    /// Whose stores the context of the actor reads and writes.
    nonisolated var modelContainer: ModelContainer { get }
    /// What runs the jobs of the actor, and holds its context. It has to be a `SerialModelExecutor`.
    nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
    /// The model executor, which runs the actor's jobs one at a time. An executor that is not serial ends the program: an error in it.
    nonisolated public var unownedExecutor: UnownedSerialExecutor {
        guard let executor = modelExecutor as? any SerialModelExecutor else {
            // An error in the program: an actor runs one job at a time.
            fatalError("\(type(of: modelExecutor)) is no SerialModelExecutor, which an actor's executor has to be")
        }
        return executor.asUnownedSerialExecutor()
    }

    /// The actor's own context.
    public var modelContext: ModelContext { modelExecutor.modelContext }

    /// The model of an identifier, from the actor's context or from the store; nil if there is no such row or it is no `T`.
    public subscript<T>(id: PersistentIdentifier, as as: T.Type) -> T? where T: PersistentModel {
        modelContext.existingModel(for: id) as? T
    }
}
