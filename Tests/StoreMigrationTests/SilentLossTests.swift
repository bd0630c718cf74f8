import StoreSQLite
import Testing

@testable import StoreMigration

/// Changes that SQLite carries out without a word although rows come to mean something else.
@Suite("Nothing is lost without a word")
struct SilentLossTests {
    private static let search = "CREATE VIRTUAL TABLE f USING fts5(a, content=t)"

    @Test("a search finds its own rows when their row ids change")
    func searchOverRenumberedRows() throws {
        let bench = try Bench(
            "CREATE TABLE t(id INT PRIMARY KEY, a); \(Self.search); INSERT INTO t VALUES (2, 'hello'), (1, 'world'); "
                + "INSERT INTO f(f) VALUES ('rebuild')")
        try bench.migrate(to: "CREATE TABLE t(id INTEGER PRIMARY KEY, a); \(Self.search)")
        #expect(try bench.column("SELECT a FROM f WHERE f MATCH 'world'") == ["world"])
        try bench.connection.run("INSERT INTO f(f, rank) VALUES ('integrity-check', 1)")
    }

    @Test("so it does through views, and where triggers keep it")
    func searchOverAViewOfRenumberedRows() throws {
        func schema(_ key: String) -> String {
            """
            CREATE TABLE t(id \(key) PRIMARY KEY, a);
            CREATE VIEW inner_view AS SELECT rowid AS number, a FROM t;
            CREATE VIEW v AS SELECT number, a FROM inner_view;
            CREATE VIRTUAL TABLE f USING fts5(a, content="v", content_rowid='number');
            CREATE TRIGGER t_ai AFTER INSERT ON t BEGIN INSERT INTO f(rowid, a) VALUES (new.rowid, new.a); END;
            """
        }
        let bench = try Bench(schema("INT") + "INSERT INTO t VALUES (2, 'hello'), (1, 'world')")
        try bench.migrate(to: schema("INTEGER"))
        #expect(try bench.column("SELECT a FROM f WHERE f MATCH 'world'") == ["world"])
        #expect(try bench.column("SELECT rowid FROM f WHERE f MATCH 'hello'") == [2])
        try bench.connection.run("INSERT INTO t VALUES (7, 'moon')")
        #expect(try bench.column("SELECT rowid FROM f WHERE f MATCH 'moon'") == [7])
        try bench.connection.run("INSERT INTO f(f, rank) VALUES ('integrity-check', 1)")
    }

    @Test(
        "what holds its own copy under row ids that change is refused, unless the plan fills it again",
        arguments: [
            ("fts5(a)", "INSERT INTO f(rowid, a) VALUES (new.rowid, new.a)"),
            ("fts4(a)", "INSERT INTO f(docid, a) VALUES (new.rowid, new.a)"),
            ("rtree(number, least, most)", "INSERT INTO f VALUES (new.rowid, 1, 2)"),
        ])
    func copyUnderRowIDs(module: String, statement: String) throws {
        func schema(_ key: String) -> String {
            """
            CREATE TABLE t(id \(key) PRIMARY KEY, a);
            CREATE VIRTUAL TABLE f USING \(module);
            CREATE TRIGGER t_ai AFTER INSERT ON t BEGIN \(statement); END;
            """
        }
        let bench = try Bench(schema("INT") + "INSERT INTO t VALUES (2, 'hello')")
        let refusals = try bench.refusals(to: schema("INTEGER"))
        #expect(refusals.map(\.object) == ["table f"])
        #expect(refusals.first?.reason.contains("t_ai") == true)
        try bench.migrate(to: schema("INTEGER"), losses: .named(["f"]))
    }

    @Test("a search over a view whose text changes finds the new text", arguments: ["fts4", "fts5"])
    func searchOverAChangedView(module: String) throws {
        func schema(_ expression: String) -> String {
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE VIEW v AS SELECT id AS docid, id AS rowid, \(expression) AS a FROM t;"
                + "CREATE VIRTUAL TABLE f USING \(module)(a, content='v');"
        }
        let bench = try Bench(schema("a") + "INSERT INTO t VALUES (1, 'sun'); INSERT INTO f(f) VALUES ('rebuild')")
        try bench.migrate(to: schema("a || ' moon'"))
        #expect(try bench.scalar("SELECT count(*) FROM f WHERE f MATCH 'moon'") == 1)
    }

    @Test("a column that becomes generated does not drop what it holds", arguments: ["STORED", "VIRTUAL"])
    func valuesUnderAGeneratedColumn(kind: String) throws {
        let bench = try Bench("CREATE TABLE t(a, g, b); INSERT INTO t VALUES (1, 99, 2)")
        let target = "CREATE TABLE t(a, g AS (a * 2) \(kind), b)"
        let refusals = try bench.refusals(to: target)
        #expect(refusals.first?.object == "table t, column g")
        try bench.migrate(to: target, losses: .named(["t.g"]))
        #expect(try bench.rows("SELECT a, g, b FROM t") == [[1, 2, 2]])
    }

    @Test("children of a parent whose key compares otherwise are checked")
    func collationOfAParentKey() throws {
        let child = "CREATE TABLE c(x REFERENCES p(u))"
        let bench = try Bench(
            "CREATE TABLE p(u TEXT UNIQUE COLLATE NOCASE); \(child); INSERT INTO p VALUES ('a'); INSERT INTO c VALUES ('A')")
        let refusals = try bench.refusals(to: "CREATE TABLE p(u TEXT UNIQUE); \(child)")
        #expect(refusals.first?.object.contains("foreign key of table c") == true)
    }

    @Test("the highest integer is no real number", arguments: ["INTEGER", "TEXT", "NUMERIC"])
    func highestInteger(type: String) throws {
        let bench = try Bench("CREATE TABLE t(n \(type)); INSERT INTO t VALUES (9223372036854775807)")
        #expect(try bench.refusals(to: "CREATE TABLE t(n REAL)").first?.object == "table t, column n")
        let lowest = try Bench("CREATE TABLE t(n \(type)); INSERT INTO t VALUES (4611686018427387904)")
        try lowest.migrate(to: "CREATE TABLE t(n REAL)")
        #expect(try lowest.column("SELECT n FROM t") == [.real(4611686018427387904)])
    }

    @Test("a key without a value does not get one that nobody chose", arguments: ["INT PRIMARY KEY", "INTEGER PRIMARY KEY DESC"])
    func missingKey(key: String) throws {
        let bench = try Bench("CREATE TABLE t(id \(key), a); INSERT INTO t VALUES (5, 'A'), (NULL, 'B')")
        let refusals = try bench.refusals(to: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
        #expect(refusals.first?.object == "table t, column id")
        #expect(refusals.first?.rows == 1)
    }
}
