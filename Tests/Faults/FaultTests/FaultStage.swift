#if STORE_FAULTS
import FaultHarness
import FaultPlan
import ProcessHarness
import StoreMigration
import StoreReader
import StoreSQLite
import StoreShared
import Testing

/// A store of its own, and the processes that a test sends there step by step. Whatever is seen is held against what must hold; `end` brings
/// the store home by a new owner.
final class FaultStage {
    let run: ScheduleRun

    init(planted: Planted? = nil, pace: Int = 10, cutsPower: Bool = false) throws {
        System.ignoreBrokenPipes()
        var settings = try Self.settings()
        settings.pace = pace
        settings.planted = planted?.rawValue ?? ""
        let schedule = Schedule(seed: UInt64.random(in: 1...UInt64.max) & ~1, steps: cutsPower ? [.powerCut] : [])
        run = try ScheduleRun(schedule, settings, Coverage())
        run.skipsWhatCannotBeTold = false
    }

    static func settings() throws -> FaultSettings { FaultSettings(actor: try Product.faultActor.path) }

    var location: StoreLocation { run.location }

    func callAsFunction(_ steps: Step...) throws {
        for step in steps { try perform(step) }
    }

    private func perform(_ step: Step) throws {
        do {
            try run.perform(step)
        } catch let violation as Violation {
            Issue.record("\(violation)\n\(run.transcript.joined(separator: "\n"))")
            throw violation
        }
    }

    /// Has an actor do something whose answer only the test judges.
    func unchecked(_ actor: String, _ words: String) throws -> String {
        try perform(.say(actor, words))
        return answer(actor)
    }

    /// Everybody comes to an end, and a new owner to 5.0.0.
    func end() throws {
        run.skipsWhatCannotBeTold = true
        do {
            try run.settle()
        } catch let violation as Violation {
            Issue.record("\(violation)\n\(run.transcript.joined(separator: "\n"))")
            throw violation
        }
    }

    /// What an actor answered to its last order: `ok …` or `error CODE …`; empty while it has not.
    func answer(_ actor: String) -> String { run.lastAnswer(actor) }

    /// Whether an actor came to that.
    func said(_ actor: String, _ event: String) -> Bool { run.transcript.contains("\(actor) > ~ \(event)") }

    func times(_ actor: String, _ event: String) -> Int { run.transcript.count { $0 == "\(actor) > ~ \(event)" } }

    /// Whether the owner answers a hello on its socket.
    func answers() throws -> Bool { try Self.answers(location) }

    static func answers(_ location: StoreLocation) throws -> Bool {
        let client = try LineClient(location, until: .after(.seconds(10)))
        try client.send(MessageCoding.line(Hello(role: .shell, wanted: nil)), until: .after(.seconds(10)))
        if case .line = client.receive(until: .after(.seconds(10))) { return true }
        return false
    }

    var record: PublishedRecord? { PublishedRecord.read(from: location).record }

    func store() throws -> StoreMetadata { try #require(try StoreSight.look(at: location, for: nil).metadata) }

    func verdict(_ version: Int, strict: Bool = false) throws -> Verdict {
        try judge(location, for: try FaultPlan.identity(version), strict: strict).verdict
    }
}

extension Step {
    static func own(_ actor: String, _ target: Int, wait: Int = 0, failing: Int? = nil, backups: Bool = false) -> Step {
        .own(actor, target: target, wait: wait, perStage: false, failing: failing, backups: backups)
    }
    static func write(_ actor: String, _ rows: Int = 1) -> Step { .write(actor, rows: rows, undone: false) }
    static func migrate(_ actor: String, _ target: Int) -> Step { .migrate(actor, target: target, failing: nil) }
    static func open(_ actor: String, _ version: Int, wait: Int? = nil) -> Step { .open(actor, version: version, wait: wait) }
    static func read(_ actor: String) -> Step { .read(actor, hold: false, budget: 3000, undone: false) }
    static func hold(_ actor: String) -> Step { .read(actor, hold: true, budget: 5000, undone: false) }
    /// Kills, stops or holds an actor up where that event comes in that state: `owner migrating committed`.
    static func trap(_ actor: String, _ action: String, at place: String) -> Step {
        let words = place.split(separator: " ").map(String.init)
        return .trap(actor, machine: words[0], state: words[1], event: words[2], passes: 0, action: action)
    }
}
#endif
