import StoreOwner
import StoreShared

extension ModelContainer {
    /// Opens stores as the initialiser does, on a thread of its own: a migration, or the wait for one, may take long.
    ///
    /// Cancelling the task stops a migration and undoes it, and ends a wait.
    ///
    /// - Parameters:
    ///   - owner: of stores that are opened to save; `onEvent` tells of progress.
    ///   - reader: of those that are opened to read; `onProgress` tells what they wait for.
    /// - Throws: what the initialiser throws; `StoreError.cancelled`.
    public static func open(
        for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration] = [],
        owner: OwnerOptions = OwnerOptions(), reader: ReaderOptions = ReaderOptions()
    ) async throws -> ModelContainer {
        let cancellation = Cancellation()
        // What the caller can cancel ends it too.
        let asked = [owner.cancellation, reader.cancellation].compactMap { $0 }
        var (owner, reader) = (owner, reader)
        owner.cancellation = owner.cancellation ?? cancellation
        reader.cancellation = reader.cancellation ?? cancellation
        let options = (owner, reader)
        return try await withTaskCancellationHandler {
            try await onOwnThread("storekeeper-open") {
                try ModelContainer(schema, migrationPlan, configurations, owner: options.0, reader: options.1)
            }
        } onCancel: {
            for one in asked + [cancellation] { one.cancel() }
        }
    }
}
