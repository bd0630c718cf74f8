#if STORE_FAULTS
import FaultPlan
import StoreReader
import StoreShared

/// What an actor's answers may be.
extension ScheduleRun {
    func answered(_ actor: ActorProcess, _ number: Int, _ outcome: String, _ words: [String]) throws {
        // The greeting of a fresh process.
        guard number > 0 else { return }
        actor.isWorking()
        guard let order = actor.answered(number) else { throw Violation("\(actor.name) answered what it was not asked") }
        if outcome == "wrong" { throw Violation("I3: \(actor.name): \(words.joined(separator: " "))") }
        // What is done at once is acknowledged only.
        if case .observe = order.step {
            actor.acknowledgement = words
            return
        }
        actor.lastAnswer = ([outcome] + words).joined(separator: " ")
        let values = Values(words)
        let code = outcome == "ok" ? nil : words.first ?? "other"
        switch order.step {
        case .own(_, let target, _, _, _, _):
            if code == nil { try owned(actor, target, values) } else { try refused(actor, order, target, code, words) }
        case .migrate(_, let target, _):
            if code == nil {
                expected.generation = max(expected.generation, values.number("generation"))
                publicationIsOver(by: actor)
            } else {
                try refused(actor, order, target, code, words)
            }
        case .write(_, _, let undone): try wrote(actor, order, undone, code, words)
        case .open(_, let version, let wait): if let code { try notOpened(actor, order, version, wait, code, words) }
        case .read(_, let hold, _, let undone):
            if let code { try notRead(actor, order, hold, undone, code, words) } else { try saw(actor, order, values) }
        default: return
        }
    }

    private func owned(_ actor: ActorProcess, _ target: Int, _ values: Values) throws {
        // A command for another version may have come to an owner that had the store already.
        if let version = values.has("epoch") ? values.number("version") : nil {
            guard version == Int64(target) else { throw Violation("I4: \(actor.name) opened at \(version), and was to reach \(target)") }
            let epoch = values.number("epoch")
            guard epoch > expected.epoch else { throw Violation("\(actor.name) has epoch \(epoch) after one of \(expected.epoch)") }
            expected.epoch = epoch
        }
        let generation = values.number("generation")
        guard generation >= expected.generation else {
            throw Violation("I5: \(actor.name) found generation \(generation), and \(expected.generation) was published")
        }
        expected.generation = generation
        publicationIsOver(by: actor)
    }

    private func refused(_ actor: ActorProcess, _ order: Order, _ target: Int, _ code: String?, _ words: [String]) throws {
        if actor.isImpaired || actor.isCondemned { return }
        let somebodyStood = order.somebodyStood || expected.standings != order.before.standings || somebodyStands(but: actor)
        let isFair =
            switch code {
            case "ownedByAnother":
                try order.othersOwned || somebodyStood || expected.lockWasMeddledWith || anotherCame(since: order, but: actor)
            case "storeTooNew": try expected.wasRestored || whereTo() > target
            case "migrationFailed": expected.mayHaveFailed
            // An exclusive stage, and somebody who would not leave.
            case "timedOut": target >= 4 && somebodyStood
            case "cancelled": actor.wasCancelled
            case "fenced": expected.lockWasMeddledWith
            case "closed": !actor.owns
            case "system": expected.lockWasMeddledWith
            default: false
            }
        if !isFair { throw Violation("\(actor.name) could not own the store: \(words.joined(separator: " "))") }
    }

    private func wrote(_ actor: ActorProcess, _ order: Order, _ undone: Bool, _ code: String?, _ words: [String]) throws {
        guard let code else {
            if undone { throw Violation("\(actor.name) committed a write that was to be undone") }
            expected.acknowledged.formUnion(order.tags)
            return
        }
        if actor.isImpaired || actor.isCondemned { return }
        let isFair =
            switch code {
            case "misuse": undone
            case "fenced": expected.lockWasMeddledWith
            case "closed": !actor.owns
            default: false
            }
        if !isFair { throw Violation("\(actor.name) could not write: \(words.joined(separator: " "))") }
        expected.undone.formUnion(order.tags)
    }

    private func notOpened(
        _ actor: ActorProcess, _ order: Order, _ version: Int, _ wait: Int?, _ code: String, _ words: [String]
    ) throws {
        if actor.isImpaired || actor.isCondemned { return }
        let isFair =
            switch code {
            case "outdated", "migrating": wait == nil
            case "timedOut": wait != nil
            case "absent": order.before.generation == 0 || expected.powerWasCut
            case "storeTooNew": try expected.wasRestored || whereTo() > version
            case "migrationFailed": expected.mayHaveFailed
            case "cancelled": actor.wasCancelled
            // SQLite's own recovery by one that is stopped, or what an owner left that was killed while it made the store.
            case "unreadable": somebodyStands(but: actor) || order.before.generation == 0
            default: false
            }
        if !isFair { throw Violation("\(actor.name) could not open the store: \(words.joined(separator: " "))") }
    }

    private func notRead(
        _ actor: ActorProcess, _ order: Order, _ hold: Bool, _ undone: Bool, _ code: String, _ words: [String]
    ) throws {
        if actor.isImpaired || actor.isCondemned { return }
        let somebodyStood = order.somebodyStood || expected.standings != order.before.standings
        let isFair =
            switch code {
            case "storeTooNew", "outdated": true
            // The gate of an exclusive stage.
            case "migrating": true
            case "budgetExceeded": hold || somebodyStood
            case "misuse": undone
            case "closed": true
            // A drain interrupts who stays, or was made to stand.
            case "other": (hold || somebodyStood) && words.contains { $0.contains("interrupt") }
            case "unreadable": somebodyStands(but: actor)
            default: false
            }
        if !isFair { throw Violation("\(actor.name) could not read: \(words.joined(separator: " "))") }
    }

    private func saw(_ actor: ActorProcess, _ order: Order, _ values: Values) throws {
        let tags = Set(values.list("tags"))
        try check(tags, acknowledged: expected.wasRestored ? [] : order.before.acknowledged, by: actor.name)
        let generation = values.number("generation")
        guard generation >= order.before.generation else {
            throw Violation("I5: \(actor.name) read generation \(generation) after \(order.before.generation) was published")
        }
    }

    func check(_ tags: Set<String>, acknowledged: Set<String>, by reader: String) throws {
        if let lost = acknowledged.subtracting(tags).sorted().first {
            throw Violation("I4: \(reader) misses row \(lost), whose commit returned")
        }
        if let ghost = tags.intersection(expected.undone).sorted().first {
            throw Violation("I4: \(reader) sees row \(ghost), which was undone")
        }
    }

    private func somebodyStands(but actor: ActorProcess) -> Bool {
        actors.values.contains { $0 !== actor && $0.isAlive && ($0.isStopped || $0.held != nil) }
    }

    /// Whether another took the lock after that order was given. It may not have said so yet.
    private func anotherCame(since order: Order, but actor: ActorProcess) throws -> Bool {
        let deadline = Deadline.after(.seconds(5))
        while expected.owners == order.before.owners, !deadline.hasPassed {
            for other in actors.values where other !== actor { try absorb(other) }
            System.sleep(.milliseconds(1))
        }
        return expected.owners != order.before.owners
    }

    /// The version of the store, or where it is on its way to with batches.
    private func whereTo() throws -> Int {
        let metadata = try StoreSight.look(at: location, for: nil, checksShape: false).metadata
        return (metadata?.target?.version ?? metadata?.version)?.major ?? 0
    }
}

/// `name=value` words.
struct Values {
    private var values: [String: String] = [:]

    init(_ words: [String]) {
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
        }
    }

    func has(_ name: String) -> Bool { values[name] != nil }
    func number(_ name: String) -> Int64 { values[name].flatMap { Int64($0) } ?? 0 }
    func list(_ name: String) -> [String] { (values[name] ?? "").split(separator: ",").map(String.init) }
}
#endif
