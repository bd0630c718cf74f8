#if STORE_FAULTS
import FaultPlan
import Glibc
import StoreMigration
import StoreReader
import StoreSQLite
import StoreShared

/// Looking at the store from outside: what must hold whenever somebody looks, and at the end.
extension ScheduleRun {
    /// The record first, then the store: what is seen later is never older.
    package func observe() throws {
        let isQuiet = actors.values.allSatisfy { !$0.isAlive || $0.isActive && $0.held == nil && $0.pending.isEmpty }
        let judgement = try judge(location, for: nil)
        if let record = judgement.record.record, record.storeID == judgement.metadata?.storeID || judgement.metadata == nil {
            if judgement.facts.record == .ahead {
                throw Violation("I5: the record says generation \(record.generation), epoch \(record.epoch); the store has not come there")
            }
        }
        guard let metadata = judgement.metadata else {
            let mayBeMissing = expected.generation == 0 || !isQuiet
            guard mayBeMissing else {
                throw Violation("I4: the store cannot be read: \(judgement.problem?.description ?? "why is not known")")
            }
            return
        }
        if metadata.generation < expected.generation {
            throw Violation("I5: the store is at generation \(metadata.generation), and \(expected.generation) was published")
        }
        expected.generation = metadata.generation
        if [.drifted, .foreign, .unreadable].contains(judgement.facts.store) {
            throw Violation("I4: the store is \(judgement.facts.store) at \(metadata.version)")
        }
        if isQuiet, !expected.lockWasMeddledWith {
            let isOwned = actors.values.contains(where: \.owns)
            if !isOwned, judgement.facts.owner == .alive {
                // Who leaves by itself, after a restore, says so a step before it gives the lock up.
                try wait(for: "the lock to be given up") {
                    self.actors.values.contains(where: \.owns) || OwnerLock.probe(self.location) == .dead
                }
            } else if judgement.facts.owner != (isOwned ? .alive : .dead) {
                throw Violation("I7: the owner is said to be \(judgement.facts.owner)")
            }
        }
        try checkWaiters()
        if let contents = try contents() { try check(contents.tags, acknowledged: expected.acknowledged, by: "an observer") }
    }

    /// I12: who waits holds no snapshot.
    private func checkWaiters() throws {
        let waiting = actors.values.filter { $0.isActive && $0.held == nil && $0.states["reader"] == "waiting" }
        guard !waiting.isEmpty else { return }
        let holders = KernelLocks.snapshotHolders(of: location)
        for actor in waiting where holders.contains(actor.pid) {
            // It may have judged again by now.
            try pump()
            if actor.states["reader"] == "waiting", KernelLocks.snapshotHolders(of: location).contains(actor.pid), try stillWaits(actor) {
                throw Violation("I12: \(actor.name) waits with a snapshot")
            }
        }
    }

    private func stillWaits(_ actor: ActorProcess) throws -> Bool {
        let said = transcript.count
        System.sleep(.milliseconds(20))
        try pump()
        return transcript.count == said && KernelLocks.snapshotHolders(of: location).contains(actor.pid)
    }

    /// The rows of one snapshot, each of them whole for the version that the store has there; nil while there is no store.
    package func contents() throws -> (version: Int, tags: Set<String>)? {
        guard (try? System.stat(location.store)) != nil else { return nil }
        let connection = try Connection(path: location.store, access: .readOnly)
        defer { connection.close() }
        return try connection.reading {
            guard let metadata = try StoreMetadata.read(connection) else { return nil }
            let version = metadata.version.major
            let letter = FaultPlan.letter(version)
            var tags: Set<String> = []
            for row in try connection.rows("SELECT a, b, tag FROM note") {
                let tag = row[2].text ?? ""
                let other = letter == "a" ? "b" : "a"
                guard row[0].text == letter + tag, row[1].text == other + tag else {
                    throw Violation("I4: row \(tag) is half migrated: \(row[0].text ?? ""), \(row[1].text ?? "") at \(version).0.0")
                }
                guard tags.insert(tag).inserted else { throw Violation("I4: row \(tag) is there twice") }
            }
            return (version, tags)
        }
    }

    // MARK: The end

    /// Lets everybody come to an end, takes every fault away but what lies in the files, and has a new owner bring the store home: nothing
    /// may need a person.
    package func settle() throws {
        note("-- the end")
        for actor in actors.values.sorted(by: { $0.name < $1.name }) where actor.isAlive {
            resume(actor)
            actor.held = nil
            for command in ["disk", "release", "cancel"] {
                actor.wasCancelled = true
                actor.give(Order(step: .observe, before: expected, othersOwned: false, somebodyStood: true), command)
            }
        }
        try wait(for: "everybody to come to an end") {
            self.actors.values.allSatisfy { !$0.isAlive || $0.pending.isEmpty || $0.held != nil || $0.isStopped }
        }
        // A trap may have been sprung before it was taken away.
        for actor in actors.values where actor.isAlive && !actor.pending.isEmpty {
            resume(actor)
            actor.held = nil
            actor.give(Order(step: .observe, before: expected, othersOwned: false, somebodyStood: true), "release")
        }
        try wait(for: "everybody to come to an end") { self.actors.values.allSatisfy { !$0.isAlive || $0.pending.isEmpty } }
        try observe()
        for name in actors.keys.sorted() { try perform(schedule.seed % 2 == 0 ? .kill(name) : .closeOwner(name)) }
        for name in actors.keys.sorted() { try perform(.kill(name)) }
        try bringHome()
    }

    private func bringHome() throws {
        let target = FaultPlan.versions.upperBound
        let last = try actor("last")
        try order(.own("last", target: target, wait: 0, perStage: false, failing: nil, backups: false), last, "own target=\(target) wait=0")
        guard last.states["owner"] == "serving" else { throw Violation("I8: the last owner did not come to serve, but is \(last.states)") }
        let tags = newTags(1)
        try order(.write("last", rows: 1, undone: false), last, "write tags=\(tags[0])", tags: tags)
        try observe()
        guard let contents = try contents(), contents.version == target else {
            throw Violation("I4: the store did not come to \(target).0.0")
        }
        try check(contents.tags, acknowledged: expected.acknowledged, by: "the last reader")
        let reader = try StoreReader.open(at: location.store, identity: try FaultPlan.identity(target))
        defer { reader.close() }
        let integrity = try reader.rows("PRAGMA integrity_check")
        guard integrity == [["ok"]] else { throw Violation("I4: integrity_check says \(integrity)") }
        let unfilled = try reader.rows("SELECT tag FROM note WHERE d IS NULL OR d <> 'd' || tag")
        guard unfilled.isEmpty else { throw Violation("I4: the batches left out \(unfilled)") }
        try order(.closeOwner("last"), last, "close-owner")
        try perform(.kill("last"))
    }
}
#endif
