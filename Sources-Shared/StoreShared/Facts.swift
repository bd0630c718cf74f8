/// What the store is for the one who asks.
package enum StoreState: String, Hashable, Sendable, CaseIterable {
    /// No file.
    case absent
    /// A file without a schema: no store yet.
    case empty
    /// A database that is no store of ours.
    case foreign
    /// Not a database, damaged, or not to be opened.
    case unreadable
    /// At a version before the wanted one.
    case older
    /// At a version that a program built for the wanted one may read.
    case readable
    /// At a version that a program built for the wanted one may not read.
    case newer
    /// On its way to the wanted version, with batches still to come.
    case pending
    /// Its schema is not the one that it recorded.
    case drifted
}

/// How the published record stands to the store.
package enum RecordRelation: String, Hashable, Sendable, CaseIterable {
    case missing
    /// Torn, hand-edited, of another store, or unreadable: never believed.
    case broken
    /// Of a generation before the store's.
    case older
    case equal
    /// Of a generation that the store does not have: the store went back.
    case ahead
}

/// Whether a process holds the owner lock.
package enum OwnerLiveness: String, Hashable, Sendable, CaseIterable {
    case alive
    case dead
    /// It could not be told.
    case unknown
}

/// All that decides a verdict.
package struct Facts: Hashable, Sendable {
    package var store: StoreState
    package var record: RecordRelation
    /// What the record says; nil when it is missing or broken.
    package var recordState: RecordState?
    package var owner: OwnerLiveness
    /// Whether the record must agree with the store.
    package var strict: Bool

    package init(store: StoreState, record: RecordRelation, recordState: RecordState?, owner: OwnerLiveness, strict: Bool) {
        self.store = store
        self.record = record
        self.recordState = recordState
        self.owner = owner
        self.strict = strict
    }
}

/// The verdict of the facts. The store is the truth, the record a hint, the lock says who lives.
package func verdict(of facts: Facts) -> Verdict {
    switch facts.store {
    case .absent: return .absent
    case .foreign, .unreadable, .drifted: return .unreadable
    case .empty, .older, .readable, .newer, .pending: break
    }
    // Nobody is there who could still bring the store to what was published: it went back.
    if facts.record == .ahead, facts.owner == .dead { return .disagreement }
    if facts.store == .empty { return .absent }
    if facts.strict, facts.record != .equal { return .disagreement }
    switch facts.store {
    case .readable: return .ready
    case .newer: return .tooNew
    default: return verdictOfOlder(facts)
    }
}

/// The verdict where the store is not yet at the wanted version: what is anybody doing about it?
private func verdictOfOlder(_ facts: Facts) -> Verdict {
    // A record of an earlier generation says nothing of now.
    let state = facts.record == .equal || facts.record == .ahead ? facts.recordState : nil
    if state == .failed { return .failed }
    guard facts.owner != .dead else { return .outdated }
    if state == .migrating || state == .opening { return .migrating }
    // Batches are still to come, and somebody holds the lock who will run them.
    return facts.store == .pending && facts.owner == .alive ? .migrating : .outdated
}
