import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

@Suite("Batches")
struct SQLPlanBatchTests {
    private let common =
        "CREATE TABLE touched(id); CREATE TRIGGER item_au AFTER UPDATE OF name ON item BEGIN INSERT INTO touched VALUES(new.id); END;"

    private func files(
        key: String = "INTEGER PRIMARY KEY", did: String = "UPDATE item SET name = lower(name) WHERE id > :after AND id <= :until;",
        size: Int = 10
    ) -> [String: String] {
        [
            "1.0.0/schema.sql": "CREATE TABLE item(id \(key), name TEXT);" + common,
            "2.0.0/schema.sql": "CREATE TABLE item(id \(key), name TEXT, seen INTEGER);" + common, "2.0.0/did.sql": did,
            "2.0.0/stage.json": #"{"batches": {"size": \#(size), "key": "item.id"}}"#,
        ]
    }

    private let hundred =
        "INSERT INTO item WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i, 'N' || i FROM n"

    private func store(_ plan: SQLPlan, rows: String) throws -> StoreBench {
        let store = try StoreBench()
        _ = try store.runner(plan.migrationPlan(to: .one)).create(epoch: 1, owner: "test")
        try store.connection.execute(rows)
        return store
    }

    private func expectAllOnce(_ store: StoreBench, rows: Int64) throws {
        #expect(try store.connection.scalar("SELECT count(*) FROM touched") == .integer(rows))
        #expect(try store.connection.scalar("SELECT count(DISTINCT id) FROM touched") == .integer(rows))
        #expect(try store.connection.scalar("SELECT count(*) FROM item WHERE name <> lower(name)") == 0)
        let metadata = try #require(try store.metadata)
        #expect(metadata.version == .two && metadata.target == nil && metadata.cursor == nil && metadata.stage == nil)
        #expect(metadata.readableBy == [metadata.identity])
    }

    @Test("A stage that is stopped is pending, and the next run goes on at its cursor")
    func pending() throws {
        let plan = try WrittenPlan(files()).read()
        let store = try store(plan, rows: hundred)
        let cancellation = Cancellation()
        var committed: [StoreMetadata] = []
        var options = MigrationOptions()
        options.batchPause = .milliseconds(120)
        let paused = MigrationRunner(
            connection: store.connection, location: store.location, plan: try plan.migrationPlan(), options: options,
            cancellation: cancellation,
            observer: { event in
                if case .progress(let done, let total) = event {
                    #expect(total == 0 || total == 100)
                    if done >= 30 { cancellation.cancel() }
                }
                if case .committed(let metadata) = event { committed.append(metadata) }
            })
        let stopped = try #require(#expect(throws: StoreError.self) { try paused.run(epoch: 1, owner: "test") })
        #expect(stopped.code == .cancelled)
        let reason = try #require(try store.history.last?.reason)
        for text in [stopped.description, reason] {
            #expect(text.contains("was stopped after 30 of 100 rows on the way to 2.0.0, which stay"), "\(text)")
            #expect(text.hasSuffix("start an owner built for 2.0.0, which goes on there") && !text.contains("undone"), "\(text)")
        }

        let metadata = try #require(try store.metadata)
        #expect(metadata.version == .one && metadata.target == plan.versions[1].identity && metadata.generation == 2)
        #expect(metadata.shape == plan.versions[1].shape && metadata.cursor == "integer 30" && metadata.stage == 1)
        #expect(metadata.readableBy == [plan.versions[0].identity])
        #expect(committed.map(\.generation) == [2])
        #expect(metadata.state(for: plan.versions[0].identity) == .readable)
        #expect(metadata.state(for: plan.versions[1].identity) == .pending)
        #expect(try store.connection.scalar("SELECT count(*) FROM touched") == 30)

        // Nobody else may take it for what it is not.
        let old = try MigrationPlan(versions: [plan.versions[0]])
        #expect(#expect(throws: StoreError.self) { try PlanJudgement.judge(store.connection, for: old) }?.code == .storeTooNew)
        #expect(try store.failure(plan.migrationPlan(to: .one, allowsReverse: true)).code == .planRefused)
        for version in [SchemaVersion.one, SchemaVersion(0, 9, 0), .two] {
            let error = #expect(throws: StoreError.self) { try StoredReverse.plan(store.connection, to: version) }
            #expect(error?.code == .planRefused && error?.message.contains("on its way from 1.0.0 to 2.0.0") == true)
            #expect(error?.remedy.contains("start an owner built for 2.0.0") == true)
        }
        // A backup of it is one like any other.
        let backup = store.folder + "/pending.store"
        try StoreCopy(to: backup).make(from: store.connection, of: metadata, mode: 0o600, tick: { true }, progress: { _, _ in })
        try PreparedRestore(from: backup, for: store.connection, at: store.location, record: nil, owner: "test")
            .apply(to: store.connection)
        #expect(try store.metadata?.cursor == "integer 30")
        try store.connection.run("UPDATE storekeeper_metadata SET value = '1' WHERE key = 'epoch'")
        try store.connection.execute("PRAGMA user_version = 2")

        try store.migrate(plan.migrationPlan())
        try expectAllOnce(store, rows: 100)
        #expect(try store.metadata?.generation == 3)
        #expect(try store.history.map(\.outcome) == [.created, .interrupted, .restored, .applied])
        #expect(store.backups.count == 1)
        try store.migrate(plan.migrationPlan())
        try expectAllOnce(store, rows: 100)
    }

    @Test("A batch that fails keeps those before it, and a corrected script goes on")
    func failing() throws {
        let plan = try WrittenPlan(
            files(
                did:
                    "UPDATE item SET name = CASE WHEN id = 45 THEN abs(-9223372036854775808) ELSE lower(name) END WHERE id > :after AND id <= :until;"
            )
        ).read()
        let store = try store(plan, rows: hundred)
        let error = try store.failure(plan.migrationPlan())
        #expect(error.code == .migrationFailed && error.message.hasPrefix("2.0.0/did.sql, line 1: integer overflow"))
        #expect(error.message.hasSuffix("after 40 of 100 rows on the way to 2.0.0, which stay"), "\(error.message)")
        #expect(error.remedy.hasSuffix("start an owner built for 2.0.0, which goes on there"))
        #expect(try store.metadata?.cursor == "integer 40")
        #expect(try store.history.last?.outcome == .failed)
        try store.migrate(WrittenPlan(files()).read().migrationPlan())
        try expectAllOnce(store, rows: 100)
    }

    @Test(
        "A script that makes keys for the batches to come is refused: they would never end",
        arguments: [
            ("INSERT INTO item(id) SELECT id + 1000 FROM item WHERE id > :after AND id <= :until;", "inserts rows into item"),
            ("REPLACE INTO item SELECT id, 'x', 1 FROM item WHERE id > :after AND id <= :until;", "inserts rows into item"),
            ("UPDATE item SET id = id + 1000 WHERE id > :after AND id <= :until;", "changes item.id"),
            ("UPDATE item SET RowID = id + 1000 WHERE id > :after AND id <= :until;", "changes item.id"),
            ("INSERT INTO via SELECT id FROM item WHERE id > :after AND id <= :until;", "inserts rows into item"),
            ("UPDATE other SET a = a WHERE a > :after AND a <= :until;", "inserts rows into item"),
        ])
    func endless(did: String, reason: String) throws {
        let more = """
            CREATE VIEW via AS SELECT id FROM item;
            CREATE TRIGGER via_i INSTEAD OF INSERT ON via BEGIN INSERT INTO item(id) VALUES(new.id + 1000); END;
            CREATE TABLE other(a); CREATE TRIGGER other_u AFTER UPDATE ON other BEGIN INSERT INTO item(name) VALUES('more'); END;
            """
        var files = files(did: did)
        for version in ["1.0.0", "2.0.0"] { files["\(version)/schema.sql", default: ""] += more }
        let refusal = try WrittenPlan(files).refusal()
        #expect(refusal.hasPrefix("2.0.0/did.sql, line 1: it \(reason)") && refusal.contains("would never end"), "\(refusal)")
    }

    @Test("Rows of other tables, and other columns, are any script's to write")
    func notEndless() throws {
        let plan = try WrittenPlan(
            files(
                did: """
                    INSERT INTO touched SELECT id FROM item WHERE id > :after AND id <= :until AND 0;
                    UPDATE item SET name = lower(name), seen = 1 WHERE id > :after AND id <= :until;
                    DELETE FROM item WHERE id > :after AND id <= :until AND id > 200;
                    """)
        ).read()
        let store = try store(plan, rows: hundred)
        try store.migrate(plan.migrationPlan())
        try expectAllOnce(store, rows: 100)
    }

    @Test("A trigger that the plan does not know makes such keys: the batch fails, and is undone")
    func endlessByATriggerOfTheStore() throws {
        let plan = try WrittenPlan(files()).read()
        let store = try StoreBench()
        for statement in plan.versions[0].statements { try store.connection.run(statement) }
        try store.connection.execute(
            "CREATE TRIGGER extra AFTER UPDATE ON item BEGIN INSERT INTO item(name) VALUES('more'); END;" + hundred)
        _ = try store.connection.writing {
            try Adoption.find(store.connection, plan.migrationPlan(), as: .one, allowsExtra: true)
                .apply(store.connection, record: nil, owner: "test")
        }
        let error = try store.failure(plan.migrationPlan())
        #expect(error.code == .migrationFailed && error.message.contains("a batch inserts rows into item"), "\(error)")
        #expect(try store.metadata?.cursor == "")
        #expect(try store.connection.scalar("SELECT count(*) FROM item") == 100)
    }

    @Test(
        "Every key is reached once, whatever it is",
        arguments: [
            ("INTEGER PRIMARY KEY", "(-9223372036854775808, 'A'), (-1, 'B'), (0, 'C'), (9223372036854775807, 'D')", 4),
            ("TEXT NOT NULL UNIQUE", "('a', 'A'), (' ', 'B'), ('É', 'C'), ('a''b', 'D'), ('10', 'E'), ('9', 'F')", 6),
            ("TEXT COLLATE NOCASE PRIMARY KEY NOT NULL", "('a', 'A'), ('B', 'B'), ('c', 'C'), ('D', 'D')", 4),
            ("INT NOT NULL UNIQUE", "(1, 'A'), (1.5, 'B'), ('x', 'C'), (2, 'D')", 4), ("INTEGER PRIMARY KEY", "", 0),
        ])
    func keys(key: String, rows: String, count: Int64) throws {
        for size in [1, 3, 100] {
            let plan = try WrittenPlan(files(key: key, size: size)).read()
            let store = try store(plan, rows: rows.isEmpty ? "" : "INSERT INTO item VALUES" + rows)
            try store.migrate(plan.migrationPlan())
            try expectAllOnce(store, rows: count)
        }
    }

    @Test("An empty text key is refused before anything is changed")
    func emptyKey() throws {
        let plan = try WrittenPlan(files(key: "TEXT NOT NULL UNIQUE")).read()
        let store = try store(plan, rows: "INSERT INTO item VALUES('', 'A'), ('a', 'B')")
        let error = try store.failure(plan.migrationPlan())
        #expect(error.code == .planRefused && error.message.contains("table item, column id"))
        #expect(try store.metadata?.target == nil && store.backups.isEmpty)
    }

    @Test("Readers of the version before must be able to read on")
    func additive() throws {
        var files = files()
        files["2.0.0/schema.sql"] = "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL);" + common
        #expect(try WrittenPlan(files).refusal().contains("the change is not additive"))
        files["2.0.0/stage.json"] = #"{"batches": {"size": 10, "key": "item.id"}, "readableBy": ["1.0.0"]}"#
        let plan = try WrittenPlan(files).read()
        let store = try store(plan, rows: hundred)
        try store.migrate(plan.migrationPlan())
        #expect(try store.metadata?.readableBy == plan.versions.map(\.identity))
    }

    @Test("Stages before a batched one are committed with its change of the schema, stages after it with its end")
    func between() throws {
        var files = files()
        files["1.5.0/schema.sql"] = files["1.0.0/schema.sql", default: ""] + "CREATE TABLE extra(x);"
        files["2.0.0/schema.sql", default: ""] += "CREATE TABLE extra(x);"
        files["3.0.0/schema.sql"] = files["2.0.0/schema.sql", default: ""] + "CREATE TABLE more(x);"
        let plan = try WrittenPlan(files).read()
        let store = try store(plan, rows: hundred)
        var committed: [StoreMetadata] = []
        _ = try store.runner(plan.migrationPlan()) { if case .committed(let metadata) = $0 { committed.append(metadata) } }
            .run(epoch: 1, owner: "test")
        #expect(committed.map(\.version.description) == ["1.5.0", "3.0.0"])
        #expect(committed.map { $0.target?.version } == [.two, nil])
        #expect(committed.map(\.generation) == [2, 3])
        #expect(try store.history.map(\.to.description) == ["1.0.0", "1.5.0", "2.0.0", "3.0.0"])
    }

    @Test("A cursor is kept as text and read back", arguments: [Value.integer(-5), .real(1.5), "a b", "", .blob([0, 255])])
    func cursor(value: Value) {
        #expect(BatchCursor.value(of: BatchCursor.text(of: value)) == value)
    }
}
