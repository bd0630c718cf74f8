import StoreSQLite
import StoreShared

/// The way back to an earlier version, from what the store itself keeps: no plan is needed.
package enum StoredReverse {
    private typealias Step = (older: SchemaIdentity, step: ReverseStep)

    /// A plan that leads back, made of the schemas and the steps that the store remembers; within the transaction of the caller.
    ///
    /// - Returns: nil when the store is at that version.
    /// - Throws: `StoreError.planRefused` naming the step that is missing; `.foreign` for what is no store.
    package static func plan(_ connection: Connection, to version: SchemaVersion) throws -> MigrationPlan? {
        let path = connection.path
        guard let metadata = try StoreMetadata.read(connection) else {
            throw StoreError(.foreign, "\(path) is no store of Storekeeper", remedy: "check the path", path: path)
        }
        if metadata.version == version, metadata.target == nil { return nil }
        func refused(_ message: String, _ remedy: String) -> StoreError {
            StoreError(.planRefused, message, remedy: remedy, path: path, storeVersion: metadata.version, wantedVersion: version)
        }
        if let target = metadata.target {
            throw refused(
                "\(path) is on its way from \(metadata.version) to \(target.version), in batches, and nothing leads back from there",
                "start an owner built for \(target.version), which goes on with them, then go back; or restore a backup")
        }
        guard version < metadata.version else {
            throw refused("\(path) is at \(metadata.version), which is before \(version)", "start an owner built for \(version)")
        }
        guard let steps = try steps(connection, from: metadata.identity, to: version) else {
            let names = try ReverseStep.kept(from: metadata.identity, connection).map(\.older.version.description)
            let known = names.isEmpty ? "" : "; it keeps steps back to \(names.joined(separator: ", "))"
            throw refused(
                "\(path) keeps no steps that lead back from \(metadata.version) to \(version)\(known)",
                "restore a backup, or bring it back with a plan that has reverse.sql")
        }
        let snapshots = try ([metadata.identity] + steps.map(\.older)).map { identity in
            guard let stored = try StoredSchema.read(connection, identity), let snapshot = try SchemaSnapshot(stored),
                snapshot.identity == identity
            else { throw refused("\(path) does not remember the schema of \(identity.version)", "restore a backup") }
            return snapshot
        }
        let stages = steps.indices.map { index in
            PlannedStage(from: snapshots[index + 1].version, to: snapshots[index].version, reverse: steps[index].step)
        }
        return try MigrationPlan(versions: snapshots, stages: stages, target: version, allowsReverse: true)
    }

    /// The fewest steps, from the newest version on.
    private static func steps(_ connection: Connection, from newest: SchemaIdentity, to version: SchemaVersion) throws -> [Step]? {
        var queue: [(at: SchemaIdentity, steps: [Step])] = [(newest, [])]
        var seen: Set<SchemaIdentity> = [newest]
        while !queue.isEmpty {
            let (identity, steps) = queue.removeFirst()
            if identity.version == version { return steps }
            for kept in try ReverseStep.kept(from: identity, connection) where kept.older.version >= version {
                if seen.insert(kept.older).inserted { queue.append((kept.older, steps + [kept])) }
            }
        }
        return nil
    }
}
