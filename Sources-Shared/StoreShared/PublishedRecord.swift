/// What the owner does with the store, as published.
package enum RecordState: String, Hashable, Sendable, CaseIterable, Codable {
    case ready, opening, migrating, failed, closed
}

/// The published record: a hint for everyone, a file for shells. The store is the truth.
package struct PublishedRecord: Hashable, Sendable {
    /// Identity of the store, made at its creation.
    package var storeID: String
    package var state: RecordState
    /// What the store durably is; nil while a new one is being made.
    package var version: SchemaVersion?
    package var fingerprint: Fingerprint?
    package var generation: Int64
    /// Versions whose readers may read the store as it is.
    package var readableBy: [SchemaIdentity]
    package var epoch: Int64
    package var owner: ProcessIdentity
    /// When this owner came.
    package var ownerSince: Timestamp?
    /// Where the migration leads, while migrating or failed.
    package var target: SchemaVersion?
    /// The stage that runs, from 1.
    package var stage: Int?
    package var stages: Int?
    package var stageName: String?
    package var rowsDone: Int64?
    package var rowsTotal: Int64?
    /// When the migration began.
    package var migrationStarted: Timestamp?
    package var heartbeat: Timestamp
    /// While turnstile and gate are held, from before BEGIN IMMEDIATE to publication.
    package var exclusive: Bool
    /// Why it failed, on one line.
    package var reason: String?

    package init(
        storeID: String, state: RecordState, version: SchemaVersion?, fingerprint: Fingerprint?, generation: Int64,
        readableBy: [SchemaIdentity], epoch: Int64, owner: ProcessIdentity, ownerSince: Timestamp? = nil, target: SchemaVersion? = nil,
        stage: Int? = nil, stages: Int? = nil, stageName: String? = nil, rowsDone: Int64? = nil, rowsTotal: Int64? = nil,
        migrationStarted: Timestamp? = nil, heartbeat: Timestamp = .now, exclusive: Bool = false, reason: String? = nil
    ) {
        self.storeID = storeID
        self.state = state
        self.version = version
        self.fingerprint = fingerprint
        self.generation = generation
        self.readableBy = readableBy
        self.epoch = epoch
        self.owner = owner
        self.ownerSince = ownerSince
        self.target = target
        self.stage = stage
        self.stages = stages
        self.stageName = stageName
        self.rowsDone = rowsDone
        self.rowsTotal = rowsTotal
        self.migrationStarted = migrationStarted
        self.heartbeat = heartbeat
        self.exclusive = exclusive
        self.reason = reason
    }
}

/// What reading the record gave.
package enum RecordReading: Hashable, Sendable {
    case missing
    /// Not to be believed; why, for people.
    case broken(String)
    case valid(PublishedRecord)

    package var record: PublishedRecord? {
        if case .valid(let record) = self { record } else { nil }
    }
}

extension PublishedRecord {
    /// How this record stands to a store: by generation, then by what it says of that generation.
    package func relation(toStore metadata: StoreMetadata) -> RecordRelation {
        guard storeID == metadata.storeID else { return .broken }
        if generation != metadata.generation { return generation < metadata.generation ? .older : .ahead }
        // Both are committed before they are published, so a higher epoch means that a commit was lost.
        if epoch > metadata.epoch { return .ahead }
        // An owner publishes `opening` before it knows more than the identity of the store.
        if version == nil, state == .opening { return .equal }
        return version == metadata.version && fingerprint == metadata.fingerprint ? .equal : .broken
    }
}

extension PublishedRecord {
    /// The process that published it as the owner, where that very process runs and has not said that it has left. It may have lost its lock.
    package var livingOwner: ProcessIdentity? {
        // A process may live on long after the owner in it has failed or closed.
        state == .closed || state == .failed || owner.end() != nil ? nil : owner
    }
}

extension RecordReading {
    /// How the reading stands to a store; a record beside no store of ours is ahead of it.
    package func relation(toStore metadata: StoreMetadata?) -> RecordRelation {
        switch self {
        case .missing: return .missing
        case .broken: return .broken
        case .valid(let record):
            if let metadata { return record.relation(toStore: metadata) }
            return record.generation > 0 ? .ahead : .equal
        }
    }
}
