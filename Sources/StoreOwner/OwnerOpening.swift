import StoreMigration
import StoreSQLite
import StoreShared

/// How a process becomes the owner of a store: one step a method, in the order in which they must come.
struct OwnerOpening {
    let location: StoreLocation
    let plan: MigrationPlan
    let options: OwnerOptions

    /// Who this owner is, for the history.
    static var description: String { "pid \(System.processID)" }

    /// How long the opening waits for programs that have the store open otherwise.
    private static let patience: Duration = .seconds(10)

    func open() throws -> StoreOwner {
        let lookout = Lookout(location)
        let group = try look(lookout)
        let lock = try takeLock()
        do {
            return try own(lock, group, lookout)
        } catch {
            lock.release()
            throw error
        }
    }

    /// Everything that can be known without making anything.
    private func look(_ lookout: Lookout) throws -> SocketGroup? {
        do {
            try options.cancellation?.check()
            let group = try options.socketGroup.map { try SocketGroup($0) }
            try location.checkLinks()
            if let problem = location.unfinishedMove { throw problem }
            if !options.allowsAnyFileSystem { try location.checkFileSystem() }
            try location.checkFolders()
            // Before a folder is made beside what may be a text file.
            _ = try judge(lookout)
            OwnerState.looking.note(.storeFits)
            return group
        } catch {
            OwnerState.looking.note((error as? StoreError)?.code == .cancelled ? .cancelled : .storeRefused)
            throw error
        }
    }

    /// Looks at the store through a connection that cannot write.
    ///
    /// - Throws: `StoreError` for a store that this plan may not touch, with not one byte changed.
    /// - Returns: nil for a database that is to be adopted.
    private func judge(_ lookout: Lookout) throws -> PlanJudgement? {
        guard let facts = try? System.stat(location.store), facts.size > 0 else { return .empty }
        do {
            return try judgeReadOnly(lookout)
        } catch let error as SQLiteError where error.code == .readOnlyRollback {
            lookout.close()
            // Undoes what a killed program left half-written in rollback mode, which never was committed.
            let connection = try Connection(path: location.store, access: .readWrite)
            _ = try connection.scalar("SELECT count(*) FROM sqlite_schema")
            connection.close()
            return try judgeReadOnly(lookout)
        }
    }

    /// A database of another program that is to be adopted is judged by its shape.
    private func look(_ connection: Connection) throws -> PlanJudgement? {
        do {
            return try PlanJudgement.judge(connection, for: plan)
        } catch let error as StoreError where error.code == .foreign && options.adopts {
            _ = try Adoption.find(connection, plan)
            return nil
        }
    }

    private func judgeReadOnly(_ lookout: Lookout) throws -> PlanJudgement? {
        do {
            return try lookout.reading { try look($0) }
        } catch let error as SQLiteError where error.code != .readOnlyRollback {
            throw StoreError(
                .unreadable, "\(location.store) cannot be opened as a store", remedy: error.remedy, path: location.store, cause: error)
        }
    }

    /// Takes the owner lock, waiting for the end of another owner as long as the options allow.
    private func takeLock() throws -> OwnerLock {
        let deadline = Deadline.after(options.wait)
        while true {
            do {
                if let lock = try OwnerLock.take(location) { return lock }
            } catch {
                OwnerState.locking.note(.broke)
                throw error
            }
            if options.cancellation?.isCancelled == true {
                OwnerState.waiting.note(.cancelled)
                try options.cancellation?.check()
            }
            guard !deadline.hasPassed else {
                OwnerState.waiting.note(.timeUp)
                throw Self.ownedByAnother(location)
            }
            OwnerState.waiting.note(waitForHolder(until: deadline) ? .holderEnded : .ticked)
        }
    }

    /// The holder's end closes the connection; the tick is for one that does not answer.
    ///
    /// - Returns: whether the holder ended, as far as can be heard.
    private func waitForHolder(until deadline: Deadline) -> Bool {
        let tick = min(deadline, .after(Pace.of(.milliseconds(250))))
        if let client = try? LineClient(location, until: tick) {
            return (try? System.poll([client.descriptor], until: tick))?.isEmpty == false
        }
        System.sleep(Pace.of(.milliseconds(20)))
        return false
    }

    static func ownedByAnother(_ location: StoreLocation) -> StoreError {
        let record = PublishedRecord.read(from: location).record
        guard let pid = holder(location, record)?.pid else {
            let holders = KernelLocks.holders(of: location.ownerLock, bytes: 0...0).map(\.description).joined(separator: ", ")
            return StoreError(
                .ownedByAnother,
                "\(location.store) is owned by another process, which has not said who it is"
                    + (holders.isEmpty ? "" : ": \(location.ownerLock) is locked by process \(holders)"),
                remedy: "see what it is: storectl doctor names it to root", path: location.store, storeVersion: record?.version)
        }
        let isStopped = ProcessIdentity.isStopped(pid)
        return StoreError(
            .ownedByAnother, "\(location.store) is owned by another process, pid \(pid)" + (isStopped ? ", which is stopped" : ""),
            remedy: isStopped ? "let it go on by kill -CONT \(pid), or end it" : "stop that owner, or wait for it with a timeout",
            path: location.store, ownerPID: pid, storeVersion: record?.version)
    }

    /// The process that holds the lock. One that has just taken it has not said yet who it is: it gets a moment.
    private static func holder(_ location: StoreLocation, _ record: PublishedRecord?) -> ProcessIdentity? {
        let deadline = Deadline.after(.seconds(1))
        while true {
            if let holder = OwnerLock.holder(location) { return holder }
            // Another user's lock file cannot be read; its record can.
            if let owner = record?.owner, owner.end() == nil { return owner }
            if deadline.hasPassed { return nil }
            System.sleep(.milliseconds(10))
        }
    }

    /// All that happens under the lock.
    private func own(_ lock: OwnerLock, _ group: SocketGroup?, _ lookout: Lookout) throws -> StoreOwner {
        let before = PublishedRecord.read(from: location).record
        let connection: Connection
        let wasEmpty: Bool
        do {
            try UnixSocket.checkPlace(location)
            wasEmpty = if case .empty = try judge(lookout) { true } else { false }
            lookout.close()
            connection = try WritingConnection.open(location)
        } catch {
            Self.noteRefusal(error)
            throw error
        }
        let writer = WritingConnection(connection, at: location, lock: lock, drainsAt: options.logLimit)
        var publication: Publication?
        var server: OwnerServer?
        var housekeeper: Housekeeper?
        do {
            location.removeLeftovers()
            StoreCopy.removeLeftovers(in: location.backups)
            // Readers pass it from their first read on, and only an owner can make it.
            _ = try Gate(owner: location)
            try WritingConnection.switchToWriteAheadLog(connection, until: .after(Self.patience))
            let claim = try claim(connection, before: before, wasEmpty: wasEmpty)
            let published = Publication(claim.metadata, left: claim.left, owner: .current(), at: location, lock: lock)
            publication = published
            let serving = OwnerServer(location, published, options)
            server = serving
            try serving.start(group: group)
            try published.publish { _ in }
            options.tell(.opening(epoch: claim.metadata.epoch))
            let keeping = try Housekeeper(Housekeeper.round(published, serving, writer, try Gate(owner: location)))
            housekeeper = keeping
            let migrating = Migrating(
                location: location, plan: plan, options: options, publication: published, server: serving, housekeeper: keeping)
            try migrating.run(connection, found: claim.judgement)
            if published.record.state == .opening {
                OwnerState.opening.note(.storeUpToDate)
                migrating.publishReady()
            }
            // The opening itself has written, and a predecessor may have left a log.
            if writer.noteWrite() { keeping.wake() }
            options.tell(.serving)
            let owner = StoreOwner(
                location: location, lock: lock, writer: writer, publication: published, server: serving, housekeeper: keeping,
                options: options)
            serving.serve(owner)
            return owner
        } catch {
            options.serviceManager?.stops()
            housekeeper?.close()
            let isOurs = writer.close(epoch: publication?.metadata.epoch) { server?.removeSocket() }
            if publication == nil { Self.noteRefusal(error) }
            if let publication, let server {
                Self.leave(location, lock, in: publication.ownerState, isOurs: isOurs, publication: publication, server: server) { record in
                    if record.state != .failed { record.state = .closed }
                }
            }
            throw error
        }
    }

    /// Names how a claim ended that made nobody an owner.
    private static func noteRefusal(_ error: any Error) {
        let isOfTheStore = (error as? StoreError).map { $0.code != .system } ?? false
        OwnerState.claiming.note(isOfTheStore ? .storeRefused : .broke)
    }

    /// What the commit found that made the store this owner's.
    private struct Claim {
        let metadata: StoreMetadata
        /// What there is to do; nil for a database that was adopted, which is judged again.
        let judgement: PlanJudgement?
        /// Every schema that the store once had and has left.
        let left: [SchemaIdentity]
    }

    /// Makes the store this owner's, in one durable commit: a new store at the target, or an old one with the epoch raised.
    ///
    /// Judged again inside the transaction: a predecessor that was killed within its commit leaves one version or the other, depending
    /// on who was attached. The commit also makes a recovered one durable before anything is published.
    ///
    /// - Parameter wasEmpty: that there was no store yet when it was looked at under the lock.
    private func claim(_ connection: Connection, before: PublishedRecord?, wasEmpty: Bool) throws -> Claim {
        let isEmpty =
            try wasEmpty
            && connection.reading {
                if case .empty = try look(connection) { true } else { false }
            }
        if isEmpty {
            if let before {
                options.tell(
                    .warning(
                        "\(location.store) is empty, but its record says that it was store \(before.storeID) at "
                            + "\(before.version?.description ?? "no version"), generation \(before.generation): a new store is made; "
                            + "if rows are missing, restore a backup from \(location.backups)"))
            }
            let runner = MigrationRunner(
                connection: connection, location: location, plan: plan, cancellation: options.cancellation ?? Cancellation())
            let made = try runner.create(
                epoch: (before?.epoch ?? 0) + 1, owner: Self.description, recordGeneration: before?.generation ?? 0)
            OwnerState.claiming.note(.created)
            return Claim(metadata: made, judgement: .upToDate(made), left: [])
        }
        var wasInterrupted = false
        let claim = try connection.writing {
            guard let judgement = try look(connection) else {
                let adopted = try Adoption.find(connection, plan).apply(connection, record: before, owner: Self.description)
                return Claim(metadata: adopted, judgement: nil, left: try HistoryEntry.left(connection))
            }
            guard var metadata = try StoreMetadata.read(connection) else {
                throw StoreError(.foreign, "\(location.store) is no store any more", remedy: "see who replaced it", path: location.store)
            }
            try checkSkipped(metadata, connection)
            metadata.epoch += 1
            // A copy that was put back may be behind what was published of this very store.
            if let before, before.storeID == metadata.storeID {
                metadata.epoch = max(metadata.epoch, before.epoch + 1)
                // Whoever saw the generation that was lost is to judge again, and not to take the next one for it.
                if before.generation > metadata.generation {
                    metadata.generation = try generation(above: before, of: metadata)
                }
            }
            try metadata.write(connection)
            wasInterrupted = try recordInterruption(before, metadata, connection)
            return Claim(metadata: metadata, judgement: judgement, left: try HistoryEntry.left(connection))
        }
        OwnerState.claiming.note(wasInterrupted ? .interruptionFound : .claimed)
        return claim
    }

    /// - Throws: `StoreError.planRefused` where the record says the last generation that there is, and the store knows nothing of it.
    private func generation(above record: PublishedRecord, of metadata: StoreMetadata) throws -> Int64 {
        do {
            return try StoreMetadata.generation(above: record.generation, of: location.store)
        } catch is StoreError {
            throw StoreError(
                .planRefused,
                "the record \(location.record) says generation \(record.generation), the last that there is, and the store generation "
                    + "\(metadata.generation)",
                remedy: "remove the record if the store is the right one: the owner writes it anew", path: location.record)
        }
    }

    /// - Throws: `StoreError.planRefused` for versions that were added below the store's own and have scripts, unless that is allowed.
    private func checkSkipped(_ metadata: StoreMetadata, _ connection: Connection) throws {
        guard let skipped = try SkippedVersions.find(plan, metadata, connection) else { return }
        if !options.allowsSkipped, let refusal = skipped.refusal(of: metadata, at: location.store) { throw refusal }
        options.tell(.warning(skipped.description(of: metadata, at: location.store)))
    }

    /// Writes into the history that a migration was cut off, if the record of the owner before says so and the store is still where it was.
    ///
    /// - Returns: whether it was.
    private func recordInterruption(_ before: PublishedRecord?, _ metadata: StoreMetadata, _ connection: Connection) throws -> Bool {
        guard let before, before.storeID == metadata.storeID, before.state == .migrating, let target = before.target,
            before.generation == metadata.generation
        else { return false }
        let started = before.migrationStarted ?? before.heartbeat
        try HistoryEntry(
            from: metadata.version, to: target, outcome: .interrupted, reason: "the owner with pid \(before.owner.pid) ended in the middle",
            startedAt: started, seconds: started.seconds(until: before.heartbeat),
            rows: before.rowsDone ?? 0, epoch: before.epoch, owner: "pid \(before.owner.pid)", fingerprintBefore: metadata.fingerprint
        ).insert(connection)
        return true
    }

    /// Says good-bye: publishes the last record, closes every client, gives the lock up. A superseded owner leaves the new one's record alone.
    static func leave(
        _ location: StoreLocation, _ lock: OwnerLock, in state: OwnerState, isOurs: Bool, publication: Publication, server: OwnerServer,
        _ change: (inout PublishedRecord) -> Void
    ) {
        if isOurs { try? publication.publish(change) }
        server.broadcast(.closing)
        server.close()
        noteLeaving(state, !isOurs || publication.isSuperseded)
        lock.release()
    }

    private static func noteLeaving(_ state: OwnerState, _ isSuperseded: Bool) {
        if state == .opening {
            state.note(.broke)
        } else if state == .serving, isSuperseded {
            state.note(.fenced)
            OwnerState.fenced.note(.left)
        } else {
            state.note(.left)
        }
    }
}
