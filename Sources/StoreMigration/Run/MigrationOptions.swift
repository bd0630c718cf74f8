/// How a migration is run.
package struct MigrationOptions: Sendable {
    package enum Atomicity: Sendable {
        /// The whole plan in one transaction.
        case plan
        /// Each stage in its own.
        case stage
    }

    package var atomicity = Atomicity.plan
    /// How many backups made before migrations are kept; nil makes none.
    package var backupsKept: Int? = 3
    /// Allows every stage to lose data that its plan does not already allow to.
    package var allowsLoss = false
    /// How long to pause between the batches of a batched stage.
    package var batchPause: Duration = .zero
    /// Whether somebody uses the version that the store has while it is migrated: another container of the same process.
    package var isInUse = false

    package init() {}
}
