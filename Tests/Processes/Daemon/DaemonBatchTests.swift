import Foundation
import ProcessHarness
import StoreSQLite
import Testing

/// Batches of `storekeeperd`: every row once, whatever happens in between.
@Suite(.serialized) struct DaemonBatchTests {
    private static let rows = 3000
    private static let common = """
        CREATE TABLE touched(id INTEGER); CREATE TRIGGER item_au AFTER UPDATE OF name ON item BEGIN INSERT INTO touched VALUES(new.id); END;
        """
    private static let one = ["1.0.0/schema.sql": "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);" + common]
    private static let two = [
        "2.0.0/schema.sql": "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, seen INTEGER);" + common,
        "2.0.0/did.sql": "UPDATE item SET name = lower(name) WHERE id > :after AND id <= :until;",
        "2.0.0/stage.json": #"{"batches": {"size": 50, "key": "item.id"}}"#,
    ]

    private func store() throws -> PlanStore {
        let store = try PlanStore()
        try store.make([Self.one])
        try store.load(
            "INSERT INTO item WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows)) SELECT i, 'N' || i FROM n"
        )
        return store
    }

    private func expectDone(_ store: PlanStore) throws {
        #expect(try store.value("SELECT count(*) FROM touched") == .integer(Int64(Self.rows)))
        #expect(try store.value("SELECT count(DISTINCT id) FROM touched") == .integer(Int64(Self.rows)))
        #expect(try store.version == "2.0.0")
        #expect(try store.outcomes.filter { $0 == "applied" }.count == 1)
    }

    /// Killed in the middle three times, told to stop once: the next run goes on at the cursor, and nobody is told `ready` before.
    @Test func killedBatchesGoOnWhereTheyWere() throws {
        let store = try store()
        var done: Int64 = 0
        for signal in [SIGKILL, SIGTERM, SIGKILL, SIGKILL] {
            let daemon = try store.daemon([Self.one, Self.two], "--migrate-only", "--batch-pause", "20")
            let deadline = ContinuousClock.now + .seconds(30)
            while try store.value("SELECT count(*) FROM touched")?.integer ?? 0 < done + 300 {
                try #require(ContinuousClock.now < deadline, "\(daemon.transcript)")
                Thread.sleep(forTimeInterval: 0.005)
            }
            #expect(try run(.storectl, "check", store.path, "--want", "2.0.0").ending == .exit(6))
            #expect(try run(.storectl, "check", store.path, "--want", "1.0.0").ending == .exit(0))
            daemon.send(signal)
            #expect(try daemon.wait(within: 10) == (signal == SIGKILL ? .signal(SIGKILL) : .exit(5)), "\(daemon.transcript)")
            done = try store.value("SELECT count(*) FROM touched")?.integer ?? 0
            #expect(done < Self.rows && done.isMultiple(of: 50))
            if signal == SIGTERM {
                for text in [daemon.transcript, try run(.storectl, "history", store.path).output.joined()] {
                    #expect(text.contains("after \(done) of \(Self.rows) rows on the way to 2.0.0, which stay"), "\(text)")
                    #expect(!text.contains("undone"), "\(text)")
                }
            }
            #expect(try run(.storectl, "check", store.path, "--want", "2.0.0").ending == .exit(3))
        }
        // The plan before does not take the store for its own.
        #expect(try store.migrate([Self.one]).ending == .exit(4))
        try store.make([Self.one, Self.two])
        try expectDone(store)
        #expect(store.backups.count == 1)
        try store.make([Self.one, Self.two])
        try expectDone(store)
    }
}
