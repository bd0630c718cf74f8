#if STORE_FAULTS
import Foundation
import ProcessHarness
import StoreSQLite
import Testing

/// `kill -9` after every statement, every step of the backup and every system call of what changes a store: always the version before or
/// the version after, whole; and the next one goes on by itself.
@Suite struct EveryPointFaultTests {
    /// What is killed, and what must be there after each kill and after the next run.
    private struct Case {
        let name: String
        let original: String
        var product = Product.storekeeperd
        /// For the store of this path; the next run is told the same.
        let arguments: (String) -> [String]
        /// Every state in which the store may be found besides no store at all; the last is the target.
        let states: [StoreState]
        /// The state that backups hold; nil where none may be.
        var backedUp: StoreState?
        /// Whether a store that is found in none of the states is one on its way all the same.
        var isOnItsWay: (StoreState) -> Bool = { _ in false }
        /// The plan of the owner that comes last, where what is killed is no owner: it clears away what was left over.
        var plan: String?
        /// The outcome that the history has in the end, and how many times.
        var outcome = "applied"
        var count = 1
        /// Whether doing it once more to a store that is there already makes a new generation.
        var repeats = false
    }

    private func kill(_ what: Case, after points: PointKiller.Points, atLeast: Int) throws {
        let killer = PointKiller(original: what.original, product: what.product, arguments: what.arguments)
        let kills = try killer.run(after: points) { try examine(what, $0, $1) }
        print("\(what.name): killed after \(kills) points")
        #expect(kills >= atLeast)
    }

    private func examine(_ what: Case, _ path: String, _ comment: Comment) throws {
        let found = try StoreState.ifThere(path)
        if var found {
            if what.repeats { found.generation = nil }
            #expect(what.states.contains(found) || what.isOnItsWay(found), comment)
            try RecordWitness(path).look()
            let version = try run(.storectl, "version", path)
            #expect(version.output == [found.told("version") ?? ""], comment)
        }
        try expectBackups(what, path, comment)
        let record = RecordWitness.fields(of: path)

        let next = try run(what.product, what.arguments(path))
        #expect(next.ending == .exit(0), "\(comment.rawValue)\n\(next)")
        var reached = try StoreState(path)
        if what.repeats { reached.generation = nil }
        #expect(reached == what.states.last, comment)
        if let plan = what.plan {
            let owner = try run(.storekeeperd, path, "--plan", plan, "--migrate-only")
            #expect(owner.ending == .exit(0), "\(comment.rawValue)\n\(owner)")
        }
        try expectBackups(what, path, comment)
        let outcomes = try Self.outcomes(path)
        let count = outcomes.filter { $0 == what.outcome }.count
        #expect(what.repeats ? (what.count...what.count + 1).contains(count) : count == what.count, comment)
        // The record told of a migration, and the store was still where the record saw it: then the history says that it was cut off.
        let generation = found?.generation?.integer.map { "\($0)" }
        let wasCutOff = record?["STORE_STATE"] == "migrating" && (what.repeats || record?["STORE_GENERATION"] == generation)
        #expect(outcomes.filter { $0 == "interrupted" }.count == (wasCutOff ? 1 : 0), comment)
        #expect(!outcomes.contains("failed"), comment)
        try expectNothingLeftOver(path, comment)
        let doctor = try run(.storectl, "doctor", path)
        #expect(doctor.ending == .exit(0), "\(comment.rawValue)\n\(doctor)")
    }

    private static func outcomes(_ path: String) throws -> [String] {
        let connection = try Connection(path: path, access: .readOnly)
        defer { connection.close() }
        return try connection.rows("SELECT outcome FROM storekeeper_history ORDER BY id").compactMap { $0[0].text }
    }

    private static func backups(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + ".keeper/backups")) ?? []).sorted()
    }

    /// What stands under the name of a backup is one whole store at the version before.
    private func expectBackups(_ what: Case, _ path: String, _ comment: Comment) throws {
        for name in Self.backups(path) where !name.hasPrefix("storekeeper-partial-") {
            var state = try StoreState("\(path).keeper/backups/\(name)")
            if what.repeats { state.generation = nil }
            #expect(state == what.backedUp, "\(comment.rawValue), \(name)")
        }
    }

    private func expectNothingLeftOver(_ path: String, _ comment: Comment) throws {
        let keeper = try Set(FileManager.default.contentsOfDirectory(atPath: path + ".keeper"))
        #expect(keeper.subtracting(["backups"]) == [".record.spare", "gate.lock", "owner.lock", "record"], comment)
        #expect(Self.backups(path).allSatisfy { $0.hasSuffix(".store") && !$0.hasPrefix("storekeeper-partial-") }, comment)
        let beside = try Set(FileManager.default.contentsOfDirectory(atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path))
        #expect(beside.isSubset(of: ["shop.store", "shop.store-wal", "shop.store-shm", "shop.store.keeper"]), comment)
    }

    // MARK: Stores to begin with

    /// A store of the library's plan at 1.0.0 with its rows, nobody at home.
    private func library() throws -> PlanStore {
        let store = try PlanStore()
        try store.make([LibraryPlan.one])
        try store.load(LibraryPlan.rows)
        return store
    }

    /// What becomes of a copy when nobody kills it.
    private func reached(_ original: String, by product: Product = .storekeeperd, _ arguments: (String) -> [String]) throws -> StoreState {
        let folder = try TemporaryFolder()
        if FileManager.default.fileExists(atPath: original) { try copyStore(original, to: folder("shop.store")) }
        let outcome = try run(product, arguments(folder("shop.store")))
        #expect(outcome.ending == .exit(0), "\(outcome)")
        return try StoreState(folder("shop.store"))
    }

    // MARK: The cases

    @Test(.timeLimit(.minutes(30))) func aRebuildWithABackup() throws {
        let store = try library()
        let plan = try store.plan([LibraryPlan.one, LibraryPlan.two])
        let arguments = { [$0, "--plan", plan, "--migrate-only"] }
        let before = try StoreState(store.path)
        let what = Case(
            name: "a rebuild with a backup", original: store.path, arguments: arguments,
            states: [before, try reached(store.path, arguments)], backedUp: before)
        try kill(what, after: .all, atLeast: 500)
        // In words that need no other run of the same code.
        try store.make([LibraryPlan.one, LibraryPlan.two])
        for (question, answer) in LibraryPlan.questionsAtTwo { #expect(try store.value(question) == .text(answer), "\(question)") }
    }

    @Test(.timeLimit(.minutes(30))) func twoStagesEachInItsOwnCommit() throws {
        let store = try library()
        let one = try store.plan([LibraryPlan.one, LibraryPlan.two])
        let plan = try store.plan([LibraryPlan.one, LibraryPlan.two, LibraryPlan.three])
        let arguments = { [$0, "--plan", plan, "--migrate-only", "--atomicity", "stage", "--no-backup"] }
        let between = try reached(store.path) { [$0, "--plan", one, "--migrate-only"] }
        let what = Case(
            name: "two stages", original: store.path, arguments: arguments,
            states: [try StoreState(store.path), between, try reached(store.path, arguments)], count: 2)
        try kill(what, after: .changes, atLeast: 100)
    }

    @Test(.timeLimit(.minutes(30))) func batches() throws {
        let store = try library()
        let plan = try store.plan([LibraryPlan.one, LibraryPlan.batched])
        let arguments = { [$0, "--plan", plan, "--migrate-only", "--no-backup"] }
        let target = try reached(store.path, arguments)
        let what = Case(
            name: "batches", original: store.path, arguments: arguments, states: [try StoreState(store.path), target],
            isOnItsWay: { state in
                // The schema of the target, still the version before, and each row once up to the cursor.
                let seen = (state.rows["seen"] ?? []).map { $0[1] }
                let cursor = state.told("cursor") ?? "?"
                return state.schema == target.schema && state.told("version") == "1.0.0" && state.told("target")?.hasPrefix("2.0.0") == true
                    && seen == (seen.isEmpty ? [] : (1...Int64(seen.count)).map { .integer($0) })
                    && cursor == (seen.isEmpty ? "" : "integer \(seen.count)")
            })
        try kill(what, after: .changes, atLeast: 60)
    }

    @Test(.timeLimit(.minutes(30))) func aNewStore() throws {
        let store = try PlanStore()
        var seeded = LibraryPlan.one
        seeded["1.0.0/seed.sql"] = LibraryPlan.rows.replacing("200000", with: "100")
        let plan = try store.plan([seeded])
        let arguments = { [$0, "--plan", plan, "--migrate-only"] }
        let what = Case(
            name: "a new store", original: store.path, arguments: arguments, states: [try reached(store.path, arguments)],
            outcome: "created")
        try kill(what, after: .changes, atLeast: 60)
    }

    @Test(.timeLimit(.minutes(30))) func theWayBack() throws {
        let store = try library()
        try store.make([LibraryPlan.one, LibraryPlan.two])
        try FileManager.default.removeItem(atPath: store.path + ".keeper/backups")
        let arguments = { [$0, "--to", "1.0.0", "--yes"] }
        let before = try StoreState(store.path)
        let what = Case(
            name: "the way back", original: store.path, product: .storectl, arguments: { ["rollback"] + arguments($0) },
            states: [before, try reached(store.path, by: .storectl) { ["rollback"] + arguments($0) }], backedUp: before,
            plan: try store.plan([LibraryPlan.one]), outcome: "rolledBack")
        try kill(what, after: .changes, atLeast: 100)
    }

    @Test(.timeLimit(.minutes(30))) func aRestore() throws {
        let store = try library()
        let saved = store.folder("saved.store")
        #expect(try run(.storectl, "backup", store.path, "--to", saved).ending == .exit(0))
        try store.make([LibraryPlan.one, LibraryPlan.two])
        try FileManager.default.removeItem(atPath: store.path + ".keeper/backups")
        var states = [try StoreState(store.path), try StoreState(saved)]
        for index in states.indices { states[index].generation = nil }
        let what = Case(
            name: "a restore", original: store.path, product: .storectl, arguments: { ["restore", $0, "--from", saved] }, states: states,
            plan: try store.plan([LibraryPlan.one]), outcome: "restored", repeats: true)
        try kill(what, after: .changes, atLeast: 30)
    }

    @Test(.timeLimit(.minutes(30))) func aBackupIsCompleteOrAbsent() throws {
        let store = try library()
        let before = try StoreState(store.path)
        let kills = try PointKiller(original: store.path, product: .storectl) { ["backup", $0, "--to", $0 + ".saved"] }
            .run(after: .all) { path, comment in
                if FileManager.default.fileExists(atPath: path + ".saved") { #expect(try StoreState(path + ".saved") == before, comment) }
                #expect(try StoreState(path) == before, comment)
                // What was left half-made does not stand in the way of the next one, which clears it away.
                let isThere = FileManager.default.fileExists(atPath: path + ".saved")
                let next = try run(.storectl, "backup", path, "--to", path + ".saved")
                #expect(next.ending == .exit(isThere ? 7 : 0), "\(comment.rawValue)\n\(next)")
                #expect(try StoreState(path + ".saved") == before, comment)
                let beside = try FileManager.default.contentsOfDirectory(
                    atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path)
                #expect(!beside.contains { $0.hasPrefix("storekeeper-partial-") }, "\(comment.rawValue): \(beside)")
            }
        print("a backup: killed after \(kills) points")
        #expect(kills >= 30)
    }
}
#endif
