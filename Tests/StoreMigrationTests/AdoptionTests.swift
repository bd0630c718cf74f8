import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

@Suite("Adopting a database")
struct AdoptionTests {
    private static let one = "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT)"
    private static let two = "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT NOT NULL, words INTEGER)"

    private func plan() throws -> MigrationPlan {
        try MigrationPlan(
            versions: [StoreBench.snapshot(.one, Self.one), StoreBench.snapshot(.two, Self.two)],
            stages: [PlannedStage(from: .one, to: .two)])
    }

    private func adopt(
        _ store: StoreBench, as version: SchemaVersion? = nil, allowsExtra: Bool = false, record: PublishedRecord? = nil
    ) throws -> StoreMetadata {
        let plan = try plan()
        return try store.connection.writing {
            try Adoption.find(store.connection, plan, as: version, allowsExtra: allowsExtra)
                .apply(store.connection, record: record, owner: "test")
        }
    }

    /// Why it is not adopted.
    private func refusal(_ store: StoreBench, as version: SchemaVersion? = nil, allowsExtra: Bool = false) throws -> StoreError {
        do {
            _ = try adopt(store, as: version, allowsExtra: allowsExtra)
        } catch let error as StoreError {
            return error
        }
        Issue.record("it was adopted")
        return StoreError(.misuse, "it was adopted")
    }

    @Test("the version is found by the shape, and what another program kept in its numbers is remembered")
    func exactShape() throws {
        let store = try StoreBench()
        try store.connection.execute("\(Self.one); INSERT INTO note VALUES(1, 'x'); PRAGMA user_version = 42; PRAGMA application_id = 7")
        let metadata = try adopt(store)
        #expect(metadata.version == .one)
        #expect(metadata.adoptedUserVersion == 42)
        #expect(metadata.adoptedApplicationID == 7)
        #expect(metadata.tolerated == nil)
        #expect(try store.metadata == metadata)
        #expect(try store.history.map(\.outcome) == [.adopted])
        try store.migrate(plan())
        #expect(try store.connection.rows("SELECT body FROM note") == [["x"]])
    }

    @Test("columns and objects beyond the version are named, and with permission they survive rebuilds and are no drift")
    func extra() throws {
        let store = try StoreBench()
        try store.connection.execute(
            """
            CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT, extra TEXT DEFAULT 'e'); CREATE INDEX e ON note(extra);
            CREATE TABLE other(a); CREATE VIEW v AS SELECT extra FROM note; CREATE TRIGGER t AFTER DELETE ON note BEGIN SELECT 1; END;
            INSERT INTO note VALUES(1, 'x', 'kept')
            """)
        let refused = try refusal(store)
        #expect(refused.code == .drifted)
        for name in ["column extra", "index e", "table other", "view v", "trigger t", "--allow-extra"] {
            #expect(refused.description.contains(name))
        }
        let metadata = try adopt(store, allowsExtra: true)
        #expect(try ToleratedObjects(metadata).descriptions.count == 5)
        try SchemaDrift.check(store.connection, metadata)
        try store.migrate(plan())
        #expect(try store.connection.rows("SELECT body, extra FROM note") == [["x", "kept"]])
        #expect(try store.connection.rows("SELECT extra FROM v") == [["kept"]])
        let reached = try #require(try store.metadata)
        #expect(reached.version == .two)
        #expect(reached.fingerprint == (try plan().target.fingerprint))
        try SchemaDrift.check(store.connection, reached)
        try store.connection.execute("ALTER TABLE note ADD COLUMN later")
        #expect(throws: StoreError.self) { try SchemaDrift.check(store.connection, reached) }
    }

    @Test("what the version has and the database has not is refused, and nothing is changed")
    func missing() throws {
        let store = try StoreBench()
        try store.connection.execute("CREATE TABLE note(id INTEGER PRIMARY KEY)")
        let refused = try refusal(store, allowsExtra: true)
        #expect(refused.description.contains("column body is missing"))
        #expect(try store.metadata == nil)
        #expect(try refusal(store, as: .three).code == .misuse)
        #expect(try refusal(StoreBench()).code == .absent)
    }

    @Test("a store that was changed by hand is adopted as it is, and keeps its identity and history")
    func drifted() throws {
        let store = try StoreBench()
        let before = try store.create(StoreBench.snapshot(.one, Self.one))
        try store.connection.execute("ALTER TABLE note ADD COLUMN surcharge TEXT")
        #expect(try refusal(store).description.contains("surcharge"))
        let metadata = try adopt(store, as: .one, allowsExtra: true)
        #expect(metadata.storeID == before.storeID)
        #expect(metadata.generation == before.generation + 1)
        #expect(try store.history.map(\.outcome) == [.created, .adopted])
        #expect(try Adoption.find(store.connection, plan(), allowsExtra: true).isDone)
    }

    @Test(
        "a store that has lost what it said of itself is adopted, and what is left of it goes on",
        arguments: [
            ("DROP TABLE storekeeper_metadata", true), ("DELETE FROM storekeeper_metadata", true),
            ("DELETE FROM storekeeper_metadata WHERE key = 'shape'", true),
            ("DROP TABLE storekeeper_metadata; CREATE VIEW storekeeper_metadata AS SELECT 1 AS key, 2 AS value", true),
            ("DROP TABLE storekeeper_metadata; CREATE TABLE storekeeper_metadata(x)", true),
            ("DROP TABLE storekeeper_history", false), ("DROP TABLE storekeeper_history; CREATE TABLE storekeeper_history(x)", false),
            ("DROP TABLE storekeeper_schema; CREATE TABLE STOREKEEPER_schema(x)", true), ("DELETE FROM storekeeper_schema", true),
            ("PRAGMA user_version = -2147483648", true), ("PRAGMA user_version = 2147483647", true),
        ])
    func lost(damage: String, keepsHistory: Bool) throws {
        let store = try StoreBench()
        let before = try store.create(StoreBench.snapshot(.one, Self.one), rows: "INSERT INTO note VALUES(1, 'x')")
        let record = PublishedRecord(
            storeID: before.storeID, state: .closed, version: .one, fingerprint: before.fingerprint, generation: before.generation,
            readableBy: before.readableBy, epoch: 5, owner: .current(), ownerSince: .now)
        try store.connection.execute(damage)
        let metadata = try adopt(store, record: record)
        #expect(metadata.storeID == before.storeID && metadata.version == .one && metadata.epoch == 6)
        #expect(metadata.generation == before.generation + 1)
        #expect(metadata.adoptedUserVersion == nil && metadata.adoptedApplicationID == nil)
        #expect(try store.metadata == metadata)
        #expect(try store.history.map(\.outcome) == (keepsHistory ? [.created, .adopted] : [.adopted]))
        #expect(try Adoption.find(store.connection, plan()).isDone)
        #expect(try StoreExamination(store.connection, metadata).findings == [])
        #expect(try store.runner(plan()).run(epoch: 6, owner: "test").version == .two)
        #expect(try store.connection.rows("SELECT body FROM note") == [["x"]])
    }

    @Test("of a newer release, or in the middle of batches that nobody can tell any more: not adopted")
    func notLost() throws {
        let store = try StoreBench()
        let before = try store.create(StoreBench.snapshot(.one, Self.one))
        try store.connection.run("UPDATE storekeeper_metadata SET value = '9' WHERE key = 'format'")
        #expect(try refusal(store).code == .storeTooNew)
        try store.connection.run("DELETE FROM storekeeper_metadata WHERE key = 'format'")
        try store.connection.run("INSERT INTO storekeeper_metadata VALUES('target', ?)", .text("2.0.0:\(before.fingerprint)"))
        #expect(try refusal(store).code == .planRefused)
    }

    @Test("a column that the next version declares itself is tolerated no longer")
    func declared() throws {
        let store = try StoreBench()
        try store.connection.execute(
            "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT, words INTEGER); INSERT INTO note VALUES(1, 'x', 3)")
        #expect(try adopt(store, as: .one, allowsExtra: true).tolerated != nil)
        #expect(try store.migrate(plan()).tolerated == nil)
        #expect(try store.connection.rows("SELECT * FROM note") == [[1, "x", 3]])
    }
}
