import StoreSQLite
import StoreShared

/// What was found about a store for one wanted version, and the verdict.
package struct Judgement: Sendable {
    package let location: StoreLocation
    /// The version that was judged for; nil when the store could not be told and none was asked for.
    package let wanted: SchemaIdentity?
    package let verdict: Verdict
    package let facts: Facts
    /// Nil when the store is none, or cannot be read.
    package let metadata: StoreMetadata?
    package let record: RecordReading
    /// Why the store is not what it should be.
    package let problem: StoreError?
    /// Whether an owner mends it as soon as one comes, although nothing can be read now.
    package let waitsForOwner: Bool
    /// The schema that was found to be the recorded one.
    let shape: CheckedShape?
    /// What it was judged through, where it is readable.
    let connection: HandedConnection?

    /// Everything, as JSON shows it.
    package var status: Status {
        Status(
            verdict: verdict, location: location, metadata: metadata, reading: record, relation: facts.record, liveness: facts.owner)
    }
}

/// Judges a store for somebody who wants that version: record first, then the store, then the lock, so that what is seen
/// later is never older than what was seen before.
///
/// - Parameters:
///   - wanted: nil to judge for where the store is going: the target of a migration that runs or failed, else its own version.
///   - strict: whether the record must agree with the store.
/// - Throws: `StoreError.system` when this process has run out of descriptors; everything else is a verdict.
package func judge(_ location: StoreLocation, for wanted: SchemaIdentity?, strict: Bool = false) throws -> Judgement {
    let reading = PublishedRecord.read(from: location)
    var sight = try StoreSight.look(at: location, for: wanted)
    let owner = OwnerLock.probe(location)
    var judgedFor = wanted
    if wanted == nil, let metadata = sight.metadata {
        // A store that is pending says itself where it is going.
        judgedFor = metadata.target ?? metadata.identity
        if metadata.target == nil, let record = reading.record, record.state == .migrating || record.state == .failed,
            let target = record.target,
            record.relation(toStore: metadata) == .equal
        {
            judgedFor = SchemaIdentity(version: target)
        }
        if sight.state == .readable, let judgedFor { sight.state = metadata.state(for: judgedFor) }
    }
    let relation = relation(of: reading, to: sight)
    let facts = Facts(store: sight.state, record: relation, recordState: reading.record?.state, owner: owner, strict: strict)
    return Judgement(
        location: location, wanted: judgedFor, verdict: verdict(of: facts), facts: facts, metadata: sight.metadata, record: reading,
        problem: sight.problem, waitsForOwner: sight.waitsForOwner, shape: sight.shape, connection: sight.connection)
}

private func relation(of reading: RecordReading, to sight: StoreSight) -> RecordRelation {
    if let metadata = sight.metadata { return reading.relation(toStore: metadata) }
    // What could not be read cannot be compared; an empty database can: it has no generation.
    if sight.state == .empty, sight.problem?.cause == nil { return reading.relation(toStore: nil) }
    return reading == .missing ? .missing : .broken
}

extension Judgement {
    /// The verdict as an error for people; nil when it is `ready`.
    package var error: StoreError? {
        let path = location.store
        let has = metadata?.version
        let version = metadata.map { "at \($0.identity.description(beside: wanted))" } ?? "at an unknown version"
        let asked = wanted.map { $0.description(beside: metadata?.identity) } ?? "another version"
        func failure(_ code: StoreError.Code, _ message: String, _ remedy: String) -> StoreError {
            StoreError(
                code, message, remedy: remedy, path: path, ownerPID: facts.owner == .alive ? record.record?.owner.pid : nil,
                storeVersion: has, wantedVersion: wanted?.version)
        }
        switch verdict {
        case .ready:
            return nil
        case .outdated:
            let record = record.record
            if facts.owner == .dead, let record, record.state == .migrating {
                return failure(
                    .outdated,
                    "\(path) is \(version), wanted is \(asked); its owner \(record.owner.pid) ended in the middle of a migration, nothing is lost",
                    "start an owner built for \(asked): it goes on by itself")
            }
            if facts.owner == .alive {
                return failure(
                    .outdated, "\(path) is \(version), wanted is \(asked), and its owner does not migrate it",
                    "replace the owner by one built for \(asked)")
            }
            return failure(
                .outdated, "\(path) is \(version), wanted is \(asked), and nobody is migrating it", "start an owner built for \(asked)")
        case .tooNew:
            if let problem { return problem }
            return failure(
                .storeTooNew, "\(path) is \(version), which a program built for \(asked) may not read",
                "use a program built for \(has.map(String.init) ?? "it")")
        case .migrating:
            let progress = StoreProgress(self).description
            return failure(.migrating, "\(path) is being migrated: \(progress)", "wait for it")
        case .failed:
            let reason = record.record?.reason ?? "no reason was given"
            return failure(
                .migrationFailed,
                "the migration of \(path) to \(record.record?.target?.description ?? asked) failed, it is still \(version): \(reason)",
                "the next owner tries again")
        case .absent:
            return problem ?? failure(.absent, "there is no store at \(path)", "start its owner, or correct the path")
        case .unreadable:
            return problem ?? failure(.unreadable, "\(path) cannot be read", "check its permissions")
        case .disagreement:
            return failure(.disagreement, disagreement(path), "start its owner, which publishes what the store is")
        }
    }

    private func disagreement(_ path: String) -> String {
        let store = metadata.map { "\($0.version), generation \($0.generation), epoch \($0.epoch)" } ?? "empty"
        switch record {
        case .missing: return "\(path) has no record beside it, and strict was asked for"
        case .broken(let reason): return "the record \(location.record) is not to be believed: \(reason)"
        case .valid(let record):
            if let metadata, record.storeID != metadata.storeID {
                return "\(path) is the store \(metadata.storeID), but its record is that of another store, \(record.storeID)"
            }
            let published =
                "\(record.version?.description ?? "no version"), generation \(record.generation), epoch \(record.epoch)"
            return facts.record == .ahead
                ? "\(path) went back: it is \(store), but published was \(published)"
                : "\(path) is \(store), but its record says \(published)"
        }
    }
}
