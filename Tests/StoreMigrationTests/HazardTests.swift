import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

/// Hazards that need a store, scripts, or a database of somebody else.
@Suite("Hazards around the rebuild")
struct HazardTests {
    private let parent = "CREATE TABLE p(id INTEGER PRIMARY KEY, a TEXT)"
    private let stricter = "CREATE TABLE p(id INTEGER PRIMARY KEY, a TEXT NOT NULL)"
    private let child = "CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED)"
    private let rows = "INSERT INTO p VALUES (1, 'x'), (2, 'y'); INSERT INTO c VALUES (1, 1), (2, 2)"

    private func plan(_ kind: PlannedStage.Kind = .lightweight) throws -> MigrationPlan {
        try MigrationPlan(
            versions: [StoreBench.snapshot(.one, parent, child), StoreBench.snapshot(.two, stricter, child)],
            stages: [PlannedStage(from: .one, to: .two, kind: kind)])
    }

    private func store() throws -> StoreBench {
        let store = try StoreBench()
        try store.create(StoreBench.snapshot(.one, parent, child), rows: rows)
        return store
    }

    @Test("T01: inside an open transaction nothing is begun")
    func openTransaction() throws {
        let store = try store()
        let before = try store.contents
        try store.connection.execute("BEGIN; INSERT INTO c VALUES (3, 1)")
        #expect(throws: StoreError.self) { _ = try store.runner(plan()).run(epoch: 1, owner: "test") }
        try store.connection.execute("ROLLBACK")
        #expect(try store.contents == before)
        #expect(try store.connection.scalar("PRAGMA foreign_keys") == 1)
        #expect(try store.migrate(plan()).version == .two)
        #expect(try store.connection.rows("SELECT id, p FROM c") == [[1, 1], [2, 2]])
    }

    @Test("T02: a key that code leaves without its parent is not forgotten when the keys go off for the rebuild")
    func deferredViolation() throws {
        let store = try store()
        let before = try store.contents
        let error = try store.failure(plan(.custom(will: { try $0.connection.run("INSERT INTO c VALUES (9, 99)") }, did: nil)))
        #expect(error.code == .migrationFailed || error.code == .planRefused)
        #expect("\(error)".contains("deferred violations"))
        #expect(try store.contents == before)
        #expect(try store.connection.scalar("PRAGMA foreign_keys") == 1)
    }

    @Test("T16: a search whose row ids are a column that is called so finds its rows")
    func searchOverAColumnCalledOid() throws {
        let search = "CREATE VIRTUAL TABLE f USING fts5(a, content='t', content_rowid='oid')"
        let bench = try Bench(
            "CREATE TABLE t(rowid, oid INTEGER PRIMARY KEY, _rowid_, a); \(search); INSERT INTO t VALUES ('r', 7, 'u', 'seven'); "
                + "INSERT INTO f(f) VALUES ('rebuild')")
        try bench.migrate(to: "CREATE TABLE t(rowid, oid INTEGER PRIMARY KEY, _rowid_, a TEXT); \(search)")
        #expect(try bench.rows("SELECT rowid, a FROM f WHERE f MATCH 'seven'") == [[7, "seven"]])
        #expect(try bench.rows("SELECT * FROM t") == [["r", 7, "u", "seven"]])
    }

    @Test("T17: a key that is no row id stays none, with its rows and row ids")
    func kindsOfKeys() throws {
        func schema(_ check: String) -> String {
            """
            CREATE TABLE a(id INT PRIMARY KEY, v\(check)); CREATE TABLE b(id INTEGER PRIMARY KEY DESC, v\(check));
            CREATE TABLE c(id INTEGER, v\(check), PRIMARY KEY(id DESC))
            """
        }
        let bench = try Bench(
            """
            \(schema("")); INSERT INTO a(rowid, id, v) VALUES (3, NULL, 1), (7, NULL, 2), (9, 7, 3);
            INSERT INTO b(rowid, id, v) VALUES (4, 40, 'x'), (2, 50, 'y'); INSERT INTO c VALUES (5, 'z')
            """)
        try bench.migrate(to: schema(" CHECK(v <> '')"))
        #expect(try bench.rows("SELECT rowid, id, v FROM a ORDER BY rowid") == [[3, .null, 1], [7, .null, 2], [9, 7, 3]])
        #expect(try bench.rows("SELECT rowid, id, v FROM b ORDER BY rowid") == [[2, 50, "y"], [4, 40, "x"]])
        #expect(try bench.rows("SELECT rowid, id, v FROM c") == [[5, 5, "z"]])
        try bench.connection.run("INSERT INTO a(id, v) VALUES (NULL, 4)")
    }

    @Test(
        "T24: work tables that look left over stop nothing and are not touched",
        arguments: ["new_t", "storekeeper_new_t", "t_new", "tmp_t"])
    func leftovers(name: String) throws {
        let left = "CREATE TABLE \(name)(a)"
        let bench = try Bench("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2); \(left); INSERT INTO \(name) VALUES ('half')")
        let isOurs = name.hasPrefix("storekeeper_")
        try bench.migrate(to: isOurs ? "CREATE TABLE t(a INT)" : "CREATE TABLE t(a INT); \(left)")
        #expect(try bench.column("SELECT a FROM t") == [1, 2])
        #expect(try bench.column("SELECT a FROM \(name)") == ["half"])
    }

    @Test("T27: SELECT * of a view and an INSERT without columns mean what the new order says")
    func orderSeenThroughAView() throws {
        let bench = try Bench("CREATE TABLE t(a, b); CREATE VIEW v AS SELECT * FROM t; INSERT INTO t VALUES ('a', 'b')")
        try bench.migrate(to: "CREATE TABLE t(b, a, c); CREATE VIEW v AS SELECT * FROM t")
        #expect(try bench.rows("SELECT * FROM v") == [["b", "a", .null]])
        try bench.connection.run("INSERT INTO t VALUES ('B', 'A', 'C')")
        #expect(try bench.rows("SELECT a, b, c FROM t WHERE c = 'C'") == [["A", "B", "C"]])
    }

    @Test("T29: a function of an index that this process lacks is named")
    func missingFunction() throws {
        let bench = try Bench("CREATE TABLE t(a); CREATE TABLE u(x); INSERT INTO t VALUES (1)")
        try bench.connection.execute(
            """
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_schema(type, name, tbl_name, rootpage, sql) SELECT 'trigger', 'tg', 't', 0,
                'CREATE TRIGGER tg AFTER INSERT ON t BEGIN SELECT norm(new.a); END';
            PRAGMA writable_schema = RESET
            """)
        let schema = "CREATE TABLE t(a INT); CREATE TABLE u(x)"
        let trigger = "CREATE TRIGGER tg AFTER INSERT ON t BEGIN SELECT norm(new.a); END"
        // It was broken before and stays so: the rebuild goes on, and says nothing new.
        try bench.migrate(to: "\(schema); \(trigger)")
        #expect(try bench.column("SELECT a FROM t") == [1])
        // A version that brings it along is refused.
        let fresh = try Bench("CREATE TABLE t(a); CREATE TABLE u(x)")
        let refusals = try fresh.refusals(to: "\(schema); \(trigger)")
        #expect(refusals.map(\.object) == ["trigger tg"])
        #expect(refusals.first?.reason.contains("norm") == true)
    }

    @Test("T29 T30: a module that this process lacks is named, and nothing happens")
    func missingModule() throws {
        let bench = try Bench("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        try bench.connection.execute(
            """
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_schema(type, name, tbl_name, rootpage, sql) VALUES
                ('table', 'w', 'w', 0, 'CREATE VIRTUAL TABLE w USING warehouse(a)');
            PRAGMA writable_schema = RESET
            """)
        #expect { try bench.migrate(to: "CREATE TABLE t(a INT)") } throws: { "\($0)".contains("warehouse") }
        #expect(try bench.scalar("SELECT sql FROM sqlite_schema WHERE name = 't'") == "CREATE TABLE t(a)")
    }

    @Test("T30: a search follows the table that it searches to its new name, and its own tables are never touched")
    func renamedContent() throws {
        let bench = try Bench(
            """
            CREATE TABLE t(a); CREATE VIRTUAL TABLE f USING fts5(a, content='t'); CREATE VIRTUAL TABLE g USING fts5(b);
            INSERT INTO t(rowid, a) VALUES (5, 'five'); INSERT INTO f(f) VALUES ('rebuild'); INSERT INTO g VALUES ('kept')
            """)
        try bench.migrate(
            to: "CREATE TABLE u(a); CREATE VIRTUAL TABLE f USING fts5(a, content='u'); CREATE VIRTUAL TABLE g USING fts5(b)",
            renames: [.table(from: "t", to: "u")])
        #expect(try bench.rows("SELECT rowid, a FROM f WHERE f MATCH 'five'") == [[5, "five"]])
        #expect(try bench.column("SELECT b FROM g WHERE g MATCH 'kept'") == ["kept"])
        for table in ["f", "g"] { try bench.connection.run("INSERT INTO \(table)(\(table)) VALUES ('integrity-check')") }
        #expect(try RelationalSchema.read(bench.connection).tables.map(\.name) == ["u"])
    }

    @Test("T31: the triggers that keep a search in step work on after the rebuild")
    func searchInStep() throws {
        let rest = """
            CREATE VIRTUAL TABLE f USING fts5(a, content='t', content_rowid='id');
            CREATE TRIGGER t_ai AFTER INSERT ON t BEGIN INSERT INTO f(rowid, a) VALUES (new.id, new.a); END;
            CREATE TRIGGER t_ad AFTER DELETE ON t BEGIN INSERT INTO f(f, rowid, a) VALUES ('delete', old.id, old.a); END;
            CREATE TRIGGER t_au AFTER UPDATE ON t BEGIN
                INSERT INTO f(f, rowid, a) VALUES ('delete', old.id, old.a); INSERT INTO f(rowid, a) VALUES (new.id, new.a);
            END
            """
        let bench = try Bench("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT); \(rest); INSERT INTO t(a) VALUES ('one'), ('two')")
        let change = try bench.migrate(to: "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT CHECK(a <> '')); \(rest)")
        #expect(change.kinds.contains("rebuild"))
        try bench.connection.execute(
            "INSERT INTO t(a) VALUES ('three'); DELETE FROM t WHERE a = 'two'; UPDATE t SET a = 'four' WHERE a = 'one'")
        #expect(try bench.column("SELECT a FROM f WHERE f MATCH 'one OR two OR three OR four' ORDER BY rowid") == ["four", "three"])
        try bench.connection.run("INSERT INTO f(f, rank) VALUES ('integrity-check', 1)")
    }

    @Test("T43: generation and mark of the file are part of the commit")
    func generation() throws {
        let store = try store()
        struct Failure: Error {}
        _ = try store.failure(plan(.custom(will: nil, did: { _ in throw Failure() })))
        #expect(try store.connection.scalar("PRAGMA user_version") == 1)
        #expect(try store.connection.scalar("PRAGMA application_id") == .integer(StoreMetadata.applicationID))
        try store.migrate(plan())
        #expect(try store.connection.scalar("PRAGMA user_version") == 2)
        let copy = store.folder + "/copy.store"
        try store.connection.run("VACUUM INTO ?", .text(copy))
        let connection = try Connection(path: copy, access: .readOnly)
        defer { connection.close() }
        #expect(try StoreMetadata.read(connection)?.generation == 2)
    }

    @Test(
        "T44: no code of a stage reaches a second store",
        arguments: ["ATTACH 'other.store' AS other", "DETACH main", "VACUUM INTO 'other'"])
    func secondStore(statement: String) throws {
        let store = try store()
        let before = try store.contents
        let error = try store.failure(plan(.custom(will: { try $0.connection.execute(statement) }, did: nil)))
        #expect(error.code == .migrationFailed)
        #expect(try store.contents == before)
    }
}
