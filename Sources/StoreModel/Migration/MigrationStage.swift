/// One step of a plan, from one version to the next.
public enum MigrationStage: Sendable {
    /// Inferred from the two versions.
    case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)
    /// Inferred, with code on the old version before and on the new one after. Both save what they change.
    @preconcurrency case custom(
        fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type,
        willMigrate: (@Sendable (ModelContext) throws -> Void)?, didMigrate: (@Sendable (ModelContext) throws -> Void)?)

    /// A stage whose code reads the old rows and writes the new ones, both at once.
    ///
    /// Before `body` runs, every row whose values convert without loss has been copied, under the same identity; `body` does
    /// the rest. Both contexts save by themselves, and let go of their models every few hundred.
    ///
    /// It is a `custom` stage to whoever switches over stages; only a plan can run it.
    ///
    /// - Parameters:
    ///   - rewriting: models of the new version whose rows are not copied: they have those that `body` inserts.
    ///   - body: gets the old version, which can only be read, and the new one.
    public static func mapped(
        fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type, rewriting: [any PersistentModel.Type] = [],
        _ body: @escaping @Sendable (_ old: ModelContext, _ new: ModelContext) throws -> Void
    ) -> MigrationStage {
        MappedWork(rewriting: rewriting, body: body).stage(from: fromVersion, to: toVersion)
    }

    var fromVersion: any VersionedSchema.Type {
        let version =
            switch self {
            case .lightweight(let from, _), .custom(let from, _, _, _): from
            }
        return (version as? any MappedVersion.Type)?.base ?? version
    }

    var toVersion: any VersionedSchema.Type {
        switch self {
        case .lightweight(_, let to), .custom(_, let to, _, _): to
        }
    }

    /// What a stage made by `mapped` does; nil for every other.
    var mappedWork: MappedWork? {
        guard case .custom(let from, _, _, let didMigrate?) = self, from is any MappedVersion.Type else { return nil }
        let nothing = ModelContext(ModelContainer(schema: Schema(), plan: nil, configurations: [], stores: []))
        do {
            try didMigrate(nothing)
            return nil
        } catch {
            return error as? MappedWork
        }
    }
}
