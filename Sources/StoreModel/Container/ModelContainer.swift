import Foundation
import StoreOwner
import StoreShared
import StoreSQLite

/// The stores of a schema, each opened in one role: owner, reader, or in memory.
public class ModelContainer: Equatable, @unchecked Sendable {
    // Unchecked: its storages look after themselves, and its main context belongs to the main actor.
    /// The models of all stores.
    public final let schema: Schema
    /// The plan that it was opened with.
    public final let migrationPlan: (any SchemaMigrationPlan.Type)?
    /// What it was opened with: one for each store of this library.
    public var configurations: Set<ModelConfiguration>
    final let stores: [ContainerStore]
    @MainActor private var madeMainContext: ModelContext?

    /// Opens stores for these models and all that they relate to; as the form with a list of configurations.
    public convenience init(
        for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
    }

    /// As the form with a list of configurations.
    public convenience init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
    ) throws {
        try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Opens the store of each configuration, or the default one.
    ///
    /// With several configurations, each model lies in the store of the configuration whose schema has it, and those that none has in that of
    /// the one without a schema. Models of two stores cannot be related, and each store is saved in a transaction of its own.
    ///
    /// - Throws: `StoreError` for what the store, the plan or another owner stands in the way with, and `SwiftDataError` for
    ///   a schema that cannot be stored. `catch SwiftDataError.loadIssueModelContainer` takes all of them. A refusal changes nothing.
    public convenience init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
    ) throws {
        try self.init(givenSchema, migrationPlan, configurations, owner: OwnerOptions(), reader: ReaderOptions())
    }

    /// Opens a store as its owner, with what an owner can be told: to wait for another one, to report progress, to be stopped.
    public convenience init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration],
        owner: OwnerOptions
    ) throws {
        try self.init(givenSchema, migrationPlan, configurations, owner: owner, reader: ReaderOptions())
    }

    /// Opens a store as a reader, with what a reader can be told: to wait until the store is ready for it.
    public convenience init(for givenSchema: Schema, configurations: [ModelConfiguration], reader: ReaderOptions) throws {
        try self.init(givenSchema, nil, configurations, owner: OwnerOptions(), reader: reader)
    }

    /// Opens stores of any kind, those that the program brings among them.
    public convenience init(for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...) throws {
        try self.init(for: Schema(forTypes), configurations: configurations)
    }

    /// Opens stores of any kind, those that the program brings among them.
    ///
    /// - Throws: what the store of each configuration throws; `SwiftDataError` for configurations that contradict each other.
    public convenience init(for givenSchema: Schema, configurations: [any DataStoreConfiguration]) throws {
        let own = configurations.compactMap { $0 as? ModelConfiguration }
        guard own.count < configurations.count else {
            try self.init(for: givenSchema, configurations: own)
            return
        }
        // Places by number: what tells configurations of other stores apart is theirs to say.
        let named = configurations.map { configuration in
            ModelConfiguration(configuration.name, schema: configuration.schema, isStoredInMemoryOnly: true)
        }
        let parts = try SchemaParts(givenSchema, named, hasPlan: false).parts
        let stores = try zip(configurations, parts).map { configuration, part in
            if let own = configuration as? ModelConfiguration {
                return try ModelContainer(part, nil, [own], owner: OwnerOptions(), reader: ReaderOptions()).stores[0]
            }
            var configuration = configuration
            configuration.schema = part
            let mapping = try part.mapping()
            let storage = try CustomStorage(configuration.engine(), mapping)
            return ContainerStore(name: configuration.name, storage: storage, layout: StoreLayout(mapping))
        }
        self.init(schema: givenSchema, plan: nil, configurations: Set(own), stores: stores)
    }

    convenience init(
        _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, _ configurations: [ModelConfiguration], owner: OwnerOptions,
        reader: ReaderOptions
    ) throws {
        let configurations = configurations.isEmpty ? [ModelConfiguration()] : configurations
        let parts = try SchemaParts(schema, configurations, hasPlan: plan != nil).parts
        let stores = try zip(configurations, parts).map { configuration, part in
            let mapping = try part.mapping()
            let opening = StorageOpening(configuration, mapping, plan)
            // Before a reader waits: whoever is woken has nothing left to do that does not need the store.
            let layout = StoreLayout(mapping)
            let storage: any ModelStorage =
                if configuration.isStoredInMemoryOnly {
                    try opening.inMemory()
                } else if configuration.allowsSave {
                    try opening.owner(owner)
                } else {
                    try opening.reader(reader)
                }
            return ContainerStore(name: configuration.name, storage: storage, layout: layout)
        }
        self.init(schema: schema, plan: plan, configurations: Set(configurations), stores: stores)
    }

    init(schema: Schema, plan: (any SchemaMigrationPlan.Type)?, configurations: Set<ModelConfiguration>, stores: [ContainerStore]) {
        self.schema = schema
        migrationPlan = plan
        self.configurations = configurations
        self.stores = stores
    }

    /// A container over a storage that is open already.
    convenience init(storage: any ModelStorage, layout: StoreLayout) {
        self.init(
            schema: layout.mapping.schema, plan: nil, configurations: [],
            stores: [ContainerStore(name: "default", storage: storage, layout: layout)])
    }

    /// Gives the stores back: an owner publishes that it leaves, unless another container of the process shares it.
    ///
    /// Contexts of the container throw from then on. Without it, the stores are given back with the last reference.
    public func close() { stores.forEach { $0.storage.close() } }

    /// What its connections did so far: statements compiled, steps and runs, for those who count instead of measuring.
    package var statementCounts: StatementCounts { stores[0].storage.statementCounts }

    /// The context for the main actor, made on first use. It saves by itself some time after a change.
    @MainActor
    public var mainContext: ModelContext {
        if let madeMainContext { return madeMainContext }
        let made = ModelContext(self)
        made.autosaveEnabled = true
        made.autosaves { work in Task { @MainActor in work() } }
        madeMainContext = made
        return made
    }

    public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left === right }

    // MARK: Stores

    /// The identifier of the store of a configuration; nil where there is no such configuration.
    public func storeIdentifier(forConfigurationNamed name: String) -> String? {
        stores.first { $0.name == name }?.storage.storeIdentifier
    }

    /// The name of the configuration of a store; nil where the container has no such store.
    public func configurationName(forStoreIdentifier id: String) -> String? {
        stores.first { $0.storage.storeIdentifier == id }?.name
    }

    // MARK: Erasing

    /// Deletes every model of every store, in one transaction a store. The stores stay open, and so do their histories.
    ///
    /// SwiftData removes the files. A store that several processes have open keeps its file: whoever reads it goes on reading it.
    public func erase() throws {
        let context = ModelContext(self)
        for core in context.cores {
            try core.eraseAll()
        }
    }

    /// As `erase`, without a word of what fails.
    @available(*, deprecated, message: "Use erase() instead.")
    public func deleteAllData() { try? erase() }
}
