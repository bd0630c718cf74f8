import StoreShared

/// What a migration reports while it runs, on the thread that runs it.
package enum MigrationEvent: Sendable {
    /// Pages of the backup that are copied.
    case backup(pagesDone: Int, pagesTotal: Int)
    /// A stage begins; `index` counts from 1.
    case stage(index: Int, count: Int, name: String, from: SchemaVersion, to: SchemaVersion)
    /// Rows of this stage that are copied or handled. The total is an estimate that only grows.
    case progress(rowsDone: Int64, rowsTotal: Int64)
    /// What the store is after a commit: a stage is done, or its batches are to come.
    case committed(StoreMetadata)
    /// What a person should know, and that stops nothing.
    case warning(String)
    /// Nothing to count, but it is alive: at least every second.
    case heartbeat
}
