import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

/// What a stage does to a search is known before its commit, and only what it did itself fails.
@Suite("A search is in step at the end of a stage")
struct SearchStepTests {
    /// How a module takes the row id of what it finds, and how its triggers forget a row.
    struct Module: CustomTestStringConvertible, Sendable {
        let name: String
        let number: String
        let forget: @Sendable (String) -> String
        var testDescription: String { name }

        func schema(_ table: String = "id INTEGER PRIMARY KEY, a TEXT", triggers: Bool = true, content: String = "t") -> String {
            let search = "CREATE VIRTUAL TABLE f USING \(name)(a, content=\"\(content)\");"
            guard triggers else { return "CREATE TABLE t(\(table)); \(search)" }
            return """
                CREATE TABLE t(\(table)); \(search)
                CREATE TRIGGER t_ai AFTER INSERT ON t BEGIN INSERT INTO f(\(number), a) VALUES (new.id, new.a); END;
                CREATE TRIGGER t_bd BEFORE DELETE ON t BEGIN \(forget("old")); END;
                CREATE TRIGGER t_bu BEFORE UPDATE ON t BEGIN \(forget("old")); END;
                CREATE TRIGGER t_au AFTER UPDATE ON t BEGIN INSERT INTO f(\(number), a) VALUES (new.id, new.a); END;
                """
        }
    }

    private static let modules = [
        Module(name: "fts3", number: "docid") { "DELETE FROM f WHERE docid = \($0).id" },
        Module(name: "fts4", number: "docid") { "DELETE FROM f WHERE docid = \($0).id" },
        Module(name: "fts5", number: "rowid") { "INSERT INTO f(f, rowid, a) VALUES ('delete', \($0).id, \($0).a)" },
    ]
    /// FTS3 holds its text itself, always.
    private static let external = Array(modules.dropFirst())

    private func store(_ plan: WrittenPlan, _ rows: String = "INSERT INTO t(a) VALUES ('one'), ('two')") throws -> (StoreBench, SQLPlan) {
        let store = try StoreBench()
        let plan = try plan.read()
        _ = try store.runner(plan.migrationPlan(to: .one)).create(epoch: 1, owner: "test")
        try store.connection.execute(rows)
        return (store, plan)
    }

    @Test("code that leaves a search behind is undone, with the search and the cure", arguments: external)
    func leftBehind(_ module: Module) throws {
        let (store, plan) = try store(
            WrittenPlan([
                "1.0.0/schema.sql": module.schema(triggers: false),
                "2.0.0/schema.sql": module.schema("id INTEGER PRIMARY KEY, a TEXT, b", triggers: false),
                "2.0.0/did.sql": "UPDATE t SET a = upper(a) || 'x'",
            ]), "INSERT INTO t(a) VALUES ('one'), ('two'); INSERT INTO f(f) VALUES ('rebuild')")
        let before = try store.contents
        let failure = try store.failure(plan.migrationPlan())
        #expect(failure.code == .planRefused)
        #expect(failure.description.contains("virtual table f: after the stage its index does not say what its rows say"))
        #expect(failure.description.contains("VALUES ('rebuild')"))
        #expect(try store.contents == before)
    }

    @Test("the same through views, and through a table that a trigger writes")
    func leftBehindThroughViews() throws {
        let schema = """
            CREATE TABLE log(x); CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT);
            CREATE TRIGGER log_ai AFTER INSERT ON log BEGIN UPDATE t SET a = a || new.x; END;
            CREATE VIEW w AS SELECT id AS rowid, a FROM t; CREATE VIEW v AS SELECT rowid, a FROM w;
            CREATE VIRTUAL TABLE f USING fts5(a, content='v');
            """
        let (store, plan) = try store(
            WrittenPlan([
                "1.0.0/schema.sql": schema, "2.0.0/schema.sql": schema, "2.0.0/will.sql": "INSERT INTO log VALUES ('x')",
                "2.0.0/stage.json": #"{"hashModifier": "x"}"#,
            ]), "INSERT INTO t(a) VALUES ('one'); INSERT INTO f(f) VALUES ('rebuild')")
        #expect(try store.failure(plan.migrationPlan()).description.contains("virtual table f"))
        #expect(try store.connection.rows("SELECT a FROM t") == [["one"]])
    }

    @Test("triggers that keep it, and code that fills it again, pass", arguments: modules)
    func inStep(_ module: Module) throws {
        let isExternal = module.name != "fts3"
        let old = module.schema(triggers: true).replacing(", content=\"t\"", with: isExternal ? ", content=\"t\"" : "")
        let (store, plan) = try store(
            WrittenPlan([
                "1.0.0/schema.sql": old, "2.0.0/schema.sql": old.replacing("a TEXT)", with: "a TEXT CHECK(a <> ''), b DEFAULT 1)"),
                "2.0.0/will.sql": "UPDATE t SET a = a || ' more'; DELETE FROM t WHERE id = 2",
                "3.0.0/schema.sql": module.schema("id INTEGER PRIMARY KEY, a TEXT", triggers: false)
                    .replacing(", content=\"t\"", with: isExternal ? ", content=\"t\"" : ""),
                "3.0.0/did.sql": isExternal ? "UPDATE t SET a = 'new'; INSERT INTO f(f) VALUES ('rebuild')" : "UPDATE t SET a = 'new'",
                "3.0.0/stage.json": #"{"allowLoss": ["t.b"]}"#,
            ]))
        var warnings: [String] = []
        _ = try store.runner(plan.migrationPlan()) { if case .warning(let text) = $0 { warnings.append(text) } }.run(
            epoch: 1, owner: "test")
        #expect(warnings == [])
        #expect(try store.metadata?.version == .three)
        #expect(try store.connection.rows("SELECT count(*) FROM f WHERE f MATCH '\(isExternal ? "new" : "more")'") == [[1]])
    }

    @Test("damage of before is told of before the work, and stops nothing", arguments: external)
    func damagedBefore(_ module: Module) throws {
        let (store, plan) = try store(
            WrittenPlan([
                "1.0.0/schema.sql": module.schema(triggers: false),
                "2.0.0/schema.sql": module.schema("id INTEGER PRIMARY KEY, a TEXT CHECK(a <> '')", triggers: false),
                "3.0.0/schema.sql": module.schema("id INTEGER PRIMARY KEY, a TEXT CHECK(a <> ''), b", triggers: false),
                "3.0.0/did.sql": "INSERT INTO f(f) VALUES ('rebuild')",
            ]))
        var events: [String] = []
        _ = try store.runner(plan.migrationPlan()) { event in
            switch event {
            case .warning(let text): events.append(text)
            case .progress: events.append("progress")
            default: break
            }
        }.run(epoch: 1, owner: "test")
        let first = try #require(events.first)
        #expect(first.contains("virtual table f was damaged before the stage") && first.contains("searches miss rows"))
        #expect(try store.metadata?.version == .three)
        #expect(try SearchIntegrity.damage(of: #require(plan.versions[2].schema.virtualTables.first), store.connection) == nil)
    }

    @Test("a search whose content loses its column is refused before anything is done", arguments: ["fts4", "fts5"])
    func contentGone(module: String) throws {
        let search = "CREATE VIRTUAL TABLE f USING \(module)(a, content='t');"
        let store = try StoreBench()
        let plan = try MigrationPlan(
            versions: [
                StoreBench.snapshot(.one, "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, c)", search),
                StoreBench.snapshot(.two, "CREATE TABLE t(id INTEGER PRIMARY KEY, c)", search),
            ], stages: [PlannedStage(from: .one, to: .two, losses: .allowed)])
        try store.create(plan.versions[0], rows: "INSERT INTO t(a) VALUES ('one'); INSERT INTO f(f) VALUES ('rebuild')")
        let before = try store.contents
        #expect(throws: StoreError.self) { try store.runner(plan).preflight() }
        let failure = try store.failure(plan)
        #expect(failure.code == .planRefused)
        #expect(failure.description.contains("virtual table f: it cannot search any more"), "\(failure)")
        #expect(try store.contents == before)
        #expect(store.backups == [])
    }

    @Test("batches that leave a search behind have been committed: a warning says so")
    func batches() throws {
        let (store, plan) = try store(
            WrittenPlan([
                "1.0.0/schema.sql": Self.modules[2].schema(triggers: false),
                "2.0.0/schema.sql": Self.modules[2].schema("id INTEGER PRIMARY KEY, a TEXT, b", triggers: false),
                "2.0.0/did.sql": "UPDATE t SET a = upper(a) || 'x' WHERE id > :after AND id <= :until",
                "2.0.0/stage.json": #"{"batches": {"size": 1, "key": "t.id"}}"#,
            ]), "INSERT INTO t(a) VALUES ('one'), ('two'); INSERT INTO f(f) VALUES ('rebuild')")
        var warnings: [String] = []
        _ = try store.runner(plan.migrationPlan()) { if case .warning(let text) = $0 { warnings.append(text) } }.run(
            epoch: 1, owner: "test")
        #expect(warnings.count == 1 && warnings[0].contains("virtual table f: after the stage its index does not say"))
        #expect(try store.metadata?.version == .two)
    }

    @Test("a stage that touches no text of a search asks nothing")
    func untouched() throws {
        let schema = Self.modules[2].schema(triggers: false)
        let (store, plan) = try store(
            WrittenPlan([
                "1.0.0/schema.sql": schema + "CREATE TABLE other(x);",
                "2.0.0/schema.sql": schema.replacing("a TEXT)", with: "a TEXT, b)") + "CREATE TABLE other(x CHECK(x > 0));",
                "2.0.0/did.sql": "UPDATE other SET x = 2",
            ]))
        // The search is damaged, and nobody looks.
        var warnings: [String] = []
        _ = try store.runner(plan.migrationPlan()) { if case .warning(let text) = $0 { warnings.append(text) } }.run(
            epoch: 1, owner: "test")
        #expect(warnings == [])
    }

    @Test("a rehearsal tells what is damaged, and a plan what it has not asked")
    func rehearsal() throws {
        let (store, plan) = try store(
            WrittenPlan([
                "1.0.0/schema.sql": Self.modules[2].schema(triggers: false),
                "2.0.0/schema.sql": Self.modules[2].schema("id INTEGER PRIMARY KEY, a TEXT CHECK(a <> '')", triggers: false),
            ]))
        try System.makeFolder(store.location.keeper, mode: 0o700)
        let migration = try plan.migrationPlan()
        let report = try store.connection.reading { try PlanReport(store.connection, at: store.location, migration) }
        #expect(report.stages[0].unchecked == ["whether the search f finds what its rows say"])
        let rehearsal = try store.connection.reading {
            try Rehearsal.run(
                store.connection, #require(try store.metadata), migration, allowsLoss: false, in: store.location.keeper,
                cancellation: Cancellation())
        }
        #expect(rehearsal.failure == nil)
        #expect(rehearsal.warnings.count == 1 && rehearsal.warnings[0].contains("virtual table f was damaged before"))
    }
}
