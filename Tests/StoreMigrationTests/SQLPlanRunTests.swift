import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

@Suite("Running a plan written in SQL")
struct SQLPlanRunTests {
    /// A store at the lowest version of a plan.
    private func store(_ plan: SQLPlan, rows: String = "") throws -> StoreBench {
        let store = try StoreBench()
        _ = try store.runner(plan.migrationPlan(to: plan.versions[0].version)).create(epoch: 1, owner: "test")
        try store.connection.execute(rows)
        return store
    }

    @Test("seed.sql fills a store that is made at its version, and only that")
    func seed() throws {
        let plan = try WrittenPlan.notes(["seed.sql": "INSERT INTO note(body) VALUES('welcome');", "did.sql": "DELETE FROM note;"]).read()
        let fresh = try StoreBench()
        _ = try fresh.runner(plan.migrationPlan()).create(epoch: 1, owner: "test")
        #expect(try fresh.connection.rows("SELECT body FROM note") == [["welcome"]])
        let old = try store(plan, rows: "INSERT INTO note(content) VALUES('mine')")
        try old.migrate(plan.migrationPlan())
        #expect(try old.connection.scalar("SELECT count(*) FROM note") == 0)
    }

    @Test("What scripts made for themselves in TEMP is gone after the stage")
    func temporary() throws {
        let plan = try WrittenPlan.notes([
            "will.sql": "CREATE TEMP TABLE kept AS SELECT id, content FROM note; CREATE TEMP VIEW v AS SELECT * FROM kept;",
            "did.sql": "UPDATE note SET body = (SELECT upper(content) FROM kept WHERE kept.id = note.id);",
        ]).read()
        let store = try store(plan, rows: "INSERT INTO note(content) VALUES('a'), ('b')")
        try store.migrate(plan.migrationPlan())
        #expect(try store.connection.rows("SELECT body FROM note ORDER BY id") == [["A"], ["B"]])
        #expect(try store.connection.scalar("SELECT count(*) FROM temp.sqlite_schema") == 0)
    }

    @Test("Marks of temporary tables are not taken for those of the store's, nor left behind")
    func temporaryMarks() throws {
        let plan = try WrittenPlan([
            "1.0.0/schema.sql": "CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT);",
            "2.0.0/schema.sql": "CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT, CHECK(body <> ''));",
            "2.0.0/will.sql":
                "CREATE TEMP TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT); INSERT INTO counted(body) SELECT body FROM note;",
            "2.0.0/did.sql": "UPDATE note SET body = body || (SELECT max(id) FROM counted);",
        ]).read()
        let store = try store(
            plan, rows: "INSERT INTO note VALUES(40, 'a'); INSERT INTO note VALUES(90, 'b'); DELETE FROM note WHERE id = 90")
        try store.migrate(plan.migrationPlan())
        try store.connection.run("INSERT INTO note(body) VALUES('c')")
        #expect(try store.connection.rows("SELECT id, body FROM note ORDER BY id") == [[40, "a1"], [91, "c"]])
        #expect(try store.connection.scalar("SELECT count(*) FROM temp.sqlite_schema WHERE name NOT LIKE 'sqlite%'") == 0)
    }

    @Test("T45: The same schema and fingerprint by three ways: made new, step by step, all at once")
    func threeWays() throws {
        let plan = try WrittenPlan([
            "1.0.0/schema.sql": "CREATE TABLE a(id INTEGER PRIMARY KEY, n TEXT); CREATE VIEW v AS SELECT n FROM a;",
            "2.0.0/schema.sql":
                "CREATE TABLE a(id INTEGER PRIMARY KEY, n TEXT NOT NULL DEFAULT '', m INT); CREATE VIEW v AS SELECT n, m FROM a;",
            "3.0.0/schema.sql":
                "CREATE TABLE b(id INTEGER PRIMARY KEY, m INT, n TEXT NOT NULL DEFAULT '' CHECK(length(n) < 9)); CREATE INDEX i ON b(m DESC);",
            "3.0.0/stage.json": #"{"renames": {"a": "b"}}"#,
        ]).read()
        let fresh = try StoreBench()
        _ = try fresh.runner(plan.migrationPlan()).create(epoch: 1, owner: "test")
        let steps = try store(plan, rows: "INSERT INTO a(n) VALUES('x')")
        for version in plan.versions { try steps.migrate(plan.migrationPlan(to: version.version)) }
        let jump = try store(plan, rows: "INSERT INTO a(n) VALUES('x')")
        try jump.migrate(plan.migrationPlan())
        for store in [fresh, steps, jump] {
            #expect(try store.metadata?.fingerprint == plan.versions[2].fingerprint)
            #expect(try RelationalSchema.shape(of: store.connection, .sql) == plan.versions[2].shape)
        }
    }

    @Suite("Back")
    struct Back {
        private let files = [
            "1.0.0/schema.sql": "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);",
            "2.0.0/schema.sql": "CREATE TABLE person(id INTEGER PRIMARY KEY, fullName TEXT, mail TEXT);",
            "2.0.0/stage.json": #"{"renames": {"person.name": "person.fullName"}, "reverse": "reverse.sql"}"#,
            "2.0.0/reverse.sql": "UPDATE person SET fullName = fullName || ' <' || mail || '>' WHERE mail IS NOT NULL;",
        ]

        private func store(_ plan: SQLPlan) throws -> StoreBench {
            let store = try StoreBench()
            _ = try store.runner(plan.migrationPlan(to: .one)).create(epoch: 1, owner: "test")
            try store.connection.execute("INSERT INTO person(name) VALUES('Ada'), ('Bob')")
            try store.migrate(plan.migrationPlan())
            try store.connection.execute("UPDATE person SET mail = 'a@x' WHERE id = 1")
            return store
        }

        private func expectOne(_ store: StoreBench, _ plan: SQLPlan) throws {
            #expect(try store.connection.rows("SELECT id, name FROM person ORDER BY id") == [[1, "Ada <a@x>"], [2, "Bob"]])
            let metadata = try #require(try store.metadata)
            #expect(metadata.identity == plan.versions[0].identity && metadata.shape == plan.versions[0].shape)
            #expect(metadata.readableBy == [plan.versions[0].identity])
            #expect(metadata.generation == 3)
            let last = try #require(try store.history.last)
            #expect(last.outcome == .rolledBack && last.from == .two && last.to == .one && last.backup != nil)
        }

        @Test("reverse.sql runs on the newer schema, then the schema is changed back")
        func back() throws {
            let plan = try WrittenPlan(files).read()
            let store = try store(plan)
            try store.migrate(plan.migrationPlan(to: .one, allowsReverse: true))
            try expectOne(store, plan)
            // And forth again.
            try store.migrate(plan.migrationPlan())
            #expect(try store.metadata?.version == .two)
        }

        @Test("The store itself keeps what it needs to go back without the plan")
        func withoutPlan() throws {
            let plan = try WrittenPlan(files).read()
            let store = try store(plan)
            let newer = try #require(try store.metadata?.identity)
            let (older, step) = try #require(try ReverseStep.kept(from: newer, store.connection).first)
            let snapshots = try [older, newer].map { identity in
                try #require(try StoredSchema.read(store.connection, identity).flatMap { try SchemaSnapshot($0) })
            }
            try store.migrate(
                MigrationPlan(
                    versions: snapshots, stages: [PlannedStage(from: .one, to: .two, reverse: step)], target: .one, allowsReverse: true))
            try expectOne(store, plan)
        }

        @Test("Steps back are kept through other steps, and in a store that is made at the target")
        func kept() throws {
            var files = files
            files["3.0.0/schema.sql"] = files["2.0.0/schema.sql", default: ""] + "CREATE TABLE pet(id INTEGER PRIMARY KEY);"
            files["3.0.0/reverse.sql"] = ""
            let plan = try WrittenPlan(files).read()
            let stepwise = try store(plan)
            try stepwise.migrate(plan.migrationPlan(to: .two, allowsReverse: true))
            let fresh = try StoreBench()
            _ = try fresh.runner(plan.migrationPlan()).create(epoch: 1, owner: "test")
            for (store, versions) in [(stepwise, [1]), (fresh, [1, 2])] {
                for index in versions {
                    let kept = try ReverseStep.kept(from: plan.versions[index].identity, store.connection)
                    #expect(kept.map(\.older) == [plan.versions[index - 1].identity])
                    #expect(try StoredSchema.read(store.connection, plan.versions[index - 1].identity) != nil)
                }
            }
            try fresh.migrate(plan.migrationPlan(to: .one, allowsReverse: true))
            #expect(try fresh.metadata?.identity == plan.versions[0].identity)
        }

        @Test("Not without being asked, and not without the step")
        func refused() throws {
            let plan = try WrittenPlan(files).read()
            let store = try store(plan)
            let before = try store.contents
            #expect(try store.failure(plan.migrationPlan(to: .one)).code == .storeTooNew)
            var bare = files
            bare["2.0.0/reverse.sql"] = nil
            bare["2.0.0/stage.json"] = #"{"renames": {"person.name": "person.fullName"}}"#
            let error = try store.failure(WrittenPlan(bare).read().migrationPlan(to: .one, allowsReverse: true))
            #expect(error.code == .planRefused && error.message.contains("no steps lead back from 2.0.0"))
            #expect(try store.contents == before)
        }
    }

    @Test("Versions that were added below the store's own are told, those with code refused")
    func skipped() throws {
        let table = "CREATE TABLE t(x);"
        var files = [
            "1.0.0/schema.sql": table, "2.0.0/schema.sql": table + "CREATE TABLE u(x);", "4.0.0/schema.sql": table + "CREATE TABLE w(x);",
        ]
        files["4.0.0/stage.json"] = #"{"allowLoss": ["u"]}"#
        let plan = try WrittenPlan(files).read()
        let store = try store(plan)
        try store.migrate(plan.migrationPlan())
        let metadata = try #require(try store.metadata)
        #expect(try SkippedVersions.find(plan.migrationPlan(), metadata, store.connection) == nil)
        files["3.0.0/schema.sql"] = table + "CREATE TABLE u(x, y);"
        files["0.5.0/schema.sql"] = "CREATE TABLE s(x);"
        files["1.0.0/stage.json"] = #"{"allowLoss": ["s"]}"#
        var skipped = try #require(try SkippedVersions.find(WrittenPlan(files).read().migrationPlan(), metadata, store.connection))
        #expect(skipped.versions == [.three] && skipped.refusal(of: metadata, at: "s") == nil)
        files["3.0.0/did.sql"] = "INSERT INTO u VALUES(1, 2);"
        skipped = try #require(try SkippedVersions.find(WrittenPlan(files).read().migrationPlan(), metadata, store.connection))
        #expect(skipped.refusal(of: metadata, at: "s")?.message.contains("3.0.0") == true)
    }
}
