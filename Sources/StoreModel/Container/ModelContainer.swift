import StoreOwner
import StoreShared
import StoreSQLite

/// A store with a schema, opened in one role: owner, reader, or in memory.
public class ModelContainer: Equatable, @unchecked Sendable {
    // Unchecked: its storage looks after itself, and its main context belongs to the main actor.
    public final let schema: Schema
    public final let migrationPlan: (any SchemaMigrationPlan.Type)?
    public var configurations: Set<ModelConfiguration>
    final let storage: any ModelStorage
    final let layout: StoreLayout
    @MainActor private var madeMainContext: ModelContext?

    public convenience init(
        for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
    }

    public convenience init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
    ) throws {
        try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Opens the store that the configuration names, or the default one.
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

    private init(
        _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, _ configurations: [ModelConfiguration], owner: OwnerOptions,
        reader: ReaderOptions
    ) throws {
        guard configurations.count <= 1 else {
            throw SwiftDataError(
                .duplicateConfiguration, "a container has one store, but \(configurations.count) configurations were given",
                remedy: "open one container for each store")
        }
        let configuration = configurations.first ?? ModelConfiguration()
        self.schema = schema
        migrationPlan = plan
        self.configurations = [configuration]
        let mapping = try schema.mapping()
        layout = StoreLayout(mapping)
        let opening = StorageOpening(configuration, mapping, plan)
        if configuration.isStoredInMemoryOnly {
            storage = try opening.inMemory()
        } else if configuration.allowsSave {
            storage = try opening.owner(owner)
        } else {
            storage = try opening.reader(reader)
        }
    }

    /// A container over a storage that is open already.
    init(storage: any ModelStorage, layout: StoreLayout) {
        schema = layout.mapping.schema
        migrationPlan = nil
        configurations = []
        self.storage = storage
        self.layout = layout
    }

    /// Gives the store back: an owner publishes that it leaves, unless another container of the process shares it.
    ///
    /// Contexts of the container throw from then on. Without it, the store is given back with the last reference.
    public func close() { storage.close() }

    /// What its connections did so far: statements compiled, steps and runs, for those who count instead of measuring.
    package var statementCounts: StatementCounts { storage.statementCounts }

    /// The context for the main actor, made on first use.
    @MainActor
    public var mainContext: ModelContext {
        if let madeMainContext { return madeMainContext }
        let made = ModelContext(self)
        madeMainContext = made
        return made
    }

    public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left === right }
}
