/// Everything that is known about a store, as `storectl --json` and the owner's socket tell it. Keys that do not apply are null.
package struct Status: Hashable, Sendable {
    package var verdict: Verdict
    package var store: Store
    package var record: Record
    package var owner: Owner
    package var migration: Migration?
    /// Why the migration failed.
    package var failure: String?
    /// How many readers the owner knows; nil when nobody could be asked.
    package var readers: Int?

    package struct Store: Hashable, Sendable {
        package var path: String
        package var id: String?
        package var version: String?
        package var fingerprint: String?
        package var generation: Int64?
        package var readableBy: [String]?
    }

    package struct Record: Hashable, Sendable {
        package var state: String?
        package var version: String?
        package var generation: Int64?
        /// Whether the record is whole and agrees with the store.
        package var believed: Bool
    }

    package struct Owner: Hashable, Sendable {
        /// Nil when it cannot be told.
        package var alive: Bool?
        package var pid: Int32?
        package var epoch: Int64?
        package var since: String?
        /// Why a dead owner is dead: `exited`, `pid reused`, `other boot`.
        package var reason: String?
    }

    package struct Migration: Hashable, Sendable {
        package var from: String?
        package var to: String?
        package var stage: Int?
        package var stages: Int?
        package var stageName: String?
        package var rowsDone: Int64?
        package var rowsTotal: Int64?
        package var startedAt: String?
        package var heartbeatAt: String?
        /// Seconds until the end at the pace so far.
        package var etaSeconds: Double?
    }

    /// Nothing is known but the verdict: not even the folder can be reached.
    package init(verdict: Verdict, path: String) {
        self.verdict = verdict
        store = Store(path: path)
        record = Record(believed: false)
        owner = Owner()
    }
}

extension Status {
    /// Puts together what a judge found.
    ///
    /// - Parameters:
    ///   - metadata: what the store says of itself; nil when it is none or cannot be read.
    ///   - reading: what the record says.
    package init(
        verdict: Verdict, location: StoreLocation, metadata: StoreMetadata?, reading: RecordReading, relation: RecordRelation,
        liveness: OwnerLiveness, readers: Int? = nil
    ) {
        let record = reading.record
        store = Store(
            path: location.store, id: metadata?.storeID, version: metadata?.version.description, fingerprint: metadata?.fingerprint.hex,
            generation: metadata?.generation, readableBy: metadata.map { $0.readableBy.map(\.version.description) })
        self.record = Record(
            state: record?.state.rawValue, version: record?.version?.description, generation: record?.generation,
            believed: relation == .equal)
        owner = Owner(
            alive: liveness == .unknown ? nil : liveness == .alive, pid: record?.owner.pid, epoch: record?.epoch ?? metadata?.epoch,
            since: record?.ownerSince?.description, reason: nil)
        // The owner that lives is not the one of the record: it has published nothing yet.
        if liveness == .alive, record?.owner.end() != nil { (owner.pid, owner.since) = (nil, nil) }
        if liveness == .dead, let record { owner.reason = (record.owner.end() ?? .exited).rawValue }
        migration = nil
        failure = nil
        if let record, relation == .equal || liveness != .dead {
            if record.state == .migrating, liveness != .dead { migration = Migration(record) }
            if record.state == .failed { failure = record.reason ?? "no reason was given" }
        }
        self.verdict = verdict
        self.readers = readers
    }
}

extension Status.Migration {
    /// Progress as a record tells it.
    package init(_ record: PublishedRecord) {
        from = record.version?.description
        to = record.target?.description
        stage = record.stage
        stages = record.stages
        stageName = record.stageName
        rowsDone = record.rowsDone
        rowsTotal = record.rowsTotal
        startedAt = record.migrationStarted?.description
        heartbeatAt = record.heartbeat.description
        etaSeconds = nil
        if let done = record.rowsDone, let total = record.rowsTotal, let started = record.migrationStarted, done > 0, total >= done {
            let seconds = started.seconds(until: record.heartbeat)
            etaSeconds = (seconds * Double(total - done) / Double(done) * 10).rounded() / 10
        }
    }
}

// Encoding by hand, since what the compiler makes leaves out keys whose value is nil.
extension Status: Codable {
    private enum Keys: String, CodingKey { case verdict, store, record, owner, migration, failure, readers }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        verdict = try container.decode(Verdict.self, forKey: .verdict)
        store = try container.decode(Store.self, forKey: .store)
        record = try container.decode(Record.self, forKey: .record)
        owner = try container.decode(Owner.self, forKey: .owner)
        migration = try container.decodeIfPresent(Migration.self, forKey: .migration)
        failure = try container.decodeIfPresent(String.self, forKey: .failure)
        readers = try container.decodeIfPresent(Int.self, forKey: .readers)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(verdict, forKey: .verdict)
        try container.encode(store, forKey: .store)
        try container.encode(record, forKey: .record)
        try container.encode(owner, forKey: .owner)
        try container.encode(migration, forKey: .migration)
        try container.encode(failure, forKey: .failure)
        try container.encode(readers, forKey: .readers)
    }
}

extension Status.Store: Codable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        try container.encode(id, forKey: .id)
        try container.encode(version, forKey: .version)
        try container.encode(fingerprint, forKey: .fingerprint)
        try container.encode(generation, forKey: .generation)
        try container.encode(readableBy, forKey: .readableBy)
    }
}

extension Status.Record: Codable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state, forKey: .state)
        try container.encode(version, forKey: .version)
        try container.encode(generation, forKey: .generation)
        try container.encode(believed, forKey: .believed)
    }
}

extension Status.Owner: Codable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(alive, forKey: .alive)
        try container.encode(pid, forKey: .pid)
        try container.encode(epoch, forKey: .epoch)
        try container.encode(since, forKey: .since)
        try container.encode(reason, forKey: .reason)
    }
}

extension Status.Migration: Codable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(from, forKey: .from)
        try container.encode(to, forKey: .to)
        try container.encode(stage, forKey: .stage)
        try container.encode(stages, forKey: .stages)
        try container.encode(stageName, forKey: .stageName)
        try container.encode(rowsDone, forKey: .rowsDone)
        try container.encode(rowsTotal, forKey: .rowsTotal)
        try container.encode(startedAt, forKey: .startedAt)
        try container.encode(heartbeatAt, forKey: .heartbeatAt)
        try container.encode(etaSeconds, forKey: .etaSeconds)
    }
}
