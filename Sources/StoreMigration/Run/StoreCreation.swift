import StoreShared
import StoreSQLite

/// Makes a store directly at the target of a plan.
struct StoreCreation {
    let connection: Connection
    let location: StoreLocation
    let plan: MigrationPlan
    let progress: MigrationProgress

    /// - Parameter recordGeneration: the generation of the believed record, 0 without one.
    /// - Throws: `StoreError.misuse` when the database is not empty; what the seed throws. Nothing was changed then.
    func make(epoch: Int64, owner: String, recordGeneration: Int64) throws -> StoreMetadata {
        let started = Timestamp.now
        let target = plan.target
        return try connection.writing {
            guard case .empty = try PlanJudgement.judge(connection, for: plan) else {
                throw StoreError(.misuse, "\(location.store) is no empty file", remedy: "migrate it instead", path: location.store)
            }
            for statement in StoreMetadata.createStatements + target.statements { try connection.run(statement) }
            if let seed = plan.seeds[target.version] {
                let context = StageContext(connection: connection, snapshot: target, progress: progress)
                try StageGuard.guarding(connection) { try seed(context) }
                connection.finalizeStatements()
            }
            let metadata = StoreMetadata(
                storeID: try StoreMetadata.newStoreID(), frontEnd: target.frontEnd.rawValue, version: target.version,
                fingerprint: target.fingerprint, shape: target.shape, readableBy: try readersOfNewStore(), epoch: epoch,
                generation: try StoreMetadata.generation(above: recordGeneration, of: location.store))
            try metadata.write(connection)
            try target.stored.write(connection)
            try keepStepsBack()
            try HistoryEntry(
                from: nil, to: target.version, outcome: .created, startedAt: started, seconds: started.seconds(), rows: 0,
                epoch: epoch, owner: owner, fingerprintAfter: target.fingerprint
            ).insert(connection)
            return metadata
        }
    }

    /// Keeps the plan's steps back in a store that is made at the target, as if it had come there stage by stage.
    private func keepStepsBack() throws {
        for stage in plan.stages where stage.to <= plan.target.version {
            guard let step = stage.reverse, let older = plan.snapshot(stage.from), let newer = plan.snapshot(stage.to) else { continue }
            for snapshot in [older, newer] { try snapshot.stored.write(connection) }
            try step.keep(from: newer.identity, to: older.identity, connection)
        }
    }

    /// Whose readers may read a store that is made at the target: those who could read on if it had come there stage by stage.
    private func readersOfNewStore() throws -> [SchemaIdentity] {
        guard var version = plan.versions.first(where: { plan.path(from: $0.version) != nil }) else { return [plan.target.identity] }
        var readers = [version.identity]
        for stage in plan.path(from: version.version) ?? [] {
            guard let next = plan.snapshot(stage.to) else { break }
            let run = StageRun(
                connection: connection, stage: stage, old: version, new: next, losses: stage.losses, progress: progress)
            do {
                readers = try stage.batches == nil ? run.readers(readers, from: version.schema) : stage.statedReaders(readers)
            } catch is MigrationRefusal {
                // A stage that no store can take leaves no readers of the versions before it.
                readers = []
            }
            readers.append(next.identity)
            version = next
        }
        return readers
    }
}
