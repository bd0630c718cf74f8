#if STORE_FAULTS
import FaultPlan
import Glibc
import StoreReader
import StoreSQLite
import StoreShared

/// Runs one schedule on a store of its own and holds what is seen against what must hold. Used by one thread.
package final class ScheduleRun {
    let settings: FaultSettings
    let schedule: Schedule
    let coverage: Coverage
    let folder: String
    package let location: StoreLocation
    var actors: [String: ActorProcess] = [:]
    var expected = Expectations()
    /// All that was said, for the report of a failure.
    package private(set) var transcript: [String] = []
    /// Points after which the next process of that name is to die.
    private var mortality: [String: Int] = [:]
    private var started = 0
    private var tags = 0
    /// Whether a step for an actor that cannot be told anything now is passed over, as random schedules need it; else it is a failure.
    package var skipsWhatCannotBeTold = true
    /// The first record that was damaged, as it was.
    var olderRecord: [UInt8]?
    var processes: Int { started }

    /// How long an actor may take for anything: only one that hangs takes longer.
    private static let patience: Duration = .seconds(30)

    package init(_ schedule: Schedule, _ settings: FaultSettings, _ coverage: Coverage) throws {
        self.schedule = schedule
        self.settings = settings
        self.coverage = coverage
        folder = "\(settings.parent)/storekeeper-faults-\(System.processID)-\(schedule.seed)"
        try System.makeFolder(folder, mode: 0o700)
        try System.makeFolder(folder + "/ledger", mode: 0o700)
        location = try StoreLocation(path: folder + "/s.store")
    }

    deinit {
        actors = [:]
        removeTree(folder)
    }

    func run() throws {
        for (index, step) in schedule.steps.enumerated() {
            note("-- \(index + 1). \(step)")
            try perform(step)
            try pump()
        }
        try settle()
    }

    func note(_ line: String) {
        transcript.append(line)
    }

    // MARK: Actors

    func actor(_ name: String) throws -> ActorProcess {
        if let actor = actors[name], actor.isAlive { return actor }
        var environment = ["STORE_PACE": String(settings.pace)]
        if !settings.planted.isEmpty { environment["STORE_PLANTED"] = settings.planted }
        if let points = mortality.removeValue(forKey: name) { environment["STORE_POINTS"] = String(points) }
        let arguments = [location.store] + (schedule.cutsPower ? [folder + "/ledger"] : [])
        let actor = try ActorProcess(name, program: settings.actor, arguments: arguments, environment: environment)
        if environment["STORE_POINTS"] != nil { actor.isCondemned = true }
        actors[name] = actor
        started += 1
        return actor
    }

    func makeMortal(_ name: String, _ points: Int) {
        mortality[name] = points
    }

    func newTags(_ count: Int) -> [String] {
        (0..<count).map { _ in
            tags += 1
            return "t\(tags)"
        }
    }

    /// Tells an actor something and waits until it is done, or cannot go on by itself for now.
    func order(_ step: Step, _ actor: ActorProcess, _ command: String, tags: [String] = []) throws {
        note("\(actor.name) < \(command)")
        begin(step, actor)
        actor.lastAnswer = ""
        let others = actors.values.filter { $0 !== actor }
        actor.give(
            Order(
                step: step, tags: tags, before: expected, othersOwned: others.contains(where: \.owns),
                somebodyStood: others.contains { $0.isStopped || $0.held != nil }), command)
        try wait(for: "\(actor.name) to do: \(command)") {
            actor.pending.isEmpty || !actor.isActive || actor.held != nil || step.mayWait && actor.isWaiting
                || self.isBlockedByOthers(actor)
        }
    }

    /// Whoever is told to own or to open is where that begins, before it says so.
    private func begin(_ step: Step, _ actor: ActorProcess) {
        func isOver(_ machine: String) -> Bool { ["refused", "closed"].contains(actor.states[machine] ?? "closed") }
        switch step {
        case .own: if isOver("owner") { actor.states["owner"] = "looking" }
        case .open(_, _, let wait): if isOver("reader") { actor.states["reader"] = wait == nil ? "judging" : "subscribing" }
        default: break
        }
    }

    /// Whether it may have to wait for one that is stopped or held up: then the schedule goes on without it.
    func isBlockedByOthers(_ actor: ActorProcess) -> Bool {
        actors.values.contains { $0 !== actor && $0.isAlive && ($0.isStopped || $0.held != nil) } && actor.isBusySince(.milliseconds(60))
    }

    /// Hears what there is to hear.
    func pump() throws {
        for actor in actors.values.sorted(by: { $0.name < $1.name }) { try absorb(actor) }
    }

    package func wait(for what: String, until condition: () -> Bool) throws {
        let deadline = Deadline.after(Self.patience)
        while true {
            try pump()
            if condition() { return }
            if deadline.hasPassed { throw Violation("I11: waited in vain for \(what)") }
            let listening = actors.values.filter(\.isAlive).map(\.output)
            _ = try System.poll(listening, until: .after(.milliseconds(20)))
        }
    }

    func absorb(_ actor: ActorProcess) throws {
        // Another's answer may be looked into while one of this actor's is.
        guard !actor.isBeingHeard else { return }
        actor.isBeingHeard = true
        defer { actor.isBeingHeard = false }
        while let line = actor.nextLine() {
            note("\(actor.name) > \(line)")
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "~" where words.count == 4: try happened(actor, words[1], words[2], words[3])
            case "!" where words.count == 5: stood(actor, words[1], words[2...].joined(separator: " "))
            case "=" where words.count >= 3: try answered(actor, Int(words[1]) ?? 0, words[2], Array(words.dropFirst(3)))
            default: throw Violation("\(actor.name) said what it should not: \(line)")
            }
        }
        if !actor.endIsKnown, let ending = actor.ending {
            actor.endIsKnown = true
            try ended(actor, ending)
        }
    }

    private func stood(_ actor: ActorProcess, _ how: String, _ place: String) {
        actor.held = place
        actor.publicationsWhileHeld = 0
        expected.standings += 1
        actor.isHeldBySignal = how == "stopped"
        if actor.isHeldBySignal { actor.waitUntilStopped() }
    }

    private func ended(_ actor: ActorProcess, _ ending: String) throws {
        note("\(actor.name) ended: \(ending)")
        for (machine, state) in actor.states {
            let isFinal = OwnerState(rawValue: state)?.isFinal == true || ReaderState(rawValue: state)?.isFinal == true
            if !isFinal { coverage.count(machine, state, "killed") }
        }
        expected.isShut = false
        guard ending == "signal 9", actor.isCondemned else {
            throw Violation("\(actor.name) ended by itself: \(ending)")
        }
    }

    // MARK: What must hold of the states

    private func happened(_ actor: ActorProcess, _ machine: String, _ state: String, _ event: String) throws {
        actor.isWorking()
        coverage.count(machine, state, event)
        let before = actor.states[machine]
        let next = Self.next(machine, state, event)
        guard let next else { throw Violation("\(actor.name): \(event) cannot happen in \(state)") }
        if !Self.follows(machine, before, state, event) {
            throw Violation("\(actor.name): \(machine) \(state) \(event), but it was in \(before ?? "no state")")
        }
        // A fenced owner finds it again with each write.
        // The housekeeper's thread may speak before the publishing one.
        if before == "publishing", state == "serving" { return }
        actor.states[machine] = before == "fenced" && event == "fenced" ? "fenced" : next
        if machine == "owner" { followGate(event) }
        if machine == "reader" { try followWaiter(actor, state, event) }
        if event == "gatePassed" { try checkTurnstile(actor) }
        if machine == "owner", event == "lockTaken" {
            expected.owners += 1
            try checkOnlyOwner(actor)
        }
    }

    private static func next(_ machine: String, _ state: String, _ event: String) -> String? {
        switch machine {
        case "owner":
            guard let state = OwnerState(rawValue: state), let event = OwnerStateEvent(rawValue: event) else { return nil }
            return state.next(on: event)?.rawValue
        default:
            guard let state = ReaderState(rawValue: state), let event = ReaderStateEvent(rawValue: event) else { return nil }
            return state.next(on: event)?.rawValue
        }
    }

    private static func follows(_ machine: String, _ before: String?, _ state: String, _ event: String) -> Bool {
        if before == state { return true }
        if machine == "owner" {
            // Where the lock file was put back and nobody had come between, it never was superseded.
            if before == "fenced", state == "serving" { return true }
            if before == "publishing", state == "serving", event == "recordWritten" { return true }
            return state == "looking" && (before == nil || before == "refused" || before == "closed")
        }
        return (state == "subscribing" || state == "judging") && (before == nil || before == "refused" || before == "closed")
    }

    /// I1: while nobody meddles with the lock file there is one owner.
    private func checkOnlyOwner(_ actor: ActorProcess) throws {
        // Whichever of two took the lock first said that it gave it up before the other took it, or died before: both are heard to the end.
        actor.isBeingHeard = false
        defer { actor.isBeingHeard = true }
        for other in actors.values where other !== actor {
            try absorb(other)
            try absorb(actor)
            if other.owns, other.isCondemned {
                // The kernel lets go of the lock before all of the process has ended.
                let deadline = Deadline.after(.seconds(5))
                while other.isAlive, !deadline.hasPassed {
                    _ = try System.poll([other.output], until: .after(.milliseconds(20)))
                    try absorb(other)
                }
            }
            if actor.owns, other.owns, !expected.lockWasMeddledWith {
                throw Violation("I1: \(actor.name) owns the store, and so does \(other.name)")
            }
        }
    }

    private func followGate(_ event: String) {
        // Why it failed is judged by its answer.
        if event == "failed" { expected.mayHaveFailed = true }
        expected.isShut = event == "newcomersStopped"
        if expected.isShut { expected.shuttings += 1 }
    }

    /// Whoever comes when newcomers are stopped stays outside: else there is no end of readers.
    private func checkTurnstile(_ actor: ActorProcess) throws {
        guard let before = actor.pending.values.first?.before, before.isShut, before.shuttings == expected.shuttings else { return }
        // An owner that has opened the gate again has said so before, or has died.
        for other in actors.values where other !== actor { try absorb(other) }
        let isCertain =
            !expected.gateWasMeddledWith && !expected.lockWasMeddledWith
            && !actors.values.contains { $0.isCondemned && $0.name.hasPrefix("o") }
        if expected.isShut, isCertain { throw Violation("the gate: \(actor.name) came in while an owner had stopped newcomers") }
    }

    /// I6: what was published between judging and waiting ends the wait, not the tick.
    private func followWaiter(_ actor: ActorProcess, _ state: String, _ event: String) throws {
        if state == "subscribing" { actor.means = event }
        guard state == "waiting" else { return }
        defer { actor.publicationsWhileHeld = 0 }
        if event == "ticked", actor.publicationsWhileHeld > 0, actor.means != "ticking" {
            throw Violation("I6: \(actor.name) was subscribed (\(actor.means)), something was published, and only the tick woke it")
        }
    }

    /// An owner has published something, and whoever listens has been sent it.
    func publicationIsOver(by actor: ActorProcess) {
        guard !actor.isImpaired, let client = try? LineClient(location, until: .after(.seconds(1))) else { return }
        // The answer comes behind everything that was broadcast before.
        try? client.send(MessageCoding.line(Hello(role: .shell, wanted: nil)), until: .after(.seconds(1)))
        guard case .line = client.receive(until: .after(.seconds(1))) else { return }
        for other in actors.values where other.held == "reader judging storeMayBecomeReady" { other.publicationsWhileHeld += 1 }
    }
}

/// Removes a folder with everything in it.
func removeTree(_ path: String) {
    guard let facts = try? System.linkStat(path) else { return }
    if facts.kind == .folder {
        for name in (try? System.names(in: path)) ?? [] { removeTree(path + "/" + name) }
        _ = rmdir(path)
    } else {
        try? System.unlink(path)
    }
}
#endif
