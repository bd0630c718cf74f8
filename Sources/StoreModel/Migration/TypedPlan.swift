import StoreMigration
import StoreShared

/// A plan of model versions as the engine knows it, and which of its versions a container is for.
struct TypedPlan {
    let plan: MigrationPlan

    /// - Parameters:
    ///   - mapping: the container's schema. Without a plan it is the only version.
    ///   - type: the plan; its versions are told apart by their fingerprints, whatever their numbers are.
    /// - Throws: `StoreError.planRefused` for a plan that contradicts itself, or that does not have the container's schema.
    init(_ mapping: SchemaMapping, _ type: (any SchemaMigrationPlan.Type)?) throws {
        guard let type else {
            plan = try MigrationPlan(
                versions: [mapping.snapshot()], renamesInPlace: [mapping.schema.version.number: VersionRenames.inPlace(mapping)],
                initialValuesInPlace: [mapping.schema.version.number: SchemaStatements.initialValues(mapping)], infersStages: true)
            return
        }
        let versions = try type.schemas.map { schema in
            let mapping = try Schema(versionedSchema: schema).mapping()
            return PlanVersion(mapping: mapping, snapshot: try mapping.snapshot(), type: schema)
        }
        let wanted = try mapping.snapshot()
        let sorted = versions.sorted { $0.snapshot.version < $1.snapshot.version }
        let stages = type.stages.isEmpty ? Self.inferred(sorted) : type.stages
        let planned = try stages.map { try PlanStage($0, versions).planned() }
        let renames = sorted.map { ($0.snapshot.version, VersionRenames.inPlace($0.mapping)) }
        let initialValues = sorted.map { ($0.snapshot.version, SchemaStatements.initialValues($0.mapping)) }
        guard let target = versions.first(where: { $0.snapshot.fingerprint == wanted.fingerprint }) else {
            // What contradicts itself is said first.
            _ = try MigrationPlan(versions: versions.map(\.snapshot), stages: planned)
            throw StoreError(
                .planRefused, "the plan \(type) has no version with the models of the container",
                remedy: "give the container the models of one of its versions, usually the last")
        }
        plan = try MigrationPlan(
            versions: versions.map(\.snapshot), stages: planned, target: target.snapshot.version,
            renamesInPlace: Dictionary(renames, uniquingKeysWith: { first, _ in first }),
            initialValuesInPlace: Dictionary(initialValues, uniquingKeysWith: { first, _ in first }))
    }

    /// A plan without stages goes from each version to the next by inference.
    private static func inferred(_ versions: [PlanVersion]) -> [MigrationStage] {
        zip(versions, versions.dropFirst()).map { .lightweight(fromVersion: $0.type, toVersion: $1.type) }
    }
}

/// One version of a plan.
struct PlanVersion {
    let mapping: SchemaMapping
    let snapshot: SchemaSnapshot
    let type: any VersionedSchema.Type
}
