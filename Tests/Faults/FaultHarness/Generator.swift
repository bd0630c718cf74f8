#if STORE_FAULTS
import StoreShared

/// Makes schedules from seeds: owners and readers come, read, write, migrate and leave, and things go wrong meanwhile.
package struct Generator {
    var random: RandomSource
    var steps: [Step] = []
    let owners = ["o1", "o2"]
    let readers = ["r1", "r2", "r3"]
    /// How far owners have been told to bring the store.
    var target = 1
    /// Who probably has the store now.
    var mayOwn: String?
    var mayRead: Set<String> = []

    package static func schedule(seed: UInt64) -> Schedule {
        var generator = Generator(seed: seed)
        return Schedule(seed: seed, steps: generator.make())
    }

    private init(seed: UInt64) {
        random = RandomSource(seed: seed)
    }

    private mutating func make() -> [Step] {
        target = random.pick([1, 1, 1, 2, 2, 3, 3, 4])
        if random.chance(85) {
            take("o1")
            steps.append(.write("o1", rows: random.number(1...5), undone: false))
        }
        let length = random.number(7...13)
        while steps.count < length { add() }
        // Three processes and two faults at least.
        while Set(steps.compactMap { $0.startsActor ? $0.actor : nil }).count < 3 { steps.append(open(random.pick(readers))) }
        while steps.count(where: \.isFault) < 2 { addFault() }
        return steps
    }

    // MARK: What is meant to happen

    mutating func add() {
        switch random.number(0..<100) {
        case 0..<8: take(random.pick(owners))
        case 8..<20: steps.append(.write(anOwner(), rows: random.number(1...3), undone: random.chance(15)))
        case 20..<32: steps.append(migrate(anOwner()))
        case 32..<42: come(random.pick(readers))
        case 42..<58: steps.append(read(aReader()))
        case 58..<60: leave(.closeReader(aReader()))
        case 60..<63: leave(.closeOwner(anOwner()))
        case 63..<65: steps.append(.restore(anOwner()))
        case 65..<68: steps.append(.observe)
        case 68..<69: steps.append(.idle(milliseconds: random.pick([20, 150, 350])))
        case 69..<76: addMeeting()
        default: addFault()
        }
    }

    /// One that may own the store, or comes to.
    mutating func anOwner() -> String {
        if let owner = mayOwn { return owner }
        let owner = random.pick(owners)
        take(owner)
        return owner
    }

    /// One that may have the store open, or opens it.
    mutating func aReader() -> String {
        if let reader = mayRead.sorted().randomElement(using: &random), random.chance(90) { return reader }
        let reader = random.pick(readers)
        come(reader)
        return reader
    }

    mutating func take(_ owner: String) {
        steps.append(own(owner))
        if mayOwn == nil { mayOwn = owner }
    }

    mutating func come(_ reader: String) {
        steps.append(open(reader))
        mayRead.insert(reader)
    }

    mutating func leave(_ step: Step) {
        steps.append(step)
        if mayOwn == step.actor { mayOwn = nil }
        if let actor = step.actor { mayRead.remove(actor) }
    }

    mutating func own(_ actor: String) -> Step {
        if random.chance(60) { target = min(5, target + random.number(0...2)) }
        let wanted = random.chance(10) ? random.number(1...5) : target
        return .own(
            actor, target: wanted, wait: random.pick([0, 0, 150, 400]), perStage: random.chance(40),
            failing: random.chance(8) && wanted > 1 ? random.number(2...wanted) : nil, backups: random.chance(30))
    }

    mutating func migrate(_ actor: String) -> Step {
        target = min(5, target + random.number(1...3))
        return .migrate(actor, target: target, failing: random.chance(15) ? random.number(2...5) : nil)
    }

    mutating func open(_ actor: String) -> Step {
        let version = random.chance(60) ? target : random.number(1...5)
        return .open(actor, version: version, wait: random.chance(55) ? random.pick([100, 300, 600]) : nil)
    }

    mutating func read(_ actor: String) -> Step {
        .read(actor, hold: random.chance(35), budget: random.chance(20) ? 30 : 3000, undone: random.chance(12))
    }

    /// Two who come to one place at the same time.
    mutating func addMeeting() {
        let (owner, reader) = (anOwner(), random.pick(readers))
        mayRead.insert(reader)
        switch random.number(0...6) {
        case 0:
            // A reader stands between its check and its rows while the store moves on.
            steps.append(.open(reader, version: target, wait: nil))
            // It looked at the schema when it opened; a store that has moved on since has it look again.
            let looksAgain = random.chance(40)
            if looksAgain {
                target = min(5, target + 1)
                steps.append(.migrate(owner, target: target, failing: nil))
            }
            let event = looksAgain ? "schemaReadable" : "generationKnown"
            steps.append(.trap(reader, machine: "reader", state: "entering", event: event, passes: 0, action: "hold"))
            steps.append(.read(reader, hold: false, budget: 3000, undone: false))
            target = min(5, target + 1)
            steps.append(.migrate(owner, target: target, failing: nil))
            steps.append(.release(reader))
        case 1:
            // A waiter stands between judging and waiting while what it waits for is published.
            let wanted = min(5, target + 1)
            steps.append(.trap(reader, machine: "reader", state: "judging", event: "storeMayBecomeReady", passes: 0, action: "hold"))
            steps.append(.open(reader, version: wanted, wait: 900))
            target = wanted
            steps.append(.migrate(owner, target: wanted, failing: nil))
            steps.append(.release(reader))
        case 2:
            // A reader stays while everybody is asked to leave, and another comes.
            let other = random.pick(readers.filter { $0 != reader })
            steps.append(.open(reader, version: target, wait: nil))
            steps.append(.open(other, version: target, wait: nil))
            steps.append(.read(reader, hold: true, budget: 3000, undone: false))
            target = max(target, random.number(4...5))
            steps.append(.migrate(owner, target: target, failing: nil))
            steps.append(.read(other, hold: false, budget: 3000, undone: false))
            steps.append(.release(reader))
        case 3:
            // A failure of the disk or of the system, and what it strikes.
            addStrike(owner, reader)
        case 4:
            // An exclusive stage gives up in the end, and so does a reader that stands before it.
            guard target < 4, random.chance(40) else { return addMeeting() }
            let other = random.pick(readers.filter { $0 != reader })
            steps.append(.open(reader, version: target, wait: nil))
            steps.append(.open(other, version: target, wait: nil))
            steps.append(.trap(reader, machine: "reader", state: "entering", event: "generationKnown", passes: 0, action: "hold"))
            steps.append(.read(reader, hold: false, budget: 3000, undone: false))
            steps.append(.migrate(owner, target: 4, failing: nil))
            steps.append(.read(other, hold: false, budget: 3000, undone: false))
            steps.append(.idle(milliseconds: 900))
            steps.append(.release(reader))
        case 5:
            // Another owner comes while this one stands between its check and its migration.
            let other = owner == "o1" ? "o2" : "o1"
            target = min(5, target + 1)
            steps.append(.trap(owner, machine: "owner", state: "serving", event: "planGiven", passes: 0, action: "hold"))
            steps.append(.migrate(owner, target: target, failing: nil))
            steps.append(.moveLock)
            steps.append(own(other))
            if random.chance(50) { steps.append(.putLockBack) }
            steps.append(.release(owner))
        default:
            // An owner whose lock file is taken away, and put back after another has come and gone.
            steps.append(.moveLock)
            let other = owner == "o1" ? "o2" : "o1"
            steps.append(own(other))
            steps.append(.write(other, rows: 1, undone: false))
            if random.chance(60) { steps.append(.closeOwner(other)) }
            if random.chance(70) { steps.append(.putLockBack) }
            steps.append(.write(owner, rows: 1, undone: false))
        }
    }
}

extension RandomSource {
    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
}
#endif
