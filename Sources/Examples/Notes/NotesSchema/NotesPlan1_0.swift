import Storekeeper

/// What the first release knows: one version, and nothing to migrate from.
public enum NotesPlan1_0: SchemaMigrationPlan {
    public static var schemas: [any VersionedSchema.Type] { [NotesVersion1_0.self] }
    public static var stages: [MigrationStage] { [] }
}
