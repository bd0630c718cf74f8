import Foundation
import StoreMigration
import StoreOwner
import StoreSQLite
import StoreShared
import Synchronization
import Testing

@Suite("An owner")
struct StoreOwnerTests {
    @Test func `makes a store at the target and publishes it`() throws {
        let fixture = try OwnerFixture()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan2)
        #expect(owner.version == SchemaVersion(2, 0, 0))
        #expect(fixture.record?.state == .ready)
        #expect(fixture.record?.version == SchemaVersion(2, 0, 0))
        #expect(fixture.record?.epoch == 1)
        #expect(try fixture.ask("PRAGMA journal_mode") == [["wal"]])
        #expect(OwnerLock.probe(fixture.location) == .alive)
        owner.close()
        #expect(fixture.record?.state == .closed)
        #expect(OwnerLock.probe(fixture.location) == .dead)
        #expect(!FileManager.default.fileExists(atPath: fixture.location.socket))
    }

    @Test func `raises the epoch and nothing else when the store is up to date`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let before = fixture.record
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        defer { owner.close() }
        #expect(owner.epoch == 2)
        #expect(fixture.record?.generation == before?.generation)
        #expect(try fixture.ask("SELECT count(*) FROM storekeeper_history") == [[1]])
    }

    @Test func `prepares few statements to open a store that is up to date`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        defer { owner.close() }
        // Of the writing connection: four settings, the journal's mode, ten in the transaction of the epoch, and the one that asks here.
        // The look before it costs five. Counted one by one in OpeningFaultTests.
        let counts = try owner.statementCounts()
        #expect((1...16).contains(counts.prepared), "\(counts)")
    }

    @Test func `migrates, keeps every row, makes a backup and writes the history`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let events = Mutex<[String]>([])
        var options = OwnerOptions()
        options.onEvent = { event in
            let name = String(String(describing: event).prefix { $0 != "(" })
            events.withLock { if $0.last != name { $0.append(name) } }
        }
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan2, options: options)
        #expect(try fixture.ask("SELECT id, title, words FROM note") == [[1, "a", .null], [2, "b", .null]])
        #expect(try fixture.ask("SELECT outcome FROM storekeeper_history ORDER BY id") == [["created"], ["applied"]])
        #expect(fixture.record?.state == .ready)
        #expect(fixture.record?.version == SchemaVersion(2, 0, 0))
        #expect(try fixture.ask("PRAGMA user_version") == [[.integer(fixture.record?.generation ?? -1)]])
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.location.backups).count == 1)
        owner.close()
        let names = events.withLock { $0 }
        #expect(names.first == "opening")
        #expect(names.last == "closing")
        #expect(names.filter { ["migrating", "published", "serving"].contains($0) } == ["migrating", "published", "serving"])
    }

    @Test func `keeps a second owner out and names itself`() throws {
        let fixture = try OwnerFixture()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        defer { owner.close() }
        #expect {
            try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        } throws: { error in
            let error = error as? StoreError
            return error?.code == .ownedByAnother && error?.ownerPID == ProcessIdentity.current().pid
        }
    }

    @Test func `takes over as soon as the owner before has closed`() throws {
        let fixture = try OwnerFixture()
        let first = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        let started = Barrier()
        let second = Outcome<StoreOwner>()
        let location = fixture.location
        Thread.detachNewThread {
            second.fill {
                started.open()
                var options = OwnerOptions()
                options.wait = .seconds(20)
                return try StoreOwner.open(at: location, plan: try OwnerFixture.plan1, options: options)
            }
        }
        started.wait()
        first.close()
        let owner = try second.get()
        #expect(owner.epoch == 2)
        owner.close()
    }

    @Test func `leaves a failed stage undone, says why, and goes on with the corrected plan`() throws {
        struct Broken: Error {}
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let stage = PlannedStage(
            from: SchemaVersion(1, 0, 0), to: SchemaVersion(2, 0, 0),
            kind: .custom(
                will: nil,
                did: { context in
                    try context.connection.run("DELETE FROM note")
                    throw Broken()
                }))
        let plan = try OwnerFixture.plan([OwnerFixture.version1, OwnerFixture.version2], stages: [stage])
        #expect {
            try StoreOwner.open(at: fixture.location, plan: plan)
        } throws: { ($0 as? StoreError)?.code == .migrationFailed }
        #expect(fixture.record?.state == .failed)
        #expect(fixture.record?.version == SchemaVersion(1, 0, 0))
        #expect(fixture.record?.target == SchemaVersion(2, 0, 0))
        #expect(fixture.record?.reason?.contains("Broken") == true)
        #expect(try fixture.ask("SELECT count(*) FROM note") == [[2]])
        #expect(try fixture.ask("SELECT outcome FROM storekeeper_history ORDER BY id") == [["created"], ["failed"]])
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan2)
        #expect(owner.version == SchemaVersion(2, 0, 0))
        owner.close()
    }

    @Test func `undoes a migration that is cancelled and is not called failed`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let cancellation = Cancellation()
        let stage = PlannedStage(
            from: SchemaVersion(1, 0, 0), to: SchemaVersion(2, 0, 0),
            kind: .custom(
                will: { context in
                    try context.connection.run("DELETE FROM note")
                    cancellation.cancel()
                    try context.advance(rows: 1)
                }, did: nil))
        let plan = try OwnerFixture.plan([OwnerFixture.version1, OwnerFixture.version2], stages: [stage])
        var options = OwnerOptions()
        options.cancellation = cancellation
        let asked = options
        #expect {
            try StoreOwner.open(at: fixture.location, plan: plan, options: asked)
        } throws: { ($0 as? StoreError)?.code == .cancelled }
        #expect(fixture.record?.state == .closed)
        #expect(try fixture.ask("SELECT count(*) FROM note") == [[2]])
    }

    @Test func `makes no store when it is told to stop while the first rows are made`() throws {
        let fixture = try OwnerFixture()
        let cancellation = Cancellation()
        let snapshot = try SchemaSnapshot(version: SchemaVersion(1, 0, 0), frontEnd: .sql, statements: OwnerFixture.version1)
        let plan = try MigrationPlan(
            versions: [snapshot], stages: [],
            seeds: [
                snapshot.version: { context in
                    cancellation.cancel()
                    _ = try context.connection.rows("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n")
                }
            ])
        var options = OwnerOptions()
        options.cancellation = cancellation
        let asked = options
        #expect {
            try StoreOwner.open(at: fixture.location, plan: plan, options: asked)
        } throws: { ($0 as? StoreError)?.code == .cancelled }
        #expect(fixture.record == nil)
        try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1).close()
        #expect(try fixture.ask("SELECT count(*) FROM note") == [[0]])
    }

    @Test func `writes in one transaction or not at all`() throws {
        struct Stop: Error {}
        let fixture = try OwnerFixture()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        defer { owner.close() }
        #expect(throws: Stop.self) {
            try owner.write { connection in
                try connection.run("INSERT INTO note(title) VALUES ('lost')")
                throw Stop()
            }
        }
        #expect(try fixture.ask("SELECT count(*) FROM note") == [[0]])
    }

    @Test func `refuses a write within a write`() throws {
        let fixture = try OwnerFixture()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        defer { owner.close() }
        #expect {
            try owner.write { _ in try owner.write { _ in } }
        } throws: { ($0 as? StoreError)?.code == .misuse }
    }

    @Test func `neither commits nor publishes once its lock file was replaced`() throws {
        let fixture = try OwnerFixture()
        let superseded = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        try FileManager.default.removeItem(atPath: fixture.location.ownerLock)
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        #expect {
            try superseded.write { try $0.run("INSERT INTO note(title) VALUES ('late')") }
        } throws: { ($0 as? StoreError)?.code == .fenced }
        superseded.close()
        #expect(fixture.record?.epoch == owner.epoch)
        #expect(fixture.record?.state == .ready)
        #expect(FileManager.default.fileExists(atPath: fixture.location.socket))
        #expect(try fixture.ask("SELECT count(*) FROM note") == [[0]])
        owner.close()
    }

    @Test func `empties the log soon after writing has paused`() throws {
        let fixture = try OwnerFixture()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        defer { owner.close() }
        try owner.write { connection in
            for _ in 0..<1000 { try connection.run("INSERT INTO note(title) VALUES (hex(randomblob(500)))") }
        }
        let deadline = Date(timeIntervalSinceNow: 10)
        func logSize() -> Int {
            (try? FileManager.default.attributesOfItem(atPath: fixture.location.store + "-wal")[.size] as? Int) ?? -1
        }
        while logSize() != 0, Date() < deadline { usleep(20_000) }
        #expect(logSize() == 0)
    }

    @Test func `answers on its socket while it migrates`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let location = fixture.location
        let answer = Mutex<Status?>(nil)
        let stage = PlannedStage(
            from: SchemaVersion(1, 0, 0), to: SchemaVersion(2, 0, 0),
            kind: .custom(
                will: { _ in
                    let client = try LineClient(location, until: .after(.seconds(2)))
                    let wanted = SchemaIdentity(version: SchemaVersion(2, 0, 0))
                    try client.send(MessageCoding.line(Hello(role: .shell, wanted: wanted)), until: .after(.seconds(2)))
                    if case .line(let line) = client.receive(until: .after(.seconds(2))) {
                        answer.withLock { $0 = MessageCoding.read(Greeting.self, line)?.status }
                    }
                }, did: nil))
        let plan = try OwnerFixture.plan([OwnerFixture.version1, OwnerFixture.version2], stages: [stage])
        let owner = try StoreOwner.open(at: location, plan: plan)
        defer { owner.close() }
        let status = answer.withLock { $0 }
        #expect(status?.verdict == .migrating)
        #expect(status?.migration?.to == "2.0.0")
        #expect(status?.store.version == "1.0.0")
    }

    @Test func `says that it makes a store anew where the record says that there was one`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: fixture.location.store + suffix) }
        let warnings = Mutex<[String]>([])
        var options = OwnerOptions()
        options.onEvent = { if case .warning(let text) = $0 { warnings.withLock { $0.append(text) } } }
        try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1, options: options).close()
        #expect(warnings.withLock { $0.map { $0.contains("is empty, but its record says") } } == [true])
    }

    @Test func `a restore that was committed is done, also where it cannot be published`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let saved = fixture.folder.path + "/saved.store"
        try FileManager.default.copyItem(atPath: fixture.location.store, toPath: saved)
        // A folder of the name that the temporary file is to have, whatever the epoch will be.
        let obstacles = (1...9).map { "\(fixture.location.keeper)/.record.\(Worker.current).\($0).tmp" }
        for obstacle in obstacles { try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false) }
        var warnings: [String] = []
        let metadata = try MomentaryOwner.restore(fixture.location, from: saved) { warnings.append($0) }
        #expect(metadata.version == SchemaVersion(1, 0, 0))
        #expect(warnings.count == 1 && warnings[0].contains("could not be published"))
        #expect(try fixture.ask("SELECT count(*) FROM storekeeper_history WHERE outcome = 'restored'") == [[1]])
        for obstacle in obstacles { try FileManager.default.removeItem(atPath: obstacle) }
        try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1).close()
    }

    @Test func `makes nothing where a restore is refused`() throws {
        let fixture = try OwnerFixture()
        let text = fixture.folder.path + "/letter"
        try String(repeating: "This is a letter. ", count: 500).write(toFile: text, atomically: false, encoding: .utf8)
        #expect {
            try MomentaryOwner.restore(fixture.location, from: text)
        } throws: { ($0 as? StoreError)?.code == .planRefused }
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) == ["letter"])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can own a store for somebody else"))
    func `leaves what root makes beside a store to the store's user`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        try FileManager.default.removeItem(atPath: fixture.location.keeper)
        #expect(chown(fixture.location.store, 65534, 65534) == 0)
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan2)
        owner.close()
        let made = [fixture.location.keeper, fixture.location.ownerLock, fixture.location.record, fixture.location.backups]
        for path in made
            + [try #require(FileManager.default.contentsOfDirectory(atPath: fixture.location.backups).first)].map({
                "\(fixture.location.backups)/\($0)"
            })
        {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? Int == 65534, "\(path)")
        }
    }

    @Test func `keeps the backups of older versions through starts that fail again and again`() throws {
        struct Broken: Error {}
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan2).close()
        let third = OwnerFixture.version2 + ["CREATE TABLE more(a)"]
        let stages = [
            PlannedStage(from: SchemaVersion(1, 0, 0), to: SchemaVersion(2, 0, 0)),
            PlannedStage(from: SchemaVersion(2, 0, 0), to: SchemaVersion(3, 0, 0), kind: .custom(will: nil, did: { _ in throw Broken() })),
        ]
        let plan = try OwnerFixture.plan([OwnerFixture.version1, OwnerFixture.version2, third], stages: stages)
        for _ in 0..<5 { #expect(throws: StoreError.self) { try StoreOwner.open(at: fixture.location, plan: plan) } }
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.location.backups)
        #expect(names.filter { $0.contains("-1.0.0-") }.count == 1)
        #expect(names.filter { $0.contains("-2.0.0-") }.count == 1)
    }
}
