import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

@Suite("Looking before a migration")
struct PlanReportTests {
    private static let one = "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT, fax TEXT)"
    private static let two = "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT NOT NULL)"
    private static let three = "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT NOT NULL, words INTEGER)"

    private func plan(losses: LossPolicy) throws -> MigrationPlan {
        try MigrationPlan(
            versions: [
                StoreBench.snapshot(.one, Self.one), StoreBench.snapshot(.two, Self.two), StoreBench.snapshot(.three, Self.three),
            ],
            stages: [PlannedStage(from: .one, to: .two, losses: losses), PlannedStage(from: .two, to: .three)])
    }

    private func store(_ rows: String) throws -> StoreBench {
        let store = try StoreBench()
        try store.create(StoreBench.snapshot(.one, Self.one), rows: "INSERT INTO note VALUES \(rows)")
        return store
    }

    private func report(_ store: StoreBench, _ plan: MigrationPlan) throws -> PlanReport {
        let reader = try Connection(path: store.location.store, access: .readOnly)
        defer { reader.close() }
        return try reader.reading { try PlanReport(reader, at: store.location, plan) }
    }

    @Test("rebuilds with their reason, losses, rows, bytes and readers of each stage")
    func report() throws {
        let store = try store("(1, 'a', 'f'), (2, 'b', NULL)")
        let before = try store.contents
        let report = try report(store, plan(losses: .named(["note.fax"])))
        #expect(report.from == .one && report.to == .three)
        #expect(report.stages.map(\.kind) == ["lightweight", "lightweight"])
        #expect(report.stages[0].rebuilds.map(\.table) == ["note"])
        #expect(report.stages[0].losses == ["table note, column fax"])
        #expect(report.stages[0].rows == 2)
        #expect(report.stages[0].bytes >= 4096 && report.stages[0].walBytes == 2 * report.stages[0].bytes)
        #expect(report.stages.map(\.readableBy) == [[.two], [.two, .three]])
        #expect(report.stages[1].changes == [#"ALTER TABLE "note" ADD COLUMN words INTEGER"#])
        #expect(report.refusals.isEmpty)
        #expect(try store.contents == before)
    }

    @Test("every refusal with its rows")
    func refusals() throws {
        let lossy = try report(store("(1, 'a', 'f')"), plan(losses: .none))
        #expect(lossy.refusals.contains { $0.object.contains("note") && $0.description.contains("fax") })
        let empty = try report(store("(1, NULL, 'f'), (7, NULL, 'f')"), plan(losses: .allowed))
        #expect(empty.refusals.first?.examples == ["id 1", "id 7"])
        #expect(empty.refusals.first?.rows == 2)
    }

    @Test("a rehearsal migrates a copy and tells what came of it")
    func rehearsal() throws {
        let store = try store("(1, 'a', 'f'), (2, 'b', 'f')")
        let before = try store.contents
        try System.makeFolder(store.location.keeper, mode: 0o700)
        func rehearse(_ plan: MigrationPlan) throws -> Rehearsal {
            try store.connection.reading {
                try Rehearsal.run(
                    store.connection, try #require(try StoreMetadata.read(store.connection)), plan, allowsLoss: false,
                    in: store.location.keeper, cancellation: Cancellation())
            }
        }
        let will: PlannedStage.Script = { try $0.connection.run("DELETE FROM note WHERE id = 2") }
        let versions = try [StoreBench.snapshot(.one, Self.one), StoreBench.snapshot(.two, Self.two)]
        let good = try rehearse(
            MigrationPlan(
                versions: versions, stages: [PlannedStage(from: .one, to: .two, kind: .custom(will: will, did: nil), losses: .allowed)]))
        #expect(good.failure == nil)
        #expect(good.to == .two)
        #expect(good.tables.map(\.name) == ["note"])
        #expect(good.tables[0].before == 2 && good.tables[0].after == 1)
        #expect(good.walBytes > 0)
        let bad = try rehearse(plan(losses: .none))
        #expect(bad.failure?.code == .planRefused)
        #expect(try store.contents == before)
        #expect(try System.names(in: store.location.keeper) == [])
    }

    @Test("a healthy store has no finding; broken keys, views and leftovers are named")
    func examination() throws {
        let store = try StoreBench()
        let statements = [
            "CREATE TABLE parent(id INTEGER PRIMARY KEY)", "CREATE TABLE child(id INTEGER PRIMARY KEY, parent REFERENCES parent(id))",
            "CREATE TABLE log(a)", "CREATE VIEW v AS SELECT a FROM log",
            "CREATE TRIGGER v_ii INSTEAD OF INSERT ON v BEGIN INSERT INTO log VALUES(new.a); END",
        ]
        let metadata = try store.create(SchemaSnapshot(version: .one, frontEnd: .sql, statements: statements))
        #expect(try StoreExamination(store.connection, metadata).findings == [])
        try store.connection.setForeignKeys(false)
        try store.connection.execute("INSERT INTO child VALUES(5, 99); CREATE TABLE storekeeper_new_child(a); DROP TABLE log")
        let objects = try StoreExamination(store.connection, metadata).findings.map { "\($0.object): \($0.problem)" }
        try store.connection.execute(
            "CREATE TABLE doc(a); CREATE VIRTUAL TABLE f USING fts5(a, content=doc); INSERT INTO doc VALUES ('lost')")
        let searches = try StoreExamination(store.connection, metadata).findings.filter { $0.object == "virtual table f" }
        #expect(searches.map { $0.problem.contains("searches miss rows") } == [true])
        for name in ["schema: ", "foreign key child to parent: 1 rows", "row 5", "view v", "table storekeeper_new_child"] {
            #expect(objects.contains { $0.contains(name) }, "\(name) in \(objects)")
        }
    }

    /// More rows than are named first.
    @Test("broken rules of many rows are told once for each column")
    func manyRows() throws {
        let store = try StoreBench()
        try store.create(SchemaSnapshot(version: .one, frontEnd: .sql, statements: ["CREATE TABLE t(a CHECK (a > 0), b NOT NULL)"]))
        try store.connection.execute(
            """
            PRAGMA ignore_check_constraints = ON;
            INSERT INTO t WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 100) SELECT -i, i FROM k;
            PRAGMA ignore_check_constraints = OFF
            """)
        let check = try IntegrityCheck(store.connection, isQuick: false)
        #expect(check.damage.isEmpty && check.brokenRules == ["CHECK constraint failed in t"])
    }
}
