/// One step of a schedule: what an actor is told, or what is done to it or to the files.
package enum Step: Sendable {
    case own(String, target: Int, wait: Int, perStage: Bool, failing: Int?, backups: Bool)
    case write(String, rows: Int, undone: Bool)
    case migrate(String, target: Int, failing: Int?)
    case restore(String)
    case closeOwner(String)
    case open(String, version: Int, wait: Int?)
    case read(String, hold: Bool, budget: Int, undone: Bool)
    case closeReader(String)
    case cancel(String)
    case release(String)
    /// Lets all go on at the same moment.
    case releaseAll
    /// Any other command of an actor, by its words.
    case say(String, String)
    /// Looks at the store from outside.
    case observe
    /// Lets the log be copied and ticks pass.
    case idle(milliseconds: Int)

    // Faults.
    case trap(String, machine: String, state: String, event: String, passes: Int, action: String)
    case mortal(String, points: Int)
    case kill(String)
    case stop(String)
    case resume(String)
    case fullDisk(String, successes: Int)
    case mend(String)
    case fail(String, call: String, number: Int32, after: Int, times: Int)
    case damageRecord(RecordDamage)
    case remove(String)
    case moveLock
    case swapLock(String)
    case die(String, call: String, after: Int)
    case ownCancelled(String)
    case putLockBack
    /// The wall clock of a process is wrong by so much from now on.
    case clock(String, seconds: Int)
    case replaceStore
    case smashIndex
    case powerCut

    package enum RecordDamage: String, Sendable, CaseIterable { case empty, torn, garbage, long, windows, removed, folder, link, older }

    package var isFault: Bool {
        switch self {
        case .trap, .mortal, .kill, .stop, .fullDisk, .fail, .damageRecord, .remove, .moveLock, .swapLock, .ownCancelled, .die, .clock,
            .replaceStore,
            .smashIndex, .powerCut:
            true
        default: false
        }
    }

    /// Whether its actor may wait for others with it. One that is given no time passes through the state of waiting too, and answers.
    var mayWait: Bool {
        switch self {
        case .own(_, _, let wait, _, _, _): wait > 0
        case .open(_, _, let wait): wait != nil
        default: true
        }
    }

    /// Whether its actor is started for it.
    var startsActor: Bool {
        switch self {
        case .own, .write, .migrate, .open, .read, .trap, .fullDisk, .fail, .swapLock, .ownCancelled, .die, .clock: true
        default: false
        }
    }

    /// The actor that it is for.
    package var actor: String? {
        switch self {
        case .own(let actor, _, _, _, _, _), .write(let actor, _, _), .migrate(let actor, _, _), .restore(let actor),
            .closeOwner(let actor),
            .open(let actor, _, _), .read(let actor, _, _, _), .closeReader(let actor), .cancel(let actor), .release(let actor),
            .trap(let actor, _, _, _, _, _), .mortal(let actor, _), .kill(let actor), .stop(let actor), .resume(let actor),
            .fullDisk(let actor, _), .mend(let actor), .fail(let actor, _, _, _, _), .swapLock(let actor), .ownCancelled(let actor),
            .die(let actor, _, _), .say(let actor, _), .clock(let actor, _):
            actor
        default: nil
        }
    }
}

/// A schedule as it is printed: one step a line.
package struct Schedule: Sendable, CustomStringConvertible {
    package let seed: UInt64
    package let steps: [Step]

    package init(seed: UInt64, steps: [Step]) {
        self.seed = seed
        self.steps = steps
    }

    package var description: String {
        steps.enumerated().map { "  \($0.offset + 1). \($0.element)" }.joined(separator: "\n")
    }

    /// Whether what is durable has to be kept apart from what is only written.
    var cutsPower: Bool {
        steps.contains { if case .powerCut = $0 { true } else { false } }
    }
}
