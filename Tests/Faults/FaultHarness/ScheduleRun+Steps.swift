#if STORE_FAULTS
import FaultPlan
import Glibc
import StoreReader
import StoreShared

/// Doing one step.
extension ScheduleRun {
    package func perform(_ step: Step) throws {
        switch step {
        case .own(let name, let target, let wait, let perStage, let failing, let backups):
            let actor = try ready(name)
            guard let actor else { return }
            if actor.owns { return try migrate(step, actor, target, failing) }
            if failing != nil { expected.mayHaveFailed = true }
            var command = "own target=\(target) wait=\(wait)"
            if perStage { command += " atomicity=stage" }
            if let failing { command += " failing=\(failing)" }
            if backups { command += " backups=1" }
            try order(step, actor, command)
        case .write(let name, let rows, let undone):
            guard let actor = try ready(name) else { return }
            let tags = newTags(rows)
            try order(step, actor, "write tags=\(tags.joined(separator: ","))" + (undone ? " throws" : ""), tags: tags)
        case .migrate(let name, let target, let failing):
            guard let actor = try ready(name) else { return }
            try migrate(step, actor, target, failing)
        case .restore(let name): try restore(name)
        case .closeOwner(let name):
            if let actor = try ready(name) { try order(step, actor, "close-owner") }
        case .open(let name, let version, let wait):
            if let actor = try ready(name) { try order(step, actor, "open version=\(version)" + (wait.map { " wait=\($0)" } ?? "")) }
        case .read(let name, let hold, let budget, let undone):
            guard let actor = try ready(name) else { return }
            try order(step, actor, "read budget=\(budget)" + (hold ? " hold" : "") + (undone ? " throws" : ""))
        case .closeReader(let name):
            if let actor = try ready(name) { try order(step, actor, "close-reader") }
        case .say(let name, let words): if let actor = try ready(name) { try order(step, actor, words) }
        case .observe: try observe()
        case .idle(let milliseconds): try idle(milliseconds)
        default: try performFault(step)
        }
    }

    /// The actor, if it can be told something now.
    private func ready(_ name: String) throws -> ActorProcess? {
        let actor = try actor(name)
        if actor.isActive && actor.held == nil && actor.pending.isEmpty { return actor }
        guard skipsWhatCannotBeTold else { throw HarnessFailure("\(name) cannot be told anything now") }
        return nil
    }

    private func migrate(_ step: Step, _ actor: ActorProcess, _ target: Int, _ failing: Int?) throws {
        if failing != nil { expected.mayHaveFailed = true }
        try order(step, actor, "migrate target=\(target)" + (failing.map { " failing=\($0)" } ?? ""))
    }

    private func idle(_ milliseconds: Int) throws {
        let deadline = Deadline.after(.milliseconds(milliseconds))
        while !deadline.hasPassed {
            try pump()
            _ = try System.poll(actors.values.filter(\.isAlive).map(\.output), until: min(deadline, .after(.milliseconds(20))))
        }
    }

    /// Asks the owner to put its newest backup back.
    private func restore(_ name: String) throws {
        guard let actor = actors[name], actor.owns, actor.isActive, actor.held == nil, actor.pending.isEmpty, !actor.isImpaired,
            !actor.isCondemned, let newest = try? System.names(in: location.backups).filter({ !$0.hasPrefix(".") }).max()
        else { return }
        guard let client = try? LineClient(location, until: .after(.seconds(2))) else { return }
        let owners = actors.values.filter(\.owns)
        var request = Request(.restore)
        request.from = location.backups + "/" + newest
        // From here on rows of later than the backup may be gone.
        expected.wasRestored = true
        let acknowledged = expected.acknowledged
        let version = try contents()?.version
        expected.acknowledged = []
        try? client.send(MessageCoding.line(request), until: .after(.seconds(2)))
        _ = client.receive(until: .after(.seconds(10)))
        expected.acknowledged = acknowledged.intersection(try contents()?.tags ?? [])
        // Whoever has brought back another version leaves: the one that was asked, or whoever has superseded it.
        if try contents()?.version != version {
            try wait(for: "the owner that restored to leave") { owners.contains { !$0.owns } }
        }
    }

    private func performFault(_ step: Step) throws {
        switch step {
        case .trap(let name, let machine, let state, let event, let passes, let action):
            let actor = try actor(name)
            guard actor.isActive else { return }
            if action == "kill" { actor.isCondemned = true }
            try tell(actor, "trap machine=\(machine) state=\(state) event=\(event) passes=\(passes) do=\(action)")
        case .mortal(let name, let points):
            if actors[name]?.isAlive != true { makeMortal(name, points) }
        case .kill(let name): try kill(name)
        case .stop(let name):
            guard let actor = actors[name], actor.isActive else { return }
            actor.send(SIGSTOP)
            actor.waitUntilStopped()
            expected.standings += 1
        case .resume(let name): if let actor = actors[name] { resume(actor) }
        case .release(let name):
            guard let actor = actors[name], actor.isActive else { return }
            actor.held = nil
            try tell(actor, "release")
            try settleDown(actor)
        case .releaseAll:
            let standing = actors.values.filter { $0.isActive && $0.held != nil }
            for actor in standing {
                actor.held = nil
                actor.give(Order(step: .observe, before: expected, othersOwned: false, somebodyStood: false), "release")
            }
            for actor in standing { try settleDown(actor) }
        case .cancel(let name):
            guard let actor = actors[name], actor.isActive else { return }
            actor.wasCancelled = true
            try tell(actor, "cancel")
            try settleDown(actor)
        case .fullDisk(let name, let successes):
            let actor = try actor(name)
            guard actor.isActive else { return }
            actor.isImpaired = true
            expected.mayHaveFailed = true
            try tell(actor, "disk successes=\(successes)")
        case .fail(let name, let call, let number, let after, let times):
            let actor = try actor(name)
            guard actor.isActive else { return }
            actor.isImpaired = true
            expected.mayHaveFailed = true
            try tell(actor, "fault call=\(call) errno=\(number) after=\(after) times=\(times)")
        case .mend(let name):
            guard let actor = actors[name], actor.isActive else { return }
            try tell(actor, "disk")
        case .swapLock(let name):
            let actor = try actor(name)
            guard actor.isActive else { return }
            expected.lockWasMeddledWith = true
            try tell(actor, "swap-lock")
        case .die(let name, let call, let after):
            let actor = try actor(name)
            guard actor.isActive else { return }
            actor.isCondemned = true
            let isOfSQLite = call.hasPrefix("sqlite:")
            try tell(actor, isOfSQLite ? "fault call=\(call) errno=-1 after=\(after) times=1" : "die call=\(call) after=\(after)")
        case .ownCancelled(let name):
            guard let actor = try ready(name), !actor.owns else { return }
            actor.wasCancelled = true
            try order(.own(name, target: 1, wait: 0, perStage: false, failing: nil, backups: false), actor, "own target=1 cancelled")
        case .clock(let name, let seconds):
            let actor = try actor(name)
            if actor.isActive { try tell(actor, "clock seconds=\(seconds)") }
        case .damageRecord(let damage): damageRecord(damage)
        case .remove(let file):
            if file == "owner.lock" { expected.lockWasMeddledWith = true }
            if file == "gate.lock" { expected.gateWasMeddledWith = true }
            try? System.unlink(location.keeper + "/" + file)
        case .moveLock:
            expected.lockWasMeddledWith = true
            try? System.rename(location.ownerLock, to: location.ownerLock + ".moved")
        case .putLockBack: try? System.rename(location.ownerLock + ".moved", to: location.ownerLock)
        case .replaceStore: try replaceStore()
        case .smashIndex: try smashIndex()
        case .powerCut: try cutPower()
        default: break
        }
    }

    /// How often an actor has made a system call of that name.
    package func count(_ call: String, of name: String) throws -> Int {
        let actor = try actor(name)
        try tell(actor, "count call=\(call)")
        return actor.acknowledgement.last.flatMap { Int($0) } ?? 0
    }

    /// Something that is done at once, whatever else the actor is at.
    private func tell(_ actor: ActorProcess, _ command: String) throws {
        note("\(actor.name) < \(command)")
        let waiting = actor.pending.count
        actor.give(Order(step: .observe, before: expected, othersOwned: false, somebodyStood: false), command)
        try wait(for: "\(actor.name) to take: \(command)") { actor.pending.count <= waiting || !actor.isActive }
    }

    /// Waits until an actor that was let go on has done what it was at, or stands again.
    private func settleDown(_ actor: ActorProcess) throws {
        try wait(for: "\(actor.name) to go on") {
            // What was published while it stood wakes it at once; else it is to be seen what does.
            actor.pending.isEmpty || !actor.isActive || actor.held != nil || actor.states["owner"] == "waiting"
                || actor.states["reader"] == "waiting" && actor.publicationsWhileHeld == 0 || self.isBlockedByOthers(actor)
        }
    }

    private func kill(_ name: String) throws {
        guard let actor = actors[name], actor.isAlive else { return }
        actor.isCondemned = true
        actor.send(SIGKILL)
        try wait(for: "\(name) to die") { !actor.isAlive }
    }

    func resume(_ actor: ActorProcess) {
        guard actor.isAlive else { return }
        if actor.isStopped, actor.isHeldBySignal { actor.held = nil }
        actor.isStopped = false
        actor.send(SIGCONT)
    }

    // MARK: Files

    private func damageRecord(_ damage: Step.RecordDamage) {
        let path = location.record
        func replace(_ bytes: [UInt8]) {
            guard let file = try? System.open(path + ".damaged", [.readWrite, .create], mode: 0o644) else { return }
            try? System.truncate(file, to: 0, path: path)
            try? System.writeAll(file, bytes, path: path)
            try? System.rename(path + ".damaged", to: path)
        }
        let now: [UInt8] = (try? System.open(path, .read)).flatMap { try? System.readAll($0, path: path, limit: 65536) } ?? []
        switch damage {
        case .empty: replace([])
        case .torn: replace(Array(now.prefix(now.count / 2)))
        case .garbage: replace((0..<500).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) })
        case .long: replace([UInt8](repeating: UInt8(ascii: "A"), count: 10 << 20))
        case .windows: replace(now.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] })
        case .removed: try? System.unlink(path)
        case .folder:
            try? System.unlink(path)
            try? System.makeFolder(path, mode: 0o755)
        case .link:
            try? System.unlink(path)
            _ = symlink("/etc/passwd", path)
        case .older: if let older = olderRecord { replace(older) }
        }
        if olderRecord == nil, !now.isEmpty { olderRecord = now }
    }

    private var nobodyIsThere: Bool { !actors.values.contains(where: \.isAlive) }

    /// Puts a copy of the whole store in its place, which nobody should do, but readers are to notice.
    private func replaceStore() throws {
        guard !actors.values.contains(where: { $0.isAlive && ($0.name.hasPrefix("o") || $0.states["reader"] == "reading") }),
            (try? System.stat(location.store + "-wal"))?.size == 0
        else { return }
        try copy(location.store, to: folder + "/copy")
        try? System.rename(folder + "/copy", to: location.store)
    }

    private func smashIndex() throws {
        guard nobodyIsThere, let file = try? System.open(location.store + "-shm", .readWrite) else { return }
        try System.writeAll(file, (0..<32768).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }, path: "-shm")
    }

    /// Everybody dies, and the files are what was made durable.
    private func cutPower() throws {
        for name in actors.keys.sorted() { try kill(name) }
        expected.powerWasCut = true
        note("   the power is cut")
        try? System.unlink(location.store + "-shm")
        for (kept, path) in [("store", location.store), ("wal", location.store + "-wal"), ("record", location.record)] {
            removeTree(path)
            let ledger = folder + "/ledger/" + kept
            if (try? System.stat(ledger)) != nil { try copy(ledger, to: path) }
        }
    }

    /// No process of this harness has either open.
    func copy(_ from: String, to: String) throws {
        let source = try System.open(from, .read)
        let bytes = try System.readAll(source, path: from, limit: 1 << 30)
        let mode = try System.stat(source, path: from).permissions
        let target = try System.open(to, [.readWrite, .create, .exclusive], mode: mode)
        try System.writeAll(target, bytes, path: to)
    }
}
#endif
