#if STORE_FAULTS
import StoreShared

/// Makes schedules from seeds: owners and readers come, read, write, migrate and leave, and things go wrong meanwhile.
package struct Generator {
    private var random: RandomSource
    private var steps: [Step] = []
    private let owners = ["o1", "o2"]
    private let readers = ["r1", "r2", "r3"]
    /// How far owners have been told to bring the store.
    private var target = 1
    /// Who probably has the store now.
    private var mayOwn: String?
    private var mayRead: Set<String> = []

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

    private mutating func add() {
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
    private mutating func anOwner() -> String {
        if let owner = mayOwn { return owner }
        let owner = random.pick(owners)
        take(owner)
        return owner
    }

    /// One that may have the store open, or opens it.
    private mutating func aReader() -> String {
        if let reader = mayRead.sorted().randomElement(using: &random), random.chance(90) { return reader }
        let reader = random.pick(readers)
        come(reader)
        return reader
    }

    private mutating func take(_ owner: String) {
        steps.append(own(owner))
        if mayOwn == nil { mayOwn = owner }
    }

    private mutating func come(_ reader: String) {
        steps.append(open(reader))
        mayRead.insert(reader)
    }

    private mutating func leave(_ step: Step) {
        steps.append(step)
        if mayOwn == step.actor { mayOwn = nil }
        if let actor = step.actor { mayRead.remove(actor) }
    }

    private mutating func own(_ actor: String) -> Step {
        if random.chance(60) { target = min(5, target + random.number(0...2)) }
        let wanted = random.chance(10) ? random.number(1...5) : target
        return .own(
            actor, target: wanted, wait: random.pick([0, 0, 150, 400]), perStage: random.chance(40),
            failing: random.chance(8) && wanted > 1 ? random.number(2...wanted) : nil, backups: random.chance(30))
    }

    private mutating func migrate(_ actor: String) -> Step {
        target = min(5, target + random.number(1...3))
        return .migrate(actor, target: target, failing: random.chance(15) ? random.number(2...5) : nil)
    }

    private mutating func open(_ actor: String) -> Step {
        let version = random.chance(60) ? target : random.number(1...5)
        return .open(actor, version: version, wait: random.chance(55) ? random.pick([100, 300, 600]) : nil)
    }

    private mutating func read(_ actor: String) -> Step {
        .read(actor, hold: random.chance(35), budget: random.chance(20) ? 30 : 3000, undone: random.chance(12))
    }

    /// Two who come to one place at the same time.
    private mutating func addMeeting() {
        let (owner, reader) = (anOwner(), random.pick(readers))
        mayRead.insert(reader)
        switch random.number(0...3) {
        case 0:
            // A reader stands between its check and its rows while the store moves on.
            steps.append(.open(reader, version: target, wait: nil))
            steps.append(
                .trap(
                    reader, machine: "reader", state: "entering", event: random.pick(["generationKnown", "schemaReadable"]), passes: 0,
                    action: "hold"))
            steps.append(.read(reader, hold: false, budget: 3000, undone: false))
            steps.append(migrate(owner))
            steps.append(.release(reader))
        case 1:
            // A waiter stands between judging and waiting while what it waits for is published.
            let wanted = min(5, target + 1)
            steps.append(.trap(reader, machine: "reader", state: "judging", event: "storeMayBecomeReady", passes: 0, action: "hold"))
            steps.append(.open(reader, version: wanted, wait: 600))
            target = wanted
            steps.append(.migrate(owner, target: wanted, failing: nil))
            steps.append(.release(reader))
        case 2:
            // A reader stays while everybody is asked to leave.
            steps.append(.open(reader, version: target, wait: nil))
            steps.append(.read(reader, hold: true, budget: 3000, undone: false))
            target = max(target, random.number(4...5))
            steps.append(.migrate(owner, target: target, failing: nil))
            steps.append(.release(reader))
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

    // MARK: What goes wrong

    private mutating func addFault() {
        let anybody = random.chance(50) ? random.pick(owners + readers) : random.pick([mayOwn ?? "o1"] + mayRead.sorted())
        let owner = random.chance(80) ? mayOwn ?? "o1" : random.pick(owners)
        switch random.number(0..<100) {
        case 0..<28: addTrap(anybody)
        case 28..<38: leave(.kill(anybody))
        case 38..<46:
            steps.append(.stop(anybody))
            if random.chance(60) { steps.append(random.chance(50) ? read(random.pick(readers)) : open(random.pick(readers))) }
            if random.chance(80) { steps.append(.resume(anybody)) }
        case 46..<54:
            steps.append(.fullDisk(owner, successes: random.number(0...30)))
            steps.append(random.chance(50) ? migrate(owner) : .write(owner, rows: 2, undone: false))
            if random.chance(60) { steps.append(.mend(owner)) }
        case 54..<64:
            let (call, number) = random.pick(
                [
                    ("fsync", 5), ("rename", 28), ("open", 24), ("write", 28), ("inotify_init1", 24), ("send", 32), ("accept4", 24),
                    ("connect", 11),
                    ("poll", 4), ("fcntl(F_OFD_SETLK)", 4), ("lstat", 12), ("stat", 24), ("epoll_wait", 4), ("socket", 24),
                    ("fallocate", 28),
                ] as [(String, Int32)])
            steps.append(.fail(anybody, call: call, number: number, after: random.number(0...6), times: random.pick([1, 3, 100])))
        case 64..<72: steps.append(.damageRecord(random.pick(Step.RecordDamage.allCases)))
        case 72..<76: steps.append(.remove(random.pick(["socket", "gate.lock", "record"])))
        case 76..<79: steps.append(.remove("owner.lock"))
        case 79..<83:
            steps.append(.powerCut)
            mayOwn = nil
            mayRead = []
        case 83..<87:
            for actor in owners + readers where random.chance(90) { leave(.kill(actor)) }
            steps.append(.smashIndex)
        case 87..<89:
            let reader = aReader()
            steps.append(read(reader))
            leave(.closeOwner("o1"))
            leave(.closeOwner("o2"))
            leave(.kill("o1"))
            leave(.kill("o2"))
            steps.append(.idle(milliseconds: 30))
            steps.append(.replaceStore)
            steps.append(.read(reader, hold: false, budget: 3000, undone: false))
        case 89..<93: steps.append(.cancel(anybody))
        default:
            leave(.kill(owner))
            steps.append(.mortal(owner, points: random.number(1...900)))
            take(owner)
        }
    }

    /// Somebody is killed, stopped or held up where it comes to some event in some state.
    private mutating func addTrap(_ actor: String) {
        let machine = actor.hasPrefix("o") ? "owner" : "reader"
        let pairs = Coverage.all.filter { $0.hasPrefix(machine) && !$0.hasSuffix(" killed") }.map {
            $0.split(separator: " ").map(String.init)
        }
        let pair = random.pick(pairs)
        let action = random.pick(["kill", "kill", "stop", "hold", "hold"])
        steps.append(.trap(actor, machine: machine, state: pair[1], event: pair[2], passes: random.pick([0, 0, 0, 1]), action: action))
        steps.append(machine == "owner" ? (random.chance(50) ? own(actor) : migrate(actor)) : open(actor))
        if machine == "reader" { steps.append(read(actor)) }
        if random.chance(50) { steps.append(open(random.pick(readers))) }
        if action == "stop", random.chance(70) { steps.append(.resume(actor)) }
        if action == "hold" { steps.append(.release(actor)) }
    }
}

extension RandomSource {
    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
}
#endif
