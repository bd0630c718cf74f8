import StoreShared
import Testing

/// The table of verdicts, as a person would write it: every combination of facts stands in exactly one row.
private struct Row {
    var stores: Set<StoreState>
    var records: Set<RecordRelation> = Set(RecordRelation.allCases)
    var states: Set<RecordState?> = Set(RecordState.allCases.map { $0 } + [nil])
    var owners: Set<OwnerLiveness> = Set(OwnerLiveness.allCases)
    var strict: Set<Bool> = [true, false]
    var verdict: Verdict

    func holds(_ facts: Facts) -> Bool {
        stores.contains(facts.store) && records.contains(facts.record) && states.contains(facts.recordState)
            && owners.contains(facts.owner) && strict.contains(facts.strict)
    }
}

private let ours: Set<StoreState> = [.older, .readable, .newer, .pending]
private let atWork: Set<RecordState?> = [.migrating, .opening]
private let atRest: Set<RecordState?> = [.ready, .closed, nil]
private let notFailed: Set<RecordState?> = [.migrating, .opening, .ready, .closed, nil]
private let unusable: Set<RecordRelation> = [.missing, .broken, .older]
private let notDead: Set<OwnerLiveness> = [.alive, .unknown]

private let table: [Row] = [
    // No store, whatever else there is.
    Row(stores: [.absent], verdict: .absent),
    Row(stores: [.foreign, .unreadable, .drifted], verdict: .unreadable),
    Row(stores: [.empty], records: [.missing, .broken, .older, .equal], verdict: .absent),
    Row(stores: [.empty], records: [.ahead], owners: notDead, verdict: .absent),
    // The store went back behind what was published, and nobody is there to explain it.
    Row(stores: ours.union([.empty]), records: [.ahead], owners: [.dead], verdict: .disagreement),
    // Asked to be strict: the record has to agree.
    Row(stores: ours, records: unusable, strict: [true], verdict: .disagreement),
    Row(stores: ours, records: [.ahead], owners: notDead, strict: [true], verdict: .disagreement),
    // The store decides.
    Row(stores: [.readable], records: unusable, strict: [false], verdict: .ready),
    Row(stores: [.readable], records: [.equal], verdict: .ready),
    Row(stores: [.readable], records: [.ahead], owners: notDead, strict: [false], verdict: .ready),
    Row(stores: [.newer], records: unusable, strict: [false], verdict: .tooNew),
    Row(stores: [.newer], records: [.equal], verdict: .tooNew),
    Row(stores: [.newer], records: [.ahead], owners: notDead, strict: [false], verdict: .tooNew),
    // Not there yet: a migration failed.
    Row(stores: [.older, .pending], records: [.equal], states: [.failed], verdict: .failed),
    Row(stores: [.older, .pending], records: [.ahead], states: [.failed], owners: notDead, strict: [false], verdict: .failed),
    // Not there yet: nobody is at work, a dead owner's 'migrating' included.
    Row(stores: [.older, .pending], records: [.equal], states: notFailed, owners: [.dead], verdict: .outdated),
    Row(stores: [.older], records: [.equal], states: atRest, owners: notDead, verdict: .outdated),
    Row(stores: [.older], records: [.ahead], states: atRest, owners: notDead, strict: [false], verdict: .outdated),
    Row(stores: [.older], records: unusable, strict: [false], verdict: .outdated),
    Row(stores: [.pending], records: unusable, owners: [.dead, .unknown], strict: [false], verdict: .outdated),
    Row(stores: [.pending], records: [.equal], states: atRest, owners: [.unknown], verdict: .outdated),
    Row(stores: [.pending], records: [.ahead], states: atRest, owners: [.unknown], strict: [false], verdict: .outdated),
    // Not there yet: somebody is at work.
    Row(stores: [.older, .pending], records: [.equal], states: atWork, owners: notDead, verdict: .migrating),
    Row(stores: [.older, .pending], records: [.ahead], states: atWork, owners: notDead, strict: [false], verdict: .migrating),
    Row(stores: [.pending], records: [.equal], states: atRest, owners: [.alive], verdict: .migrating),
    Row(stores: [.pending], records: [.ahead], states: atRest, owners: [.alive], strict: [false], verdict: .migrating),
    Row(stores: [.pending], records: unusable, owners: [.alive], strict: [false], verdict: .migrating),
]

private var everyCombination: [Facts] {
    var found: [Facts] = []
    for store in StoreState.allCases {
        for record in RecordRelation.allCases {
            for state in RecordState.allCases.map({ $0 as RecordState? }) + [nil] {
                for owner in OwnerLiveness.allCases {
                    for strict in [true, false] {
                        found.append(Facts(store: store, record: record, recordState: state, owner: owner, strict: strict))
                    }
                }
            }
        }
    }
    return found
}

@Test func everyCombinationOfFactsHasTheVerdictOfItsOneRow() {
    #expect(everyCombination.count == 9 * 5 * 6 * 3 * 2)
    for facts in everyCombination {
        let rows = table.filter { $0.holds(facts) }
        #expect(rows.count == 1, "rows for \(facts)")
        #expect(verdict(of: facts) == rows.first?.verdict, "\(facts)")
    }
}

@Test func exitCodesAreThoseThatScriptsKnow() {
    let codes = Dictionary(uniqueKeysWithValues: Verdict.allCases.map { ($0, $0.exitCode) })
    #expect(
        codes == [
            .ready: 0, .outdated: 3, .tooNew: 4, .migrating: 6, .failed: 7, .absent: 8, .unreadable: 8, .disagreement: 9,
        ])
}

@Suite struct StoreStateTests {
    private let one = SchemaIdentity(version: SchemaVersion(1, 0, 0), fingerprint: Fingerprint(of: "one"))
    private let two = SchemaIdentity(version: SchemaVersion(2, 0, 0), fingerprint: Fingerprint(of: "two"))

    private func store(_ identity: SchemaIdentity, readableBy: [SchemaIdentity] = [], target: SchemaIdentity? = nil) throws -> StoreMetadata
    {
        StoreMetadata(
            storeID: "s", frontEnd: "models", version: identity.version, fingerprint: try #require(identity.fingerprint),
            shape: Fingerprint(of: "shape"), readableBy: readableBy + [identity], epoch: 1, generation: 1, target: target)
    }

    @Test func theFingerprintDecidesAndTheNumberNames() throws {
        #expect(try store(two).state(for: two) == .readable)
        #expect(try store(two).state(for: SchemaIdentity(version: SchemaVersion(2, 0, 0))) == .readable)
        #expect(try store(two).state(for: one) == .newer)
        #expect(try store(one).state(for: two) == .older)
        #expect(try store(two, readableBy: [one]).state(for: one) == .readable)
    }

    @Test func theSameNumberWithAnotherFingerprintIsOlderUnlessTheStoreHasLeftIt() throws {
        let edited = SchemaIdentity(version: SchemaVersion(2, 0, 0), fingerprint: Fingerprint(of: "edited"))
        #expect(try store(two).state(for: edited) == .older)
        #expect(try store(two).state(for: edited, hasLeft: true) == .newer)
    }

    @Test func aPendingStoreIsReadableAsBeforeAndPendingForItsTarget() throws {
        let pending = try store(one, target: two)
        #expect(pending.state(for: one) == .readable)
        #expect(pending.state(for: two) == .pending)
        #expect(pending.state(for: SchemaIdentity(version: SchemaVersion(3, 0, 0))) == .older)
        #expect(pending.state(for: SchemaIdentity(version: SchemaVersion(0, 9, 0))) == .newer)
    }

    @Test func aRecordIsComparedByGenerationAndThenByWhatItSays() throws {
        var metadata = try store(two)
        var record = try PublishedRecord.sample()
        record.storeID = "s"
        record.version = two.version
        record.fingerprint = two.fingerprint
        record.generation = 1
        record.epoch = 1
        #expect(record.relation(toStore: metadata) == .equal)
        metadata.generation = 2
        #expect(record.relation(toStore: metadata) == .older)
        metadata.generation = 0
        #expect(record.relation(toStore: metadata) == .ahead)
        metadata.generation = 1
        record.epoch = 2
        #expect(record.relation(toStore: metadata) == .ahead)
        record.epoch = 1
        record.version = one.version
        #expect(record.relation(toStore: metadata) == .broken)
        record.version = two.version
        record.storeID = "other"
        #expect(record.relation(toStore: metadata) == .broken)
    }
}
