import Foundation
import ProcessHarness
import StoreMigration
import StoreOwner
import StoreShared
import Testing

@Suite struct StorectlTests {
    private let fixture: Fixture
    private var store: String { fixture.store }

    init() throws { fixture = try Fixture() }

    @Test(arguments: [
        [], ["fly", "s"], ["watch"], ["restore", "s"], ["adopt", "s"], ["plan", "s"], ["rollback", "s", "--to", "two"], ["check"],
        ["check", "s"], ["check", "s", "--want"], ["check", "s", "--want", "two"],
        ["check", "s", "--want", "1.0"], ["check", "s", "--want", "1.0.0", "--nonsense"], ["check", "s", "--want", "1.0.0", "--json=1"],
        ["wait", "s", "--want", "1.0.0", "--timeout", "soon"], ["wait", "s", "--want", "1.0.0", "--timeout", "-1"],
        ["wait", "s", "--want", "1.0.0", "--timeout", "99999999999999999999"], ["version", "s", "s"], ["version", "s", "--want", "1.0.0"],
        ["version", ""], ["status"],
    ])
    func misuseIsTwoWithAReasonAndMakesNoFile(arguments: [String]) throws {
        let paths = arguments.map { $0 == "s" ? store : $0 }
        let program = try Program(.storectl, paths)
        #expect(try program.wait() == .exit(2))
        #expect(program.output.lines == [])
        #expect(program.errors.lines.first?.isEmpty == false)
        #expect(try fixture.names == [])
    }

    @Test func whatIsNoStoreIsEightAndVersionPrintsNothing() throws {
        try Data("This is a letter, not a database.".utf8).write(to: URL(fileURLWithPath: fixture.folder("text")))
        try Data().write(to: URL(fileURLWithPath: fixture.folder("empty")))
        let before = try fixture.names
        for name in ["absent", "text", "empty", ".", "nowhere/notes.store"] {
            for arguments in [["check", "--want", "1.0.0"], ["version"], ["status"]] {
                let program = try Program(.storectl, [arguments[0], fixture.folder(name)] + arguments.dropFirst())
                #expect(try program.wait() == .exit(8), "\(arguments[0]) \(name)")
                #expect(program.errors.lines.first?.contains(fixture.folder.path) == true, "\(arguments[0]) \(name)")
                if arguments[0] == "version" { #expect(program.output.lines == []) }
            }
        }
        #expect(try run(.storectl, "check", fixture.folder("absent"), "--want", "1.0.0", "--json").json["verdict"] as? String == "absent")
        #expect(try run(.storectl, "check", fixture.folder("text"), "--want", "1.0.0", "--json").json["verdict"] as? String == "unreadable")
        #expect(try fixture.names == before)
    }

    @Test func anAnswerThatCannotBeWrittenIsNone() throws {
        try fixture.make(2)
        for arguments in [["version", store], ["status", store], ["status", store, "--json"], ["check", store, "--want", "2.0.0"]] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: try Product.storectl.path)
            process.arguments = arguments
            process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 1, "\(arguments)")
        }
    }

    @Test func theFormOfTheOutputDoesNotChangeTheCode() throws {
        try fixture.make(2)
        for (want, status, verdict) in [("2.0.0", 0, "ready"), ("3.0.0", 3, "outdated"), ("1.0.0", 4, "tooNew")]
            as [(String, Int32, String)]
        {
            let plain = try run(.storectl, "check", store, "--want", want)
            #expect(plain.status == status)
            #expect(plain.output == [verdict])
            #expect(plain.errors.isEmpty == (status == 0))
            let quiet = try run(.storectl, "check", store, "--want", want, "--quiet")
            #expect(quiet.status == status)
            #expect(quiet.output + quiet.errors == [])
            let shown = try run(.storectl, "wait", store, "--want", want, "--timeout", "0", "--json")
            #expect(shown.status == status)
            #expect(try shown.json["verdict"] as? String == verdict)
        }
    }

    @Test func aNewerVersionThatMayBeReadIsReady() throws {
        try fixture.make(2)
        try fixture.make(3)
        #expect(try run(.storectl, "check", store, "--want", "2.0.0").status == 0)
        #expect(try run(.storectl, "check", store, "--want", "1.0.0").status == 4)
    }

    @Test func versionStandsAloneServedAndClosed() throws {
        try fixture.own(2)
        for isServed in [true, false] {
            if !isServed { fixture.close() }
            let outcome = try run(.storectl, "version", store)
            #expect(outcome.status == 0)
            #expect(outcome.output == ["2.0.0"])
            #expect(outcome.errors == [])
        }
    }

    @Test func statusHasEveryKeyWhoeverIsAtHome() throws {
        let keys = ["verdict", "store", "record", "owner", "migration", "failure", "readers"]
        func status() throws -> (all: [String: Any], owner: [String: Any], store: [String: Any]) {
            let found = try run(.storectl, "status", store, "--json").json
            #expect(found.keys.sorted() == keys.sorted())
            let owner = try #require(found["owner"] as? [String: Any])
            let store = try #require(found["store"] as? [String: Any])
            #expect(owner.keys.sorted() == ["alive", "epoch", "pid", "reason", "since"])
            #expect(store.keys.sorted() == ["fingerprint", "generation", "id", "path", "readableBy", "version"])
            return (found, owner, store)
        }
        #expect(try status().all["verdict"] as? String == "absent")
        try fixture.own(1)
        var found = try status()
        #expect(found.all["verdict"] as? String == "ready")
        #expect(found.owner["alive"] as? Bool == true)
        #expect(found.owner["pid"] as? Int32 == System.processID)
        #expect(found.store["version"] as? String == "1.0.0")
        #expect(found.all["readers"] as? Int == 0)
        fixture.close()
        found = try status()
        #expect(found.owner["alive"] as? Bool == false)
        #expect(found.all["migration"] is NSNull)
        #expect(try run(.storectl, "status", store).status == 0)
    }

    @Test func strictAsksForARecordThatAgrees() throws {
        try fixture.make(1)
        let record = URL(fileURLWithPath: store + ".keeper/record")
        let old = try Data(contentsOf: record)
        try fixture.make(2)
        let new = try Data(contentsOf: record)
        #expect(try run(.storectl, "check", store, "--want", "2.0.0", "--strict").status == 0)
        for content in [old, new.prefix(new.count / 2), Data("STORE_VERSION=9.9.9\n".utf8), nil] {
            try FileManager.default.removeItem(at: record)
            try content?.write(to: record)
            #expect(try run(.storectl, "check", store, "--want", "2.0.0", "--strict").status == 9)
            #expect(try run(.storectl, "check", store, "--want", "2.0.0").status == 0)
            #expect(try run(.storectl, "version", store).output == ["2.0.0"])
            if content == nil { try new.write(to: record) }
        }
    }

    @Test func aWaitEndsWhenTheVersionIsThereAndAtOnceWhenItCannotHelp() throws {
        try fixture.make(1)
        let wait = try Program(.storectl, "wait", store, "--want", "2.0.0", "--timeout", "60s")
        let patient = try Program(.storectl, "wait", fixture.folder("later.store"), "--want", "1.0.0", "--timeout", "forever")
        #expect(wait.errors.first(within: 30) { $0.contains("outdated") } != nil)
        #expect(patient.errors.first(within: 30) { $0.contains("absent") } != nil)
        #expect(try run(.storectl, "wait", store, "--want", "2.0.0", "--require-owner").status == 3)
        #expect(try run(.storectl, "wait", store, "--want", "2.0.0", "--timeout", "100ms").status == 5)
        try fixture.make(2)
        #expect(try wait.wait(within: 30) == .exit(0))
        #expect(try run(.storectl, "wait", store, "--want", "1.0.0", "--timeout", "60s").status == 4)
        let later = try StoreOwner.open(at: try StoreLocation(path: fixture.folder("later.store")), plan: try Fixture.plan(1))
        #expect(try patient.wait(within: 30) == .exit(0))
        later.close()
    }

    @Test func duringAMigrationTheTargetIsSixAndTheVersionBeforeIsReady() throws {
        try fixture.make(1)
        let store = store
        let plan = try Fixture.plan(2) { _ in
            #expect(try run(.storectl, "check", store, "--want", "2.0.0").status == 6)
            #expect(try run(.storectl, "check", store, "--want", "1.0.0").status == 0)
            #expect(try run(.storectl, "version", store).output == ["1.0.0"])
            let shown = try run(.storectl, "status", store, "--json").json
            #expect(shown["verdict"] as? String == "migrating")
            let migration = try #require(shown["migration"] as? [String: Any])
            #expect(migration["from"] as? String == "1.0.0")
            #expect(migration["to"] as? String == "2.0.0")
            #expect(migration.keys.count == 10)
        }
        let owner = try StoreOwner.open(at: try StoreLocation(path: store), plan: plan)
        owner.close()
    }

    @Test func aFailedMigrationIsSevenForTheTargetAndZeroForTheVersionBefore() throws {
        struct Mine: Error {}
        try fixture.make(1)
        let plan = try Fixture.plan(2) { _ in throw Mine() }
        #expect(throws: StoreError.self) { try StoreOwner.open(at: try StoreLocation(path: store), plan: plan) }
        let target = try run(.storectl, "check", store, "--want", "2.0.0", "--json")
        #expect(target.status == 7)
        #expect(try target.json["failure"] is String)
        #expect(try run(.storectl, "check", store, "--want", "1.0.0").status == 0)
        #expect(try run(.storectl, "wait", store, "--want", "2.0.0", "--timeout", "60s").status == 7)
        #expect(try run(.storectl, "status", store).status == 0)
    }
}
