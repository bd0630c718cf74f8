import Foundation
import StoreMigration
import StoreOwner
import StoreReader
import StoreShared

/// Opens what a configuration names, in the role that it says.
struct StorageOpening {
    private let configuration: ModelConfiguration
    private let mapping: SchemaMapping
    private let plan: (any SchemaMigrationPlan.Type)?

    init(_ configuration: ModelConfiguration, _ mapping: SchemaMapping, _ plan: (any SchemaMigrationPlan.Type)?) {
        self.configuration = configuration
        self.mapping = mapping
        self.plan = plan
    }

    /// The plan is checked here too: a mistake in it shows in tests in memory.
    func inMemory() throws -> InMemoryStorage {
        let target = try TypedPlan(mapping, plan).plan.target
        return try InMemoryStorage(
            statements: target.statements, allowsSave: configuration.allowsSave, retention: configuration.historyRetention)
    }

    func owner(_ options: OwnerOptions) throws -> OwnerStorage {
        let plan = try TypedPlan(mapping, plan).plan
        try configuration.makeDefaultFolder()
        let location = try StoreLocation(path: configuration.path())
        let owner = try StoreOwner.shared(at: location, plan: plan, options: options)
        return OwnerStorage(owner, identity: plan.target.identity, retention: configuration.historyRetention)
    }

    /// A reader never migrates; a plan that it is given is checked and tells what it was built for.
    func reader(_ options: ReaderOptions) throws -> ReaderStorage {
        let identity = try TypedPlan(mapping, plan).plan.target.identity
        let reader = try StoreReader.open(
            at: configuration.path(), identity: identity, wait: options.wait, cancellation: options.cancellation,
            onProgress: options.onProgress)
        return ReaderStorage(reader, budget: options.readBudget)
    }
}
