import Foundation

/// Which models of a schema lie in the store of which configuration.
struct SchemaParts {
    /// One schema for each configuration, in their order.
    let parts: [Schema]

    /// - Throws: `SwiftDataError.duplicateConfiguration` for two configurations of one place or with one model,
    ///   `.configurationSchemaNotFoundInContainerSchema` for one with models that the container does not have.
    init(_ schema: Schema, _ configurations: [ModelConfiguration], hasPlan: Bool) throws {
        try configurations.forEach { try $0.validate() }
        for configuration in configurations { try Self.check(configuration, isPartOf: schema) }
        guard configurations.count > 1 else {
            // The one store has everything, also what its configuration does not name.
            parts = configurations.map { _ in schema }
            return
        }
        try Self.checkDistinct(configurations)
        guard !hasPlan else {
            throw SwiftDataError.load(
                "a migration plan is for one store, but \(configurations.count) configurations were given",
                remedy: "open a container with the plan for each store that it migrates")
        }
        var owners: [ObjectIdentifier: String] = [:]
        var rest: ModelConfiguration?
        for configuration in configurations {
            guard let own = configuration.schema else {
                if let other = rest {
                    throw SwiftDataError(
                        .duplicateConfiguration, "the configurations \(other.name) and \(configuration.name) both have no schema",
                        remedy: "say in each which models lie in its store")
                }
                rest = configuration
                continue
            }
            for type in own.types {
                guard let other = owners.updateValue(configuration.name, forKey: ObjectIdentifier(type)) else { continue }
                throw SwiftDataError(
                    .duplicateConfiguration,
                    "\(SchemaBuilder.name(type)) would lie in the stores of \(other) and of \(configuration.name)",
                    remedy: "name it in one of them, together with all models that it is related to")
            }
        }
        if let type = schema.types.first(where: { owners[ObjectIdentifier($0)] == nil }), rest == nil {
            throw SwiftDataError.load(
                "\(SchemaBuilder.name(type)) lies in the store of no configuration", remedy: "name it in the schema of one of them")
        }
        let unclaimed = schema.types.filter { owners[ObjectIdentifier($0)] == nil }
        parts = configurations.map { Schema($0.schema?.types ?? unclaimed, version: schema.version) }
        if let type = rest.map({ _ in Schema(unclaimed).types.first { owners[ObjectIdentifier($0)] != nil } }) ?? nil {
            throw SwiftDataError.load(
                "\(SchemaBuilder.name(type)) lies in the store of \(owners[ObjectIdentifier(type)] ?? ""), but a model of another store is "
                    + "related to it",
                remedy: "keep related models in one store")
        }
    }

    private static func check(_ configuration: ModelConfiguration, isPartOf schema: Schema) throws {
        guard let own = configuration.schema else { return }
        let known = Set(schema.types.map { ObjectIdentifier($0) })
        guard let type = own.types.first(where: { !known.contains(ObjectIdentifier($0)) }) else { return }
        throw SwiftDataError(
            .configurationSchemaNotFoundInContainerSchema,
            "the configuration \(configuration.name) has the model \(SchemaBuilder.name(type)), which the container's schema does not have",
            remedy: "add it to the container's schema")
    }

    private static func checkDistinct(_ configurations: [ModelConfiguration]) throws {
        var names: Set<String> = []
        var places: Set<URL> = []
        for configuration in configurations {
            let isNew = configuration.isStoredInMemoryOnly || places.insert(configuration.url.standardizedFileURL).inserted
            guard !isNew || (!names.insert(configuration.name).inserted && !configuration.isStoredInMemoryOnly) else { continue }
            throw SwiftDataError(
                .duplicateConfiguration, "two configurations are called \(configuration.name), or are for \(configuration.url.path)",
                remedy: "give each a name and a place of its own")
        }
    }
}
