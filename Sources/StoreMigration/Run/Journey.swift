import StoreShared
import StoreSQLite

/// A store on its way to the target of a plan: what it is, the snapshots that it passes, and the stages between them.
struct Journey {
    let metadata: StoreMetadata
    let path: [PlannedStage]
    /// One more than stages: the first is the store's own. Each holds what an adoption tolerates beyond the plan.
    let snapshots: [SchemaSnapshot]

    /// Whether the first stage's schema has been changed, and its batches are to be gone on with.
    var isPending: Bool { metadata.target != nil }

    /// Judges the store within the transaction of the caller.
    ///
    /// - Returns: nil when there is nothing to do.
    /// - Throws: `StoreError`, as judging does; `.absent` for an empty database.
    static func find(_ connection: Connection, _ plan: MigrationPlan) throws -> Journey? {
        switch try PlanJudgement.judge(connection, for: plan) {
        case .upToDate:
            return nil
        case .empty:
            throw StoreError(.absent, "\(connection.path) holds no store", remedy: "create it first", path: connection.path)
        case .behind(let metadata, let path):
            let own =
                try plan.snapshot(metadata.fingerprint) ?? StoredSchema.read(connection, metadata.identity).flatMap(SchemaSnapshot.init)
            guard let own else {
                throw StoreError(
                    .drifted, "\(connection.path) does not hold the schema of its version \(metadata.version)",
                    remedy: "restore a backup", path: connection.path, storeVersion: metadata.version)
            }
            var tolerated = try ToleratedObjects(metadata)
            var snapshots = [try own.tolerating(tolerated)]
            for stage in path {
                guard let snapshot = plan.snapshot(stage.to) else {
                    throw StoreError(.planRefused, "the plan has no version \(stage.to)", remedy: "add it")
                }
                tolerated = tolerated.after(stage)
                snapshots.append(try snapshot.tolerating(tolerated))
            }
            return Journey(metadata: metadata, path: path, snapshots: snapshots)
        }
    }
}
