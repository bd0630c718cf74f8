#if STORE_FAULTS
import StoreShared

/// What goes wrong.
extension Generator {
    mutating func addFault() {
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
            if random.chance(25) { steps.append(.idle(milliseconds: 150)) }
        case 54..<64: addFailure(anybody)
        case 64..<72: steps.append(.damageRecord(random.pick(Step.RecordDamage.allCases)))
        case 72..<76: steps.append(.remove(random.pick(["socket", "gate.lock", "record"])))
        case 76..<79: steps.append(random.chance(60) ? .remove("owner.lock") : .swapLock(random.pick(owners)))
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
        case 89..<92: steps.append(.cancel(anybody))
        case 92..<94: steps.append(.clock(anybody, seconds: random.pick([86_400, -86_400])))
        default:
            leave(.kill(owner))
            switch random.number(0...2) {
            case 0: steps.append(.mortal(owner, points: random.number(1...900)))
            case 1:
                let call = random.pick(["sqlite:fdatasync", "sqlite:pwrite", "sqlite:ftruncate"])
                steps.append(.die(owner, call: call, after: random.number(0...12)))
            default:
                let call = random.pick([
                    "statfs", "stat", "lstat", "open", "write", "fsync", "rename", "bind", "fallocate", "send", "fcntl(F_OFD_SETLK)",
                ])
                steps.append(.die(owner, call: call, after: random.number(0...8)))
            }
            take(owner)
        }
    }

    /// Some call fails from now on.
    private mutating func addFailure(_ actor: String) {
        let (call, number) = random.pick(
            [
                ("fsync", 5), ("rename", 28), ("open", 24), ("write", 28), ("inotify_init1", 24), ("send", 32), ("accept4", 24),
                ("connect", 11),
                ("poll", 4), ("fcntl(F_OFD_SETLK)", 4), ("lstat", 12), ("stat", 24), ("epoll_wait", 4), ("socket", 24), ("fallocate", 28),
                ("statvfs", 5), ("pthread_create", 11), ("sqlite:open", 24), ("sqlite:pread", 5), ("sqlite:pwrite", 28),
            ] as [(String, Int32)])
        steps.append(.fail(actor, call: call, number: number, after: random.number(0...6), times: random.pick([1, 3, 100])))
    }

    /// A failure where it hurts.
    mutating func addStrike(_ owner: String, _ reader: String) {
        switch random.number(0...7) {
        case 0:
            leave(.closeOwner(owner))
            steps.append(.fail(owner, call: "open", number: 24, after: random.number(0...2), times: 1))
            take(owner)
        case 1:
            leave(.closeOwner(owner))
            steps.append(.swapLock(owner))
            take(owner)
        case 2:
            leave(.closeOwner(owner))
            steps.append(.fail(reader, call: "inotify_init1", number: 24, after: 0, times: 1000))
            steps.append(.open(reader, version: min(5, target + 1), wait: 100))
        case 3:
            steps.append(.fail(reader, call: "sqlite:open", number: 24, after: 0, times: 100))
            steps.append(open(reader))
        case 4:
            steps.append(.open(reader, version: target, wait: nil))
            steps.append(.read(reader, hold: false, budget: 3000, undone: false))
            steps.append(.write(owner, rows: 2, undone: false))
            steps.append(.fail(reader, call: "sqlite:pread", number: 5, after: 0, times: 1))
            steps.append(.read(reader, hold: false, budget: 3000, undone: false))
        case 5:
            leave(.closeOwner(owner))
            steps.append(.fail(owner, call: random.pick(["bind", "listen", "epoll_create1"]), number: 13, after: 0, times: 1))
            take(owner)
        case 6:
            // The record of a version that is there is refused, and made good.
            target = min(5, target + 1)
            steps.append(.fail(owner, call: "rename", number: 28, after: 2, times: 2))
            steps.append(.migrate(owner, target: target, failing: nil))
            steps.append(.idle(milliseconds: 200))
        default:
            leave(.closeOwner(owner))
            steps.append(.ownCancelled(owner))
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
        if machine == "owner", random.chance(70) { prepare(actor, for: pair[1]) }
        steps.append(.trap(actor, machine: machine, state: pair[1], event: pair[2], passes: random.pick([0, 0, 0, 1]), action: action))
        let isBegun = ["migrating", "draining", "publishing", "serving", "failed", "fenced"].contains(pair[1])
        if machine == "owner" {
            if !isBegun {
                take(actor)
            } else if pair[1] == "failed" || pair[2] == "failed" {
                target = min(5, target + 1)
                steps.append(.migrate(actor, target: target, failing: target))
            } else {
                steps.append(random.chance(70) ? migrate(actor) : .write(actor, rows: 1, undone: random.chance(30)))
            }
        } else {
            steps.append(open(actor))
            steps.append(read(actor))
        }
        if random.chance(50) { steps.append(open(random.pick(readers))) }
        if action == "stop", random.chance(70) { steps.append(.resume(actor)) }
        if action == "hold" { steps.append(.release(actor)) }
    }

    /// Brings an owner to where it can come into a state.
    private mutating func prepare(_ actor: String, for state: String) {
        switch state {
        case "looking", "locking", "claiming", "opening": leave(.closeOwner(actor))
        case "waiting":
            leave(.closeOwner(actor))
            take(actor == "o1" ? "o2" : "o1")
        default:
            if mayOwn != actor {
                if let other = mayOwn { leave(.closeOwner(other)) }
                take(actor)
            }
        }
    }
}
#endif
