import StoreSQLite
import Testing

@testable import StoreMigration

@Suite("Renames are resolved as a whole")
struct RenameTests {
    @Test("a table and its column, with keys, views and indexes that name them")
    func tableAndColumn() throws {
        let bench = try Bench(
            """
            CREATE TABLE memo(id INTEGER PRIMARY KEY, body TEXT); CREATE TABLE c(m REFERENCES memo(id)); CREATE INDEX i ON memo(body);
            CREATE VIEW v AS SELECT body FROM memo; INSERT INTO memo VALUES (1, 'x'); INSERT INTO c VALUES (1)
            """)
        let change = try bench.migrate(
            to: """
                CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT); CREATE TABLE c(m REFERENCES note(id)); CREATE INDEX i ON note(text);
                CREATE VIEW v AS SELECT text FROM note
                """, renames: [.table(from: "memo", to: "note"), .column(table: "note", from: "body", to: "text")])
        #expect(change.kinds == ["dropView", "renameTable", "renameColumn", "createView"])
        #expect(try bench.column("SELECT text FROM v") == ["x"])
        #expect(try bench.rows("PRAGMA foreign_key_check").isEmpty)
    }

    @Test("what is no table is named as what it is", arguments: [("f", "virtual table"), ("v", "view")])
    func noTable(name: String, kind: String) throws {
        let bench = try Bench("CREATE VIRTUAL TABLE f USING fts5(x); CREATE TABLE t(a); CREATE VIEW v AS SELECT a FROM t")
        let refusal = #expect(throws: MigrationRefusal.self) {
            try bench.migrate(to: "CREATE TABLE t(a); CREATE TABLE h(x)", renames: [.table(from: name, to: "h")], losses: .allowed)
        }
        #expect(refusal?.summary.contains("but it is a \(kind)") == true, "\(refusal?.summary ?? "")")
    }

    @Test("two columns swap their names")
    func swappedColumns() throws {
        let bench = try Bench("CREATE TABLE t(a, b); INSERT INTO t VALUES ('a', 'b')")
        try bench.migrate(
            to: "CREATE TABLE t(b, a)", renames: [.column(table: "t", from: "a", to: "b"), .column(table: "t", from: "b", to: "a")])
        #expect(try bench.rows("SELECT a, b FROM t") == [["b", "a"]])
    }

    @Test("two tables swap their names, and their children follow")
    func swappedTables() throws {
        let bench = try Bench(
            """
            CREATE TABLE a(id INTEGER PRIMARY KEY, x); CREATE TABLE b(id INTEGER PRIMARY KEY, y); CREATE TABLE c(a REFERENCES a(id));
            INSERT INTO a VALUES (1, 'was a'); INSERT INTO b VALUES (2, 'was b'); INSERT INTO c VALUES (1)
            """)
        try bench.migrate(
            to: "CREATE TABLE b(id INTEGER PRIMARY KEY, x); CREATE TABLE a(id INTEGER PRIMARY KEY, y); CREATE TABLE c(a REFERENCES b(id))",
            renames: [.table(from: "a", to: "b"), .table(from: "b", to: "a")])
        #expect(try bench.rows("SELECT * FROM a") == [[2, "was b"]])
        #expect(try bench.rows("SELECT * FROM b") == [[1, "was a"]])
        #expect(try bench.rows("PRAGMA foreign_key_check").isEmpty)
    }

    @Test("a chain, whose last name is freed by a table that goes")
    func chain() throws {
        let bench = try Bench(
            "CREATE TABLE a(x); CREATE TABLE b(x); CREATE TABLE c(x); INSERT INTO a VALUES (1); INSERT INTO b VALUES (2); INSERT INTO c VALUES (3)"
        )
        try bench.migrate(
            to: "CREATE TABLE b(x); CREATE TABLE c(x)", renames: [.table(from: "a", to: "b"), .table(from: "b", to: "c")],
            losses: .named(["c"]))
        #expect(try bench.rows("SELECT b.x, c.x FROM b, c") == [[1, 2]])
    }

    @Test("a name freed by a rename is used again by a new column")
    func freedName() throws {
        let bench = try Bench("CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT); INSERT INTO t VALUES (1, 'text')")
        try bench.migrate(
            to: "CREATE TABLE t(id INTEGER PRIMARY KEY, content TEXT, body INTEGER NOT NULL DEFAULT 7)",
            renames: [.column(table: "t", from: "body", to: "content")])
        #expect(try bench.rows("SELECT id, content, body FROM t") == [[1, "text", 7]])
    }

    @Test("a column takes the name of one that goes, even of a key")
    func takenName() throws {
        let bench = try Bench("CREATE TABLE t(a, b UNIQUE); INSERT INTO t VALUES (1, 2)")
        try bench.migrate(to: "CREATE TABLE t(b)", renames: [.column(table: "t", from: "a", to: "b")], losses: .named(["t.b"]))
        #expect(try bench.rows("SELECT * FROM t") == [[1]])
    }

    @Test("T38: names that differ in case only")
    func caseOnly() throws {
        let bench = try Bench("CREATE TABLE item(Name); INSERT INTO item VALUES ('x')")
        let change = try bench.migrate(to: "CREATE TABLE Item(name)")
        #expect(change.kinds == ["renameTable", "renameTable", "renameColumn"])
        #expect(try bench.scalar("SELECT sql FROM sqlite_schema") == "CREATE TABLE \"Item\"(\"name\")")
    }

    @Test("what cannot be is named")
    func impossible() throws {
        let bench = try Bench("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)")
        #expect(throws: MigrationRefusal.self) {
            try bench.plan(to: "CREATE TABLE t(a, c)", renames: [.column(table: "t", from: "x", to: "c")])
        }
        #expect(throws: MigrationRefusal.self) {
            try bench.plan(
                to: "CREATE TABLE t(c, d)", renames: [.column(table: "t", from: "a", to: "c"), .column(table: "t", from: "a", to: "d")])
        }
        #expect(throws: MigrationRefusal.self) {
            try bench.plan(to: "CREATE TABLE u(a, b)", renames: [.column(table: "u", from: "a", to: "b")])
        }
    }

    @Test("a rename that an earlier stage has done is passed over in models")
    func stale() throws {
        let bench = try Bench("CREATE TABLE t(content, body INTEGER); INSERT INTO t VALUES ('text', 7)")
        let change = try bench.plan(
            to: "CREATE TABLE t(content, body INTEGER, more)", frontEnd: .models,
            renames: [.column(table: "t", from: "body", to: "content")])
        #expect(change.kinds == ["addColumn"])
    }
}
