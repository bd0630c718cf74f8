import Foundation
import ProcessHarness
import StoreSQLite
import Testing

/// `storekeeperd`: what it says, how it ends, and what is in the store then.
@Suite(.serialized) struct DaemonTests {
    @Test func aFirstStartMakesAStoreAndServesUntilItIsToldToStop() throws {
        let store = try PlanStore()
        let daemon = try store.daemon([PlanStore.notes, ["1.0.0/seed.sql": "INSERT INTO audit VALUES('seeded');"]])
        try daemon.event("serving")
        #expect(try store.version == "1.0.0")
        #expect(try store.value("SELECT what FROM audit") == "seeded")
        daemon.send(SIGTERM)
        #expect(try daemon.wait(within: 10) == .exit(0))
        #expect(daemon.events == ["opening", "published", "serving", "closing"])
        #expect(daemon.errors.lines.isEmpty)
    }

    @Test func aMigrationIsLoggedInItsOrder() throws {
        let store = try PlanStore.withNotes()
        let outcome = try store.migrate([PlanStore.notes, PlanStore.renamed], "--log", "json")
        #expect(outcome.ending == .exit(0), "\(outcome)")
        let events = outcome.output.compactMap { $0.components(separatedBy: "\"event\":\"").dropFirst().first?.prefix { $0 != "\"" } }
        #expect(events.filter { $0 != "progress" } == ["opening", "migrating", "stage", "published", "closing"])
        #expect(try store.rows("SELECT body FROM note ORDER BY id") == [["One"], ["Two"], ["Three"]])
        #expect(try store.migrate([PlanStore.notes, PlanStore.renamed], "--quiet").output.isEmpty)
        #expect(try store.value("SELECT count(*) FROM audit") == 1)
    }

    @Test(arguments: [
        [], ["STORE"], ["STORE", "--plan"], ["STORE", "--plan", "PLAN", "--nonsense"], ["STORE", "STORE", "--plan", "PLAN"],
        ["STORE", "--plan", "PLAN", "--wait", "soon"], ["STORE", "--plan", "PLAN", "--wait", "-1"],
        ["STORE", "--plan", "PLAN", "--atomicity", "half"], ["STORE", "--plan", "PLAN", "--log", "xml"],
        ["STORE", "--plan", "PLAN", "--to", "two"], ["STORE", "--plan", "PLAN", "--to", "3.0.0"],
        ["STORE", "--plan", "PLAN", "--backup-keep", "0"], ["STORE", "--plan", "PLAN", "--backup-keep", "2", "--no-backup"],
        ["STORE", "--plan", "PLAN", "--quiet=yes"], ["STORE", "--plan", "PLAN", "--plan", "PLAN"],
        ["STORE", "--plan", "PLAN", "--batch-pause", "1s"],
    ])
    func misuseIsToldAndMakesNoFile(_ words: [String]) throws {
        let store = try PlanStore()
        let plan = try store.plan([PlanStore.notes])
        let program = try Program(.storekeeperd, words.map { $0 == "STORE" ? store.path : $0 == "PLAN" ? plan : $0 })
        #expect(try program.wait() == .exit(2), "\(program.transcript)")
        #expect(program.output.lines.isEmpty && !program.errors.lines.isEmpty, "\(program.transcript)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder.path) == ["plan1"])
    }

    @Test func helpIsNoError() throws {
        let outcome = try run(.storekeeperd, "--help")
        #expect(outcome.ending == .exit(0) && outcome.output.first?.hasPrefix("usage: storekeeperd STORE --plan DIR") == true)
    }

    @Test func aPlanWithAnErrorIsRefusedByFileLineAndStatement() throws {
        let store = try PlanStore.withNotes()
        for (file, text) in [
            ("schema.sql", "CREATE TABLE note(id INTEGER PRIMARY KEY);\nCREATE TABLE b(x,);"), ("did.sql", "SELECT 1;\n/* ; */ Commit;"),
        ] {
            let outcome = try store.migrate([PlanStore.notes, PlanStore.renamed, ["2.0.0/\(file)": text]])
            #expect(outcome.ending == .exit(7), "\(outcome)")
            #expect(outcome.errors.first?.hasPrefix("storekeeperd: 2.0.0/\(file), line 2: ") == true, "\(outcome)")
            #expect(try store.version == "1.0.0")
        }
        #expect(try store.outcomes == ["created"])
    }

    @Test func aFailingScriptLeavesTheVersionBeforeAndABackup() throws {
        let store = try PlanStore.withNotes()
        let broken = ["2.0.0/did.sql": "INSERT INTO audit VALUES('half');\nINSERT INTO note(id, body) VALUES(1, 'again');"]
        let outcome = try store.migrate([PlanStore.notes, PlanStore.renamed, broken])
        #expect(outcome.ending == .exit(7), "\(outcome)")
        #expect(outcome.errors.first?.contains("2.0.0/did.sql, line 2: UNIQUE constraint failed: note.id") == true, "\(outcome)")
        #expect(try store.value("SELECT count(*) FROM audit") == 0)
        #expect(store.backups.count == 1)
        #expect(try store.outcomes == ["created", "failed"])
        #expect(try run(.storectl, "check", store.path, "--want", "2.0.0").ending == .exit(7))
        try store.make([PlanStore.notes, PlanStore.renamed])
        #expect(try store.outcomes == ["created", "failed", "applied"])
    }

    @Test(arguments: [SIGTERM, SIGINT]) func aMigrationThatIsToldToStopIsUndone(_ signal: Int32) throws {
        let store = try PlanStore.withNotes()
        let daemon = try store.daemon([PlanStore.notes, PlanStore.renamed, ["2.0.0/did.sql": PlanStore.slow]], "--migrate-only")
        try daemon.event("stage")
        daemon.send(signal)
        #expect(try daemon.wait(within: 5) == .exit(5), "\(daemon.transcript)")
        #expect(try store.version == "1.0.0")
        #expect(try store.value("SELECT count(*) FROM audit") == 0)
        try store.make([PlanStore.notes, PlanStore.renamed])
    }

    @Test func eachStageIsACommitOfItsOwnWhereThatIsAsked() throws {
        let store = try PlanStore.withNotes()
        let third = [
            "3.0.0/schema.sql": PlanStore.renamed["2.0.0/schema.sql"]! + "CREATE TABLE c(x);",
            "3.0.0/did.sql": "INSERT INTO c VALUES(abs(-9223372036854775808));",
        ]
        #expect(try store.migrate([PlanStore.notes, PlanStore.renamed, third]).ending == .exit(7))
        #expect(try store.version == "1.0.0")
        #expect(try store.migrate([PlanStore.notes, PlanStore.renamed, third], "--atomicity", "stage").ending == .exit(7))
        #expect(try store.version == "2.0.0")
        #expect(try store.outcomes == ["created", "failed", "applied", "failed"])
    }

    @Test func aSecondOwnerIsSentAwayOrWaits() throws {
        let store = try PlanStore.withNotes()
        let first = try store.daemon([PlanStore.notes])
        try first.event("serving")
        let second = try store.migrate([PlanStore.notes])
        #expect(second.ending == .exit(5) && second.errors.first?.contains("\(first.pid)") == true, "\(second)")
        let patient = try store.daemon([PlanStore.notes], "--wait", "30")
        first.send(SIGTERM)
        try patient.event("serving")
        patient.send(SIGTERM)
        #expect(try patient.wait(within: 10) == .exit(0))
    }

    @Test func aNewerStoreIsLeftAlone() throws {
        let store = try PlanStore.withNotes()
        try store.make([PlanStore.notes, PlanStore.renamed])
        let outcome = try store.migrate([PlanStore.notes])
        #expect(outcome.ending == .exit(4), "\(outcome)")
        let reason = outcome.errors.first ?? ""
        #expect(reason.contains("2.0.0") && reason.contains("1.0.0"), "\(outcome)")
    }

    @Test func theOldVersionComesBackOnlyByItsStep() throws {
        let store = try PlanStore.withNotes()
        try store.make([PlanStore.notes, PlanStore.renamed])
        let step = ["2.0.0/reverse.sql": "UPDATE note SET body = body || '!'; DELETE FROM audit;"]
        #expect(try store.migrate([PlanStore.notes, PlanStore.renamed], "--to", "1.0.0", "--allow-loss").ending == .exit(7))
        #expect(try store.migrate([PlanStore.notes, PlanStore.renamed, step], "--to", "1.0.0").ending == .exit(4))
        let back = try store.migrate([PlanStore.notes, PlanStore.renamed, step], "--to", "1.0.0", "--allow-loss")
        #expect(back.ending == .exit(0), "\(back)")
        #expect(try store.rows("SELECT content FROM note ORDER BY id") == [["One!"], ["Two!"], ["Three!"]])
        #expect(try store.outcomes.last == "rolledBack")
    }

    @Test func aLossIsNamedAndAllowedByThePlanOrThePerson() throws {
        let store = try PlanStore.withNotes()
        let lossy = ["2.0.0/schema.sql": "CREATE TABLE note(id INTEGER PRIMARY KEY); CREATE TABLE audit(what TEXT);"]
        let refused = try store.migrate([PlanStore.notes, lossy])
        #expect(refused.ending == .exit(7) && refused.errors.first?.contains("content") == true, "\(refused)")
        let allowed = try store.migrate([PlanStore.notes, lossy], "--allow-loss", "--no-backup")
        #expect(allowed.ending == .exit(0), "\(allowed)")
        #expect(store.backups.isEmpty)
    }

    @Test func aVersionThatWasAddedBelowIsNotPassedOverInSilence() throws {
        let store = try PlanStore.withNotes()
        try store.make([PlanStore.notes, PlanStore.renamed])
        let late = ["1.5.0/schema.sql": PlanStore.notes["1.0.0/schema.sql"]! + "CREATE TABLE late(x);"]
        let allowed = ["2.0.0/stage.json": #"{"renames": {"note.content": "note.body"}, "allowLoss": ["late"]}"#]
        let told = try store.migrate([PlanStore.notes, late, PlanStore.renamed, allowed])
        #expect(told.ending == .exit(0) && told.errors.first?.contains("1.5.0") == true, "\(told)")
        let code = ["1.5.0/did.sql": "INSERT INTO late VALUES(1);"]
        let refused = try store.migrate([PlanStore.notes, late, code, PlanStore.renamed, allowed])
        #expect(refused.ending == .exit(7) && refused.errors.first?.contains("1.5.0") == true, "\(refused)")
        let gone = try store.migrate([PlanStore.notes, late, code, PlanStore.renamed, allowed], "--allow-skipped")
        #expect(gone.ending == .exit(0), "\(gone)")
    }

    @Test func anExclusiveStageWaitsForReadersAndThenGivesUp() throws {
        let store = try PlanStore.withNotes()
        let exclusive = ["2.0.0/stage.json": #"{"renames": {"note.content": "note.body"}, "exclusive": true}"#]
        let reader = try Connection(path: store.path, access: .readOnly)
        try reader.execute("BEGIN")
        _ = try reader.scalar("SELECT count(*) FROM note")
        let outcome = try store.migrate([PlanStore.notes, PlanStore.renamed, exclusive], "--drain", "0.5")
        #expect(outcome.ending == .exit(5), "\(outcome)")
        #expect(outcome.errors.first?.contains("\(getpid())") == true, "\(outcome)")
        let daemon = try store.daemon([PlanStore.notes, PlanStore.renamed, exclusive], "--migrate-only", "--drain", "60")
        try daemon.event("migrating")
        #expect(daemon.ending(within: 0.3) == nil)
        try reader.execute("COMMIT")
        reader.close()
        #expect(try daemon.wait(within: 10) == .exit(0), "\(daemon.transcript)")
        #expect(try store.version == "2.0.0")
    }
}
