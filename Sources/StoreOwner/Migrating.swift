import StoreMigration
import StoreSQLite
import StoreShared

/// One run of a plan by an owner: published before, while and after.
struct Migrating {
    let location: StoreLocation
    let plan: MigrationPlan
    let options: OwnerOptions
    let publication: Publication
    let server: OwnerServer
    let housekeeper: Housekeeper
    /// Whether this process uses the version that the store has.
    var isInUse = false

    /// Brings the store to the plan's target; nothing happens when it is there.
    ///
    /// - Parameter found: what the store was found to be in the last commit of this owner; nil to look now.
    /// - Throws: `StoreError` after the store is back at its previous version and the reason is published.
    func run(_ connection: Connection, found: PlanJudgement? = nil) throws {
        let before = publication.metadata
        let judgement = try found ?? connection.reading { try PlanJudgement.judge(connection, for: plan) }
        guard case .behind(_, let path) = judgement else { return }
        if isInUse { OwnerState.serving.note(.planGiven) } else { OwnerState.opening.note(.storeBehind) }
        publication.note { record in
            record.state = .migrating
            record.target = plan.target.version
            record.stages = path.count
            record.stage = path.isEmpty ? nil : 1
            record.stageName = path.first?.name
            record.rowsDone = nil
            record.rowsTotal = nil
            record.migrationStarted = .now
            record.reason = nil
        }
        do {
            try publication.publish { _ in }
        } catch {
            try fail(error)
        }
        server.broadcast(.progress)
        options.tell(.migrating(from: before.version, to: plan.target.version, stages: path.count))
        housekeeper.wake()
        // A commit whose log is copied at once is seen by readers long before it returns; here it is published first, and copied after.
        let isOneCommit = options.atomicity == .plan && !path.contains { $0.batches != nil }
        defer { if isOneCommit { WritingConnection.setCheckpointing(connection, true) } }
        let metadata: StoreMetadata
        do {
            if isOneCommit { WritingConnection.setCheckpointing(connection, false) }
            #if STORE_FAULTS
            if Planted.publishBeforeCommit.isOrdered { try publishEarly() }
            #endif
            metadata = try runPlan(connection)
        } catch {
            try fail(error)
        }
        connection.generation = metadata.generation
        publication.adopt(metadata)
        publishReady()
    }

    private func runPlan(_ connection: Connection) throws -> StoreMetadata {
        var migrationOptions = MigrationOptions()
        migrationOptions.atomicity = options.atomicity
        migrationOptions.stillOwns = { [publication] in publication.holdsLock }
        migrationOptions.backupsKept = options.backupsKept
        migrationOptions.allowsLoss = options.allowsLoss
        migrationOptions.batchPause = options.batchPause
        migrationOptions.isInUse = isInUse
        let cancellation = options.cancellation ?? Cancellation()
        let draining = Draining(location: location, publication: publication, server: server, patience: options.drain)
        defer { draining.end() }
        let runner = MigrationRunner(
            connection: connection, location: location, plan: plan, options: migrationOptions, cancellation: cancellation,
            observer: { observe($0, draining) }
        )
        let interrupter = connection.interrupter
        let ending = Ending(status: options.exitStatusWhenStuck)
        return try cancellation.handling {
            interrupter.interrupt()
            ending.begin()
        } _: {
            defer { ending.isOver() }
            return try runner.run(
                epoch: publication.metadata.epoch, owner: OwnerOpening.description, recordGeneration: publication.record.generation,
                excluding: draining.excluding)
        }
    }

    private func observe(_ event: MigrationEvent, _ draining: Draining) {
        switch event {
        case .stage(let index, let count, let name, _, _):
            publication.note { record in
                record.stage = index
                record.stages = count
                record.stageName = name
                record.rowsDone = 0
                record.rowsTotal = nil
            }
            options.tell(.stage(number: index, of: count, name: name))
        case .progress(let rowsDone, let rowsTotal):
            publication.note { record in
                record.rowsDone = rowsDone
                record.rowsTotal = rowsTotal
            }
            let record = publication.record
            options.tell(.progress(stage: record.stage ?? 1, of: record.stages ?? 1, rowsDone: rowsDone, rowsTotal: rowsTotal))
        case .committed(let metadata):
            OwnerState.migrating.note(metadata.identity == plan.target.identity ? .committed : .partCommitted)
            publication.adopt(metadata)
            // At once: a record of an older generation is not believed. One that is at the target is on its way no longer: an owner that
            // is killed now was not cut off.
            let hasArrived = metadata.identity == plan.target.identity && metadata.target == nil
            try? publication.publish { if hasArrived { $0.settle() } }
            draining.end()
        case .warning(let text):
            options.tell(.warning(text))
        case .backup, .heartbeat:
            publication.note { _ in }
            options.tell(.working)
        }
    }

    /// Publishes what the store is now, tells everybody, and goes on serving.
    func publishReady() {
        let metadata = publication.metadata
        do {
            try publication.publish { $0.settle() }
            OwnerState.publishing.note(.recordWritten)
        } catch {
            // The store is there, and the socket says so; the housekeeper writes the record as soon as it can be written.
            OwnerState.publishing.note(.recordRefused)
        }
        options.tell(.published(version: metadata.version, generation: metadata.generation))
        server.broadcast(.published)
        housekeeper.wake()
    }

    #if STORE_FAULTS
    /// The planted mistake: says what is not so yet.
    private func publishEarly() throws {
        try publication.publish { record in
            record.version = plan.target.version
            record.fingerprint = plan.target.fingerprint
            record.generation += 1
        }
    }
    #endif

    /// Publishes why it failed, and throws it on.
    private func fail(_ error: any Error) throws -> Never {
        let error = StoreError.migration(error, of: location, to: plan.target.version)
        OwnerState.migrating.note(error.code == .cancelled ? .cancelled : error.code == .fenced ? .fenced : .failed)
        if error.code == .cancelled || error.code == .fenced {
            // The owner goes on serving what the store still is, or leaves and says so; one that was superseded has nothing to say.
            publication.note { $0.settle() }
            housekeeper.wake()
        } else {
            try? publication.publish { record in
                record.state = .failed
                record.reason = error.description
            }
            server.broadcast(.failed)
            options.tell(.failed(reason: error.description))
            if isInUse { OwnerState.failed.note(.wentOn) }
        }
        throw error
    }
}

extension PublishedRecord {
    /// Nothing is on its way any more: the store is what its version says.
    mutating func settle() {
        state = .ready
        (target, stage, stages, stageName) = (nil, nil, nil, nil)
        (rowsDone, rowsTotal, migrationStarted, reason) = (nil, nil, nil, nil)
    }
}

extension StoreError {
    /// What became of a migration, whatever was thrown in it.
    static func migration(_ error: any Error, of location: StoreLocation, to target: SchemaVersion) -> StoreError {
        if let error = error as? StoreError { return error }
        return StoreError(
            .migrationFailed, "the migration of \(location.store) to \(target) failed and was undone",
            remedy: "correct what the cause names, then start the owner again", path: location.store, cause: error, wantedVersion: target)
    }
}
