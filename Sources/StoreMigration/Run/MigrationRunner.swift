import StoreShared
import StoreSQLite

/// Brings one store to the target of a plan, for the owner that holds its lock.
///
/// Whatever goes wrong, the store is whole at the version before (or, under `stage` atomicity, at that of the last stage that was
/// committed), and the error says why.
package final class MigrationRunner {
    let connection: Connection
    let location: StoreLocation
    let plan: MigrationPlan
    private let options: MigrationOptions
    let progress: MigrationProgress
    let cancellation: Cancellation
    private let plans = PlannedChanges()

    /// - Parameters:
    ///   - connection: the owner's one writing connection, with no transaction and no unfinished statement.
    ///   - cancellation: stops the migration from another thread.
    ///   - observer: called on the thread that runs the migration, from inside SQLite too: it must not use the connection.
    package init(
        connection: Connection, location: StoreLocation, plan: MigrationPlan, options: MigrationOptions = MigrationOptions(),
        cancellation: Cancellation = Cancellation(), observer: @escaping (MigrationEvent) -> Void = { _ in }
    ) {
        self.connection = connection
        self.location = location
        self.plan = plan
        self.options = options
        self.cancellation = cancellation
        progress = MigrationProgress(cancellation: cancellation, observer: observer)
    }

    /// Makes a store directly at the target of the plan, in one durable commit.
    ///
    /// The plan's seed for that version makes the first rows in the same commit.
    ///
    /// - Parameter recordGeneration: the generation of the believed record, 0 without one.
    /// - Throws: `StoreError.misuse` when the database is not empty, `.cancelled`; nothing was changed then.
    package func create(epoch: Int64, owner: String, recordGeneration: Int64 = 0) throws -> StoreMetadata {
        connection.onProgress(everySteps: 10_000) { [progress] in progress.tick() }
        defer { connection.onProgress(nil) }
        do {
            return try StoreCreation(connection: connection, location: location, plan: plan, progress: progress)
                .make(epoch: epoch, owner: owner, recordGeneration: recordGeneration)
        } catch let error as SQLiteError where cancellation.isCancelled {
            throw StoreError(
                .cancelled, "\(location.store) was not made: the owner was told to stop", remedy: "start it again", path: location.store,
                cause: error)
        }
    }

    // MARK: Preflight

    /// Everything that can be known before the first write, for all stages: reasons to refuse, by object and row.
    ///
    /// - Throws: `StoreError.planRefused` whose cause is a `MigrationRefusal` with every reason. Nothing was changed.
    package func preflight() throws {
        try watching {
            let journey: Journey? = try connection.reading { try Journey.find(connection, plan) }
            if let journey { try translating(journey.path.first) { _ = try preflight(journey) } }
        }
    }

    private func stageRun(_ journey: Journey, _ index: Int) -> StageRun {
        checks(of: journey).stageRun(index, progress)
    }

    private func checks(of journey: Journey) -> Preflight {
        Preflight(
            journey, connection, at: location, losses: options.allowsLoss ? .allowed : nil, withBackup: options.backupsKept != nil,
            isInUse: options.isInUse, plans: plans)
    }

    /// - Returns: `PRAGMA data_version` at the time of the checks, if the rows of the first stage could be asked: unchanged, they need
    ///   not be asked again.
    private func preflight(_ journey: Journey) throws -> Int64? {
        try connection.reading {
            // Reading the version also takes the snapshot in which the rows are asked.
            let dataVersion = try connection.scalar("PRAGMA data_version")?.integer
            let checks = checks(of: journey)
            let surveys = try checks.surveys()
            let refusals = try checks.refusals(surveys)
            if !refusals.isEmpty { throw MigrationRefusal(refusals) }
            for question in try checks.openQuestions(surveys) {
                progress.warn("\(question): the code of the stage must see to it")
            }
            return journey.path.first?.changesRowsFirst == false ? dataVersion : nil
        }
    }

    // MARK: Running

    /// Judges, checks, backs up and migrates; nothing happens when the store is at the target.
    ///
    /// - Parameters:
    ///   - epoch: of the owner, which has already written it.
    ///   - owner: who does it, for the history.
    ///   - recordGeneration: the generation of the believed record, 0 without one.
    ///   - excluding: runs the commit that holds an exclusive stage, while nobody reads.
    /// - Returns: the metadata of the store as it is now, committed durably.
    /// - Throws: `StoreError`: `.planRefused` with a `MigrationRefusal`, `.migrationFailed` with its cause, `.cancelled`, or what
    ///   judging throws.
    package func run(
        epoch: Int64, owner: String, recordGeneration: Int64 = 0, excluding: ((PlannedStage, () throws -> Void) throws -> Void)? = nil
    ) throws -> StoreMetadata {
        try watching {
            guard let journey: Journey = try connection.reading({ try Journey.find(connection, plan) }) else {
                return try currentMetadata()
            }
            var attempt = Attempt(epoch: epoch, owner: owner, recordGeneration: recordGeneration)
            do {
                let dataVersion = try preflight(journey)
                if !journey.isPending, let backup = try backUp(journey.metadata) {
                    attempt.backup = backup.file
                    try check(journey, brokenRules: backup.brokenRules)
                }
                return try run(journey, &attempt, checkedAt: dataVersion, excluding)
            } catch {
                let stage = journey.path[min(attempt.index, journey.path.count - 1)]
                let failure = self.failure(error, in: stage)
                recordFailure(failure, journey, attempt)
                throw failure
            }
        }
    }

    /// What the history needs to know of one run.
    struct Attempt {
        let epoch: Int64
        let owner: String
        let recordGeneration: Int64
        var backup: String?
        /// The stage that is running, from 0.
        var index = 0
        var started = Timestamp.now

        init(epoch: Int64, owner: String, recordGeneration: Int64) {
            self.epoch = epoch
            self.owner = owner
            self.recordGeneration = recordGeneration
        }
    }

    private func currentMetadata() throws -> StoreMetadata {
        guard let metadata = try connection.reading({ try StoreMetadata.read(connection) }) else {
            throw StoreError(.absent, "\(location.store) holds no store", remedy: "create it first", path: location.store)
        }
        return metadata
    }

    /// Commit after commit until the target is reached: all stages in one, or each in its own; a batched stage ends one with its change
    /// of the schema, then each batch is one.
    private func run(
        _ journey: Journey, _ attempt: inout Attempt, checkedAt dataVersion: Int64?,
        _ excluding: ((PlannedStage, () throws -> Void) throws -> Void)?
    ) throws -> StoreMetadata {
        var step = Step(metadata: journey.metadata, next: 0, isPending: journey.isPending)
        repeat {
            attempt.index = step.next
            if step.isPending {
                attempt.started = .now
                try batchRun(journey, step.next, attempt).run()
            }
            let begun = step
            func commit() throws {
                step = try transaction {
                    try run(journey, from: begun, &attempt, checkedAt: begun.next == 0 ? dataVersion : nil)
                }
            }
            if let excluding, let stage = exclusiveStage(journey, from: begun) {
                try excluding(stage, commit)
            } else {
                try commit()
            }
            progress.committed(step.metadata)
        } while step.next < journey.path.count
        return step.metadata
    }

    /// An exclusive stage in the next commit.
    private func exclusiveStage(_ journey: Journey, from step: Step) -> PlannedStage? {
        // A pending stage only comes to its end there.
        let stages = journey.path[(step.next + (step.isPending ? 1 : 0))...]
        let end: Int? =
            switch options.atomicity {
            case .plan: stages.firstIndex { $0.batches != nil }
            case .stage: step.next
            }
        return stages.indices.first { index in index <= end ?? stages.endIndex && stages[index].isExclusive }.map { stages[$0] }
    }

    /// Where a run stands between two commits.
    private struct Step {
        var metadata: StoreMetadata
        /// The stage that comes next, from 0.
        var next: Int
        /// Whether that stage's schema has been changed, and its batches are to come or have just come.
        var isPending: Bool
    }

    private func batchRun(_ journey: Journey, _ index: Int, _ attempt: Attempt) throws -> BatchRun {
        let stage = journey.path[index]
        guard let batches = stage.batches else {
            throw StoreError(
                .planRefused, "\(location.store) is in the middle of stage '\(stage.name)', which has no batches in this plan",
                remedy: "finish it with the plan that began it", path: location.store)
        }
        if journey.isPending, index == 0 { progress.begin(stage: stage, index: index + 1, count: journey.path.count) }
        return BatchRun(
            connection: connection, batches: batches, snapshot: journey.snapshots[index + 1], epoch: attempt.epoch,
            stillOwns: options.stillOwns, pause: options.batchPause, progress: progress)
    }

    private func transaction<T>(_ body: () throws -> T) throws -> T {
        try connection.beginWriting()
        do {
            let result = try body()
            try connection.commit()
            return result
        } catch {
            connection.finalizeStatements()
            // The handler that stops the migration must not stop its undoing.
            connection.onProgress(nil)
            connection.rollback()
            throw error
        }
    }

    /// Some stages in the open transaction, with version, fingerprint, snapshot and history.
    ///
    /// - Returns: where the run stands when the transaction is committed.
    private func run(_ journey: Journey, from begun: Step, _ attempt: inout Attempt, checkedAt dataVersion: Int64?) throws -> Step {
        guard var metadata = try StoreMetadata.read(connection) else {
            throw StoreError(.foreign, "\(location.store) is no store any more", remedy: "see who replaced it", path: location.store)
        }
        // Under the write lock: the store may be another one than before the lock was had.
        guard metadata.fingerprint == journey.snapshots[begun.next].fingerprint, metadata.epoch == attempt.epoch, options.stillOwns(),
            (metadata.target != nil) == begun.isPending
        else {
            throw StoreError(
                .fenced, "\(location.store) was changed by another owner, of epoch \(metadata.epoch), while this one made ready",
                remedy: "open it again", path: location.store, storeVersion: metadata.version)
        }
        try SchemaDrift.check(connection, metadata)
        let nobodyWrote = try dataVersion != nil && connection.scalar("PRAGMA data_version")?.integer == dataVersion
        var step = begun
        while step.next < journey.path.count {
            let stage = journey.path[step.next]
            attempt.index = step.next
            if !step.isPending {
                attempt.started = .now
                progress.begin(stage: stage, index: step.next + 1, count: journey.path.count)
                let run = stageRun(journey, step.next)
                let readers = try run.readers(metadata.readableBy, from: RelationalSchema.read(connection))
                try run.run(isChecked: nobodyWrote && step.next == 0)
                progress.report()
                metadata.readableBy = readers
                if stage.batches != nil {
                    try begin(pending: stage, journey.snapshots[step.next + 1], step.next, &metadata)
                    step.isPending = true
                    break
                }
            }
            try finish(stage, journey.snapshots[step.next], journey.snapshots[step.next + 1], &metadata, attempt)
            step.isPending = false
            step.next += 1
            if options.atomicity == .stage { break }
        }
        metadata.generation = try StoreMetadata.generation(
            above: metadata.generation, attempt.recordGeneration, of: location.store)
        try metadata.write(connection)
        step.metadata = metadata
        return step
    }

    /// The store has the shape of the stage's new version, and still is the version before.
    private func begin(pending stage: PlannedStage, _ new: SchemaSnapshot, _ index: Int, _ metadata: inout StoreMetadata) throws {
        guard metadata.readableBy.contains(metadata.identity) else {
            throw MigrationRefusal(
                Refusal(
                    object: "stage '\(stage.name)'",
                    reason:
                        "it runs in batches, during which the store is still \(stage.from), but readers of \(stage.from) cannot read its new schema",
                    remedy: "Make the change additive, or name \(stage.from) in \"readableBy\" if its readers can read on."))
        }
        try new.stored.write(connection)
        (metadata.target, metadata.stage, metadata.cursor, metadata.shape) = (new.identity, index + 1, "", new.shape)
    }

    /// The store is the stage's new version.
    private func finish(
        _ stage: PlannedStage, _ old: SchemaSnapshot, _ new: SchemaSnapshot, _ metadata: inout StoreMetadata, _ attempt: Attempt
    ) throws {
        if stage.batches != nil {
            // While it was pending, the readers of the version before were readers of the store's own version.
            metadata.readableBy = stage.statedReaders(metadata.readableBy)
            // The batches are committed, and nothing would run again: a search that they have damaged is told of, and can be filled again.
            var searches = SearchWatch(connection, warn: progress.warn)
            searches.note(stage.written)
            for damage in try searches.newDamage(new.schema) { progress.warn(damage.description) }
        }
        metadata.readableBy.append(new.identity)
        try HistoryEntry(
            from: stage.from, to: stage.to, outcome: stage.isReverse ? .rolledBack : .applied, startedAt: attempt.started,
            seconds: attempt.started.seconds(), rows: progress.rowsDone, epoch: attempt.epoch, owner: attempt.owner,
            backup: attempt.backup, fingerprintBefore: old.fingerprint, fingerprintAfter: new.fingerprint
        ).insert(connection)
        try new.stored.write(connection)
        try stage.reverse?.keep(from: new.identity, to: old.identity, connection)
        (metadata.version, metadata.fingerprint, metadata.shape) = (new.version, new.fingerprint, new.shape)
        (metadata.target, metadata.stage, metadata.cursor) = (nil, nil, nil)
        metadata.tolerated = new.tolerated.text
    }

    // MARK: Around it

    /// Lets SQLite call back while a statement runs, and sets the connection for a migration; puts everything back afterwards.
    private func watching<T>(_ body: () throws -> T) throws -> T {
        guard !connection.isInTransaction else {
            throw StoreError(
                .misuse, "the connection to \(location.store) is in a transaction, in which no migration can begin",
                remedy: "end it before", path: location.store)
        }
        let temporaryStore = try connection.scalar("PRAGMA temp_store")?.integer ?? 0
        let keysWereOn = try connection.foreignKeys()
        let cacheSize = try connection.scalar("PRAGMA cache_size")?.integer ?? -2000
        // In files, and with a bounded cache: an index over many rows is sorted outside of memory then, in pieces of the size of the cache,
        // so that memory stays flat. A larger cache makes no migration faster.
        try connection.execute("PRAGMA temp_store = FILE; PRAGMA cache_size = -8000; PRAGMA synchronous = FULL")
        #if STORE_FAULTS
        if Planted.commitWithoutSync.isOrdered { try connection.execute("PRAGMA synchronous = NORMAL") }
        #endif
        try connection.setForeignKeys(true)
        connection.onProgress(everySteps: 10_000) { [progress] in progress.tick() }
        defer {
            connection.onProgress(nil)
            connection.finalizeStatements()
            try? connection.setForeignKeys(keysWereOn)
            try? connection.execute("PRAGMA temp_store = \(temporaryStore); PRAGMA cache_size = \(cacheSize)")
        }
        return try body()
    }

    /// Rows that break what their tables have declared all along: the backup has shown that there are some. Those that a rebuild would meet
    /// are named before the first write; the others stay.
    private func check(_ journey: Journey, brokenRules: [String]) throws {
        guard !brokenRules.isEmpty else { return }
        let refusals = try connection.reading {
            let checks = checks(of: journey)
            return try checks.surveys().flatMap(\.deepChecks).compactMap { try $0.refusal(connection) }
        }
        if !refusals.isEmpty { throw MigrationRefusal(refusals) }
        progress.warn("rows break what their tables declare, and are left as they are: \(brokenRules.joined(separator: "; "))")
    }

    /// The backup; nil where none is wanted or the store holds no rows.
    private func backUp(_ metadata: StoreMetadata) throws -> (file: String, brokenRules: [String])? {
        guard let count = options.backupsKept, count > 0, try holdsRows() else { return nil }
        return try StoreBackup(connection: connection, location: location).make(of: metadata, keeping: count, progress: progress)
    }

    private func holdsRows() throws -> Bool {
        try RelationalSchema.read(connection).tables.contains { table in
            try connection.scalar("SELECT 1 FROM \(SQLName.quoted(table.name)) LIMIT 1") != nil
        }
    }
}
