/// What one transaction of a migration holds.
public enum MigrationAtomicity: Sendable {
    /// The whole plan: after a failure the store is at the version that it had.
    case plan
    /// One stage: after a failure the store is at the version of the last stage that was committed.
    case stage
}

/// How a migration is run.
package struct MigrationOptions: Sendable {
    package var atomicity = MigrationAtomicity.plan
    /// How many backups made before migrations are kept; nil makes none.
    package var backupsKept: Int? = 3
    /// Allows every stage to lose data that its plan does not already allow to.
    package var allowsLoss = false
    /// How long to pause between the batches of a batched stage.
    package var batchPause: Duration = .zero
    /// Whether somebody uses the version that the store has while it is migrated: another container of the same process.
    package var isInUse = false

    /// Whether the owner still holds the lock that its path names; asked in each transaction, under the write lock of SQLite.
    package var stillOwns: @Sendable () -> Bool = { true }

    package init() {}
}
