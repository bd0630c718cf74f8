import Foundation
import PlanHarness
import ProcessHarness
import StoreMigration
import StoreOwner
import StoreSQLite
import StoreShared
import Synchronization
import Testing

/// Backup, restore, adoption, rollback, and what can be asked before.
@Suite struct ActingVerbTests {
    private let fixture: Fixture
    private var store: String { fixture.store }

    init() throws { fixture = try Fixture() }

    /// Writes a plan in SQL up to a major version; each version adds a column, and 2.0.0 can be taken back.
    private func plan(_ last: Int, files: [String: String] = [:]) throws -> String {
        let folder = fixture.folder("plan\(last)-\(UUID().uuidString)")
        var all: [String: String] = [:]
        for number in 1...last {
            let columns = (1..<max(number, 1)).map { ", c\($0) TEXT" }.joined()
            all["\(number).0.0/schema.sql"] = "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT\(columns));\n"
        }
        if last > 1 { all["2.0.0/reverse.sql"] = "UPDATE note SET body = body || '<' || c1 || '>' WHERE c1 IS NOT NULL;\n" }
        for (name, text) in all.merging(files, uniquingKeysWith: { _, new in new }) {
            let url = URL(fileURLWithPath: folder + "/" + name)
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        return folder
    }

    private func open(_ plan: String, writing sql: String? = nil) throws -> StoreOwner {
        let plan = try SQLPlan(folder: plan).migrationPlan()
        try ThreeWays(plan).check()
        let owner = try StoreOwner.open(at: try StoreLocation(path: store), plan: plan)
        if let sql { try owner.write { try $0.execute(sql) } }
        return owner
    }

    @Test func backupRestoreAndHistory() throws {
        try open(plan(1), writing: "INSERT INTO note VALUES(1, 'one')").close()
        let saved = fixture.folder("saved.store")
        #expect(try run(.storectl, "backup", store, "--to", saved).output == [saved])
        #expect(try run(.storectl, "backup", store, "--to", saved).status == 7)
        #expect(try run(.storectl, "backup", store, "--quiet").output.count == 1)
        try open(plan(2), writing: "INSERT INTO note VALUES(2, 'two', NULL)").close()
        let restored = try run(.storectl, "restore", store, "--from", saved, "--json")
        #expect(restored.status == 0)
        #expect(try restored.json["version"] as? String == "1.0.0")
        #expect(try run(.storectl, "check", store, "--want", "2.0.0").status == 3)
        let history = try #require(try run(.storectl, "history", store, "--json").json["history"] as? [[String: Any]])
        #expect(history.compactMap { $0["outcome"] as? String } == ["created", "applied", "restored"])
        #expect(history.allSatisfy { $0.count == 12 })
        #expect(try run(.storectl, "history", store).output.count == 3)
        #expect(try run(.storectl, "restore", store, "--from", fixture.folder("nowhere")).status == 7)
        #expect(try run(.storectl, "restore", fixture.folder("fresh.store"), "--from", saved).output == ["1.0.0"])
    }

    @Test func whatIsNoDatabaseAnyMoreIsKeptAndRestoredInto() throws {
        try open(plan(1), writing: "INSERT INTO note VALUES(1, 'one')").close()
        let saved = fixture.folder("saved.store")
        #expect(try run(.storectl, "backup", store, "--to", saved).status == 0)
        let garbage = Data(String(repeating: "no page of any database ", count: 1000).utf8)
        try garbage.write(to: URL(fileURLWithPath: store))
        let restored = try run(.storectl, "restore", store, "--from", saved)
        #expect(restored.output == ["1.0.0"], "\(restored)")
        let kept = try FileManager.default.contentsOfDirectory(atPath: store + ".keeper/backups").filter {
            $0.hasPrefix("damaged-") && $0.hasSuffix(".store")
        }
        #expect(try kept.map { try Data(contentsOf: URL(fileURLWithPath: store + ".keeper/backups/" + $0)) } == [garbage])
        #expect(restored.errors.joined().contains(kept.first ?? "nothing"))
        let owner = try open(plan(1))
        #expect(try owner.write { try $0.rows("SELECT body FROM note") } == [["one"]])
        owner.close()
        // A text that never was a store stays what it is.
        let letter = fixture.folder("letter")
        try garbage.write(to: URL(fileURLWithPath: letter))
        #expect(try run(.storectl, "restore", letter, "--from", saved).status != 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: letter)) == garbage)
    }

    @Test func doctorLooksBesideTheStore() throws {
        try open(plan(1), writing: "INSERT INTO note VALUES(1, 'one')").close()
        #expect(try run(.storectl, "backup", store, "--quiet").status == 0)
        let healthy = try run(.storectl, "doctor", store)
        #expect(healthy.status == 0, "\(healthy)")
        #expect(healthy.output.contains { $0.contains("1 backups in") && $0.contains("newest of 20") })
        let keeper = store + ".keeper/"
        let backup = try #require(try FileManager.default.contentsOfDirectory(atPath: keeper + "backups").first)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: keeper + "backups/" + backup))
        bytes.removeLast(bytes.count / 2)
        try bytes.write(to: URL(fileURLWithPath: keeper + "backups/20200101T000000Z-1.0.0-1.store"))
        try Data().write(to: URL(fileURLWithPath: keeper + "backups/" + backup + "-wal"))
        try Data().write(to: URL(fileURLWithPath: keeper + "socket"))
        try? FileManager.default.removeItem(atPath: keeper + "gate.lock")
        try FileManager.default.createDirectory(atPath: keeper + "gate.lock", withIntermediateDirectories: false)
        let doctor = try run(.storectl, "doctor", store)
        #expect(doctor.status == 10)
        for text in [
            "1.0.0-1.store: it cannot be restored", "-wal: a log beside", "socket: it is a plain file", "gate.lock: it is a folder",
        ] {
            #expect(doctor.output.contains { $0.contains(text) }, "\(text) in \(doctor)")
        }
    }

    @Test func doctorNamesAStoppedOwner() throws {
        let owner = try Program(.storekeeperd, store, "--plan", plan(1), "--log", "json")
        try owner.line(containing: "serving")
        owner.send(SIGSTOP)
        while !ProcessIdentity.isStopped(owner.pid) { sched_yield() }
        let doctor = try run(.storectl, "doctor", store)
        owner.send(SIGCONT)
        #expect(doctor.status == 10)
        #expect(doctor.output.contains { $0.contains("process \(owner.pid), is stopped") }, "\(doctor)")
        owner.send(SIGTERM)
        #expect(try owner.wait(within: 30) == .exit(0))
    }

    @Test func nothingThatSomebodyNamedCommandsATerminal() throws {
        let name = "\u{1B}[31mred\u{202E}\nline"
        let folder = try plan(
            1,
            files: ["1.0.0/schema.sql": "CREATE TABLE \"\(name)\"(a TEXT);\n", "1.0.0/seed.sql": "INSERT INTO \"\(name)\" VALUES(NULL);\n"])
        try open(folder).close()
        let target = try plan(
            1,
            files: [
                "1.0.0/schema.sql": "CREATE TABLE \"\(name)\"(a TEXT);\n",
                "2.0.0/schema.sql": "CREATE TABLE \"\(name)\"(a TEXT NOT NULL);\n",
            ])
        for outcome in [
            try run(.storectl, "plan", store, "--plan", target), try run(.storekeeperd, store, "--plan", target, "--migrate-only"),
            try run(.storectl, "history", store), try run(.storectl, "status", store), try run(.storectl, "doctor", store),
        ] {
            let text = (outcome.output + outcome.errors).joined(separator: "\n")
            #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" }, "\(text)")
        }
        #expect(try run(.storectl, "history", store).output.contains { $0.contains(#"\u{1B}[31mred\u{202E} line"#) })
    }

    @Test func aLiveOwnerRestoresAndLeavesWhenItsVersionIsGone() throws {
        try open(plan(1), writing: "INSERT INTO note VALUES(1, 'one')").close()
        let saved = fixture.folder("saved.store")
        #expect(try run(.storectl, "backup", store, "--to", saved).status == 0)
        var owner = try open(plan(2))
        let epoch = owner.epoch
        let same = fixture.folder("same.store")
        #expect(try run(.storectl, "backup", store, "--to", same).status == 0)
        try owner.write { try $0.execute("DELETE FROM note") }
        #expect(try run(.storectl, "restore", store, "--from", same).output == ["2.0.0"])
        #expect(owner.isOpen)
        #expect(owner.epoch > epoch)
        #expect(try owner.write { try $0.rows("SELECT body FROM note") } == [["one"]])
        #expect(try run(.storectl, "restore", store, "--from", saved).output == ["1.0.0"])
        owner.close()
        #expect(!owner.isOpen)
        #expect(try run(.storectl, "status", store, "--json").json["verdict"] as? String == "ready")
        owner = try open(plan(2))
        owner.close()
        #expect(try run(.storectl, "version", store).output == ["2.0.0"])
    }

    @Test func rollbackNeedsNoPlanAndAgreement() throws {
        try open(plan(1), writing: "INSERT INTO note VALUES(1, 'one')").close()
        try open(plan(2), writing: "UPDATE note SET c1 = 'x'").close()
        #expect(try run(.storectl, "rollback", store, "--to", "1.0.0").status == 7)
        #expect(try run(.storectl, "version", store).output == ["2.0.0"])
        #expect(try run(.storectl, "rollback", store, "--to", "1.0.0", "--yes").output == ["1.0.0"])
        #expect(try run(.storectl, "rollback", store, "--to", "1.0.0", "--yes").status == 0)
        let owner = try open(plan(1))
        #expect(try owner.write { try $0.rows("SELECT body FROM note") } == [["one<x>"]])
        owner.close()
        try open(plan(3)).close()
        let refused = try run(.storectl, "rollback", store, "--to", "1.0.0", "--yes")
        #expect(refused.status == 7)
        #expect(refused.errors.first?.contains("3.0.0") == true)
    }

    @Test func aDriftedStoreIsNamedAndAdopted() throws {
        try open(plan(1), writing: "ALTER TABLE note ADD COLUMN extra TEXT").close()
        let status = try run(.storectl, "status", store)
        #expect(status.status == 8)
        #expect(status.errors.first?.contains("extra") == true)
        let doctor = try run(.storectl, "doctor", store, "--json")
        #expect(doctor.status == 10)
        #expect("\(try doctor.json)".contains("extra"))
        #expect(try run(.storectl, "adopt", store, "--plan", plan(1)).status == 7)
        #expect(try run(.storectl, "adopt", store, "--plan", plan(1), "--as", "1.0.0", "--allow-extra").output == ["1.0.0"])
        #expect(try run(.storectl, "doctor", store).status == 0)
        try open(plan(2)).close()
        #expect(try run(.storectl, "schema", store).output.joined().contains("extra"))
        #expect(try run(.storectl, "adopt", fixture.folder("nowhere"), "--plan", plan(1)).status == 8)
    }

    @Test(
        "what the doctor advises for a store that has lost what it said of itself helps",
        arguments: [
            "DROP TABLE storekeeper_metadata", "DELETE FROM storekeeper_metadata", "DROP TABLE storekeeper_schema",
            "DROP TABLE storekeeper_history; CREATE TABLE storekeeper_history(x)", "DELETE FROM storekeeper_schema",
        ])
    func doctorsAdviceHelps(damage: String) throws {
        let saved = fixture.folder("saved.store")
        try open(plan(1), writing: "INSERT INTO note VALUES(1, 'one')").close()
        #expect(try run(.storectl, "backup", store, "--to", saved).status == 0)
        for advice in [["restore", store, "--from", saved], ["adopt", store, "--plan", try plan(1)]] {
            let connection = try Connection(path: store, access: .readWrite)
            try connection.execute(damage)
            connection.close()
            let doctor = try run(.storectl, "doctor", store)
            #expect(doctor.status == 10)
            #expect(doctor.output.contains { $0.hasSuffix("restore a backup, or adopt it with its plan") }, "\(doctor)")
            if !damage.hasPrefix("DELETE FROM storekeeper_schema") {
                for verb in ["status", "history"] {
                    let asked = try run(.storectl, verb, store)
                    #expect(asked.status == 8 && asked.errors.first?.contains(store) == true, "\(asked)")
                }
                let daemon = try run(.storekeeperd, store, "--plan", plan(1), "--migrate-only")
                #expect(daemon.status == 8, "\(daemon)")
            }
            let followed = try run(.storectl, advice)
            #expect(followed.output == ["1.0.0"], "\(followed)")
            // What the restore could not read is kept, which the doctor names until a person has seen it.
            for name in try FileManager.default.contentsOfDirectory(atPath: store + ".keeper/backups") where name.hasPrefix("damaged-") {
                try FileManager.default.removeItem(atPath: store + ".keeper/backups/" + name)
            }
            let after = try run(.storectl, "doctor", store)
            #expect(after.status == 0, "\(after)")
        }
        let owner = try open(plan(2))
        #expect(try owner.write { try $0.rows("SELECT body FROM note") } == [["one"]])
        owner.close()
        #expect(try run(.storectl, "restore", store, "--from", saved).status == 0)
    }

    @Test func aBackupThatDriftedIsRefusedAndSaidToBeNone() throws {
        try open(plan(1), writing: "INSERT INTO note VALUES(1, 'one')").close()
        let saved = fixture.folder("saved.store")
        #expect(try run(.storectl, "backup", store, "--to", saved).errors.isEmpty)
        let connection = try Connection(path: saved, access: .readWrite)
        try connection.execute("ALTER TABLE note ADD COLUMN drift")
        connection.close()
        let refused = try run(.storectl, "restore", store, "--from", saved)
        #expect(refused.status == 7 && refused.errors.first?.contains("column drift") == true, "\(refused)")
        let owner = try open(plan(1))
        #expect(try run(.storectl, "restore", store, "--from", saved).status == 7)
        #expect(owner.isOpen)
        try owner.write { try $0.execute("ALTER TABLE note ADD COLUMN drift") }
        owner.close()
        let warned = try run(.storectl, "backup", store, "--to", fixture.folder("drifted.store"))
        #expect(warned.status == 0 && warned.errors.first?.contains("cannot be restored as it is") == true, "\(warned)")
    }

    @Test func aBackupOfAStoreThatForgotItsSchemaSaysThatItCannotBeRestored() throws {
        try open(plan(1), writing: "INSERT INTO note VALUES(1, 'one')").close()
        let connection = try Connection(path: store, access: .readWrite)
        try connection.execute("DELETE FROM storekeeper_schema")
        connection.close()
        let warned = try run(.storectl, "backup", store, "--to", fixture.folder("forgetful.store"))
        #expect(warned.status == 0 && warned.errors.first?.contains("remembers no such schema") == true, "\(warned)")
        #expect(warned.errors.first?.contains("cannot be restored as it is") == true)
    }

    @Test(
        "a generation that no store comes to is named, and nothing is published of it",
        arguments: [Int64(Int32.max), Int64(Int32.min), -1])
    func strangeGeneration(generation: Int64) throws {
        try open(plan(1), writing: "INSERT INTO note VALUES(1, 'one')").close()
        let saved = fixture.folder("saved.store")
        #expect(try run(.storectl, "backup", store, "--to", saved).status == 0)
        let record = try Data(contentsOf: URL(fileURLWithPath: store + ".keeper/record"))
        let connection = try Connection(path: store, access: .readWrite)
        try connection.execute("PRAGMA user_version = \(generation)")
        connection.close()
        for outcome in [try run(.storectl, "status", store), try run(.storekeeperd, store, "--plan", plan(2), "--migrate-only")] {
            #expect(outcome.status == 8)
            let text = (outcome.output + outcome.errors).joined()
            #expect(text.contains("user_version") && text.contains("\(generation)") && text.contains("restore a backup"), "\(text)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: store + ".keeper/record")) == record)
        #expect(try run(.storectl, "restore", store, "--from", saved).output == ["1.0.0"])
        #expect(try run(.storectl, "status", store).status == 0)
        #expect(try run(.storekeeperd, store, "--plan", plan(2), "--migrate-only").status == 0)
    }

    @Test func anotherOwnerIsFive() throws {
        let owner = try open(plan(1), writing: "ALTER TABLE note ADD COLUMN extra TEXT")
        let refused = try run(.storectl, "adopt", store, "--plan", plan(1), "--as", "1.0.0", "--allow-extra")
        #expect(refused.status == 5)
        #expect(refused.errors.last?.contains("\(System.processID)") == true)
        owner.close()
    }

    @Test func planRehearseSchemaAndMetricsChangeNothing() throws {
        try open(plan(1), writing: "INSERT INTO note VALUES(1, 'one')").close()
        let record = try Data(contentsOf: URL(fileURLWithPath: store + ".keeper/record"))
        let plan2 = try plan(2)
        let told = try #require(try run(.storectl, "plan", store, "--plan", plan2, "--json").json["plan"] as? [String: Any])
        #expect(told["to"] as? String == "2.0.0")
        #expect(try run(.storectl, "rehearse", store, "--plan", plan2).status == 0)
        let lossy = try plan(1, files: ["2.0.0/schema.sql": "CREATE TABLE note(id INTEGER PRIMARY KEY);\n"])
        let refused = try run(.storectl, "plan", store, "--plan", lossy, "--json")
        #expect(refused.status == 7)
        #expect((try refused.json["refusals"] as? [[String: Any]])?.isEmpty == false)
        #expect(try run(.storectl, "rehearse", store, "--plan", lossy).status == 7)
        #expect(try run(.storectl, "plan", store, "--plan", fixture.folder("nowhere")).status == 7)
        #expect(try run(.storectl, "schema", store, "--format", "mermaid").output.first == "erDiagram")
        #expect(try run(.storectl, "schema", store, "--version", "9.0.0").status == 7)
        #expect(try run(.storectl, "metrics", store).output.contains { $0.hasPrefix("storekeeper_generation{") && $0.hasSuffix(" 1") })
        #expect(try run(.storectl, "readers", store, "--json").json["readers"] is [Any])
        #expect(try Data(contentsOf: URL(fileURLWithPath: store + ".keeper/record")) == record)
        #expect(try run(.storectl, "doctor", fixture.folder("nowhere")).status == 8)
    }

    @Test func watchTellsWhatHappensAndEndsWhenTold() throws {
        let watch = try Program(.storectl, "watch", store, "--json")
        try watch.line(containing: "\"event\":\"state\"")
        let owner = try open(plan(1))
        try watch.line(containing: "\"event\":\"published\"")
        owner.close()
        try watch.line(containing: "\"closed\"")
        watch.send(SIGINT)
        #expect(try watch.wait(within: 10) == .exit(0))
    }

    @Test func aBackupAtFullWriteLoadIsOneSnapshotOfWhatWasCommittedBefore() throws {
        let owner = try open(plan(1))
        defer { owner.close() }
        let written = Atomic<Int64>(0)
        let isOver = Atomic<Bool>(false)
        // As fast as it can, one row a commit, numbered without a gap.
        let writer = try WorkerThread("writer") {
            while !isOver.load(ordering: .relaxed) {
                let next = written.load(ordering: .relaxed) + 1
                do {
                    try owner.write { try $0.run("INSERT INTO note VALUES(?, hex(randomblob(200)))", .integer(next)) }
                } catch {
                    Issue.record("\(error)")
                    return
                }
                written.store(next, ordering: .releasing)
            }
        }
        for turn in 0..<5 {
            let before = written.load(ordering: .acquiring)
            let target = fixture.folder("loaded\(turn).store")
            let backup = try run(.storectl, "backup", store, "--to", target)
            #expect(backup.status == 0, "\(backup)")
            let copy = try Connection(path: target, access: .readOnly)
            defer { copy.close() }
            #expect(try copy.scalar("PRAGMA integrity_check") == "ok")
            let row = try #require(try copy.row("SELECT count(*), max(id) FROM note"))
            #expect(row[0] == row[1] || row[1] == .null)
            #expect(try #require(row[0].integer) >= before)
        }
        isOver.store(true, ordering: .relaxed)
        writer.join()
    }

    @Test func aKilledBackupNeverStandsUnderItsName() throws {
        let rows =
            "INSERT INTO note WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 3000) SELECT i, randomblob(900) FROM k"
        let owner = try open(plan(1), writing: rows)
        defer { owner.close() }
        for turn in 0..<10 {
            let target = fixture.folder("killed\(turn).store")
            let backup = try Program(.storectl, "backup", store, "--to", target)
            _ = backup.ending(within: Double.random(in: 0...0.06))
            backup.send(turn.isMultiple(of: 2) ? SIGKILL : SIGTERM)
            let ending = try backup.wait(within: 10)
            if FileManager.default.fileExists(atPath: target) {
                let copy = try Connection(path: target, access: .readOnly)
                #expect(try copy.scalar("PRAGMA quick_check") == "ok")
                #expect(try copy.scalar("SELECT count(*) FROM note") == 3000)
                copy.close()
            } else {
                #expect(ending != .exit(0))
            }
            // One that is told to stop cleans up after itself.
            if ending == .exit(5) { #expect(try !fixture.names.contains { $0.hasPrefix("storekeeper-partial-\(backup.pid).") }) }
        }
    }
}
