import StoreShared

extension MigrationRunner {
    /// Makes an empty store at the plan's target: schema, metadata and history in one transaction.
    package func create(epoch: Int64, owner: String) throws -> StoreMetadata {
        throw StoreError(.planRefused, "the runner is not there yet")
    }

    /// Brings the store to the plan's target.
    package func run(epoch: Int64, owner: String, recordGeneration: Int64?) throws -> StoreMetadata {
        throw StoreError(.planRefused, "the runner is not there yet")
    }
}
