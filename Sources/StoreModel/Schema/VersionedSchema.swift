/// The models of a store at one version.
public protocol VersionedSchema: SendableMetatype {
    /// All models of the version; those that they are related to join by themselves.
    static var models: [any PersistentModel.Type] { get }
    /// Its number. What a store is, its fingerprint decides; the number names it.
    static var versionIdentifier: Schema.Version { get }
}

/// The versions that a program knows, and how a store goes from one to the next.
public protocol SchemaMigrationPlan: SendableMetatype {
    /// The versions, in any order. The store goes to that of the container's schema.
    static var schemas: [any VersionedSchema.Type] { get }
    /// How a store goes from one version to another; none: from each version to the next by inference.
    static var stages: [MigrationStage] { get }
}
