/// What a mapped stage does, inside a stage that looks like a custom one.
///
/// `MigrationStage` has SwiftData's two cases and no third, so that programs may switch over all of them. The version that the stage
/// starts at says that it is mapped, and its closure gives the work away instead of doing any.
struct MappedWork: Error, CustomStringConvertible {
    let rewriting: [any PersistentModel.Type]
    let body: @Sendable (_ old: ModelContext, _ new: ModelContext) throws -> Void

    var description: String { "a mapped stage needs both versions at once: only a plan's container can run it" }

    func stage(from: any VersionedSchema.Type, to: any VersionedSchema.Type) -> MigrationStage {
        func mark<Version: VersionedSchema>(_ version: Version.Type) -> any VersionedSchema.Type { MappedFrom<Version>.self }
        return .custom(fromVersion: mark(from), toVersion: to, willMigrate: nil) { _ in throw self }
    }
}

/// A version that a mapped stage starts at.
protocol MappedVersion: VersionedSchema {
    static var base: any VersionedSchema.Type { get }
}

private enum MappedFrom<Version: VersionedSchema>: MappedVersion {
    static var base: any VersionedSchema.Type { Version.self }
    static var models: [any PersistentModel.Type] { Version.models }
    static var versionIdentifier: Schema.Version { Version.versionIdentifier }
}
