import Foundation
import StoreMigration
import Synchronization

/// A store with a schema, opened in one role: owner, reader, or in memory.
public class ModelContainer: Equatable, @unchecked Sendable {
    // Unchecked: what can change is behind `state`; the storages look after themselves.
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
    /// - Throws: `SwiftDataError` with the cause: a plan that contradicts itself, a store that is newer than the plan or
    ///   unknown to it, another owner, a migration that failed. Nothing is changed by a refusal.
    public init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
    ) throws {
        guard configurations.count <= 1, let configuration = configurations.first ?? ModelConfiguration() as ModelConfiguration? else {
            throw SwiftDataError(
                .duplicateConfiguration, "a container has one store, but \(configurations.count) configurations were given",
                remedy: "open one container for each store")
        }
        schema = givenSchema
        self.migrationPlan = migrationPlan
        self.configurations = [configuration]
        let mapping = try givenSchema.mapping()
        layout = StoreLayout(mapping)
        storage = try Self.open(configuration, mapping, migrationPlan)
    }

    /// A container over a storage that is open already.
    init(storage: any ModelStorage, layout: StoreLayout) {
        schema = layout.mapping.schema
        migrationPlan = nil
        configurations = []
        self.storage = storage
        self.layout = layout
    }

    private static func open(
        _ configuration: ModelConfiguration, _ mapping: SchemaMapping, _ plan: (any SchemaMigrationPlan.Type)?
    ) throws -> any ModelStorage {
        if configuration.isStoredInMemoryOnly {
            return try InMemoryStorage(statements: SchemaStatements(mapping).statements, allowsSave: configuration.allowsSave)
        }
        throw SwiftDataError.load("stores in files are not there yet", remedy: "")
    }

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
