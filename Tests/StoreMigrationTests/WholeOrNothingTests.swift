import StoreShared
import StoreSQLite
import Synchronization
import Testing

@testable import StoreMigration

/// A migration is seen as a whole or not at all, whatever its scripts meet.
@Suite("Whole or nothing")
struct WholeOrNothingTests {
    private static let audit =
        "CREATE TABLE audit(what TEXT UNIQUE); CREATE TRIGGER audit_bi BEFORE INSERT ON audit WHEN new.what = 'raise' BEGIN SELECT RAISE(ROLLBACK, 'on purpose'); END;"
    private static let one = "CREATE TABLE t(id INTEGER PRIMARY KEY, a BLOB);" + audit
    private static let two = "CREATE TABLE t(id INTEGER PRIMARY KEY, a BLOB, b TEXT);" + audit

    /// A store at 1.0.0 with 60 rows of a page each.
    private func store(_ plan: SQLPlan) throws -> StoreBench {
        let store = try StoreBench()
        _ = try store.runner(plan.migrationPlan(to: .one)).create(epoch: 1, owner: "test")
        try store.connection.execute(
            """
            INSERT INTO t(a) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) SELECT zeroblob(4000) FROM n;
            INSERT INTO audit VALUES ('first')
            """)
        return store
    }

    @Test(
        "T41: what ends the transaction by itself ends the script, and nothing after it runs", arguments: ["will.sql", "did.sql"],
        [
            "INSERT INTO t(a) VALUES (zeroblob(4000000))",
            "INSERT INTO t(a) SELECT zeroblob(4000) FROM t AS x, (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) AS y",
            "INSERT OR ROLLBACK INTO audit VALUES ('first')", "INSERT INTO audit VALUES ('raise')",
            "UPDATE OR ROLLBACK t SET id = 1 WHERE id = 2",
        ])
    func endedTransaction(file: String, statement: String) throws {
        // Tried on an empty store the script would succeed or fail otherwise: this plan is for one store only.
        let folder = try WrittenPlan([
            "1.0.0/schema.sql": Self.one, "2.0.0/schema.sql": Self.two,
            "2.0.0/\(file)": "\(statement);\nINSERT INTO audit VALUES ('late');\n",
        ])
        let plan = try SQLPlan(folder: folder.path)
        let store = try store(plan)
        let before = try store.contents
        let pages = try store.connection.scalar("PRAGMA page_count")?.integer ?? 0
        try store.connection.execute("PRAGMA max_page_count = \(pages + 20)")
        let error = try store.failure(plan.migrationPlan())
        #expect(error.code == .migrationFailed)
        #expect("\(error)".contains("2.0.0/\(file), line 1"))
        #expect(try store.contents == before)
        #expect(try store.history.map(\.outcome) == [.created, .failed])
        try store.connection.execute("PRAGMA max_page_count = 1000000")
        let corrected = try WrittenPlan(["1.0.0/schema.sql": Self.one, "2.0.0/schema.sql": Self.two]).read()
        #expect(try store.migrate(corrected.migrationPlan()).version == .two)
        #expect(try store.connection.rows("SELECT what FROM audit") == [["first"]])
    }

    @Test("nobody sees the middle of a plan, or of a stage", arguments: [MigrationAtomicity.plan, .stage])
    func middle(atomicity: MigrationAtomicity) throws {
        let item = "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT"
        let memo = "CREATE TABLE memo(item INTEGER, body TEXT)"
        let versions = [
            try StoreBench.snapshot(.one, item + ", memo TEXT)"), try StoreBench.snapshot(.two, item + ", memo TEXT)", memo),
            try StoreBench.snapshot(.three, item + ")", memo),
        ]
        let store = try StoreBench()
        try store.create(versions[0], rows: "INSERT INTO item VALUES (1, 'a', 'x'), (2, 'b', 'y')")
        let path = store.location.store
        // What another connection sees while the code of a stage runs.
        let seen = Mutex<[[Value]]>([])
        let look: @Sendable () throws -> Void = {
            let other = try Connection(path: path, access: .readOnly)
            defer { other.close() }
            let row = try other.reading {
                [
                    try other.scalar("SELECT value FROM storekeeper_metadata WHERE key = 'version'") ?? .null,
                    try other.scalar("PRAGMA user_version") ?? .null,
                    try other.scalar("SELECT count(*) FROM sqlite_schema WHERE name = 'memo'") ?? .null,
                    try other.scalar("SELECT count(*) FROM pragma_table_xinfo('item')") ?? .null,
                ]
            }
            seen.withLock { $0.append(row) }
        }
        let plan = try MigrationPlan(
            versions: versions,
            stages: [
                PlannedStage(from: .one, to: .two, kind: .custom(will: nil, did: { _ in try look() })),
                PlannedStage(
                    from: .two, to: .three,
                    kind: .custom(
                        will: {
                            try $0.connection.run("INSERT INTO memo SELECT id, memo FROM item")
                            try look()
                        }, did: { _ in try look() }), losses: .named(["item.memo"])),
            ])
        var options = MigrationOptions()
        options.atomicity = atomicity
        try store.migrate(plan, options)
        let between: [Value] = atomicity == .plan ? ["1.0.0", 1, 0, 3] : ["2.0.0", 2, 1, 3]
        #expect(seen.withLock { Array($0.prefix(3)) } == [["1.0.0", 1, 0, 3], between, between])
        #expect(try store.connection.rows("SELECT item, body FROM memo") == [[1, "x"], [2, "y"]])
    }

    @Test("T21: a generated column that computes otherwise is computed anew; what tables hold is not touched")
    func changedExpression() throws {
        let bench = try Bench(
            "CREATE TABLE t(a INT, b INT GENERATED ALWAYS AS (a * 2) STORED, d); INSERT INTO t(a, d) VALUES (3, 'q'), (4, 'r')")
        let target = "CREATE TABLE t(a INT, b INT GENERATED ALWAYS AS (a * 3) STORED, d, e INT AS (a + 1) STORED, f INT AS (a + 2) VIRTUAL)"
        try bench.migrate(to: target)
        #expect(try bench.rows("SELECT a, b, d, e, f FROM t") == [[3, 9, "q", 4, 5], [4, 12, "r", 5, 6]])
    }
}
