import StoreSQLite
import Testing

@testable import StoreMigration

/// The hazards of SQLite's table rebuild, each with its input and what must come out of it.
@Suite("Table rebuild keeps everything")
struct RebuildHazardTests {
    @Test(
        "T01 T02 T03 T04 T06: children with ON DELETE keep their rows",
        arguments: [
            "CASCADE", "SET NULL", "SET DEFAULT", "NO ACTION", "RESTRICT", "CASCADE DEFERRABLE INITIALLY DEFERRED",
            "NO ACTION DEFERRABLE INITIALLY DEFERRED",
        ])
    func foreignKeyActions(action: String) throws {
        let child = "CREATE TABLE c(pid REFERENCES p(id) ON DELETE \(action))"
        let bench = try Bench(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY, a TEXT); \(child);
            INSERT INTO p VALUES (1, 'x'), (2, 'y'); INSERT INTO c VALUES (1), (2)
            """)
        let change = try bench.migrate(to: "CREATE TABLE p(id INTEGER PRIMARY KEY, a TEXT NOT NULL); \(child)")
        #expect(change.kinds == ["rebuild"])
        #expect(try bench.column("SELECT pid FROM c") == [1, 2])
        #expect(try bench.scalar("PRAGMA foreign_keys") == 1)
        #expect(try bench.scalar("SELECT sql FROM sqlite_schema WHERE name = 'c'") == .text(child))
        try bench.connection.run("INSERT INTO c VALUES (2)")
    }

    @Test("T05: keys and renames are as before after a failure")
    func settingsAfterFailure() throws {
        let bench = try Bench("CREATE TABLE p(id INTEGER PRIMARY KEY, a, b); INSERT INTO p VALUES (1, 1, 2)")
        let old = try RelationalSchema.read(bench.connection)
        let target = try Bench.schema("CREATE TABLE p(id INTEGER PRIMARY KEY, a, b, CHECK(a > b))")
        let change = try bench.plan(to: "CREATE TABLE p(id INTEGER PRIMARY KEY, a, b, CHECK(a > b))")
        #expect(throws: MigrationRefusal.self) {
            try bench.connection.writing {
                try ChangeExecutor(connection: bench.connection, progress: .silent).run(change, from: old, to: target, frontEnd: .sql)
            }
        }
        #expect(try bench.scalar("PRAGMA foreign_keys") == 1)
        #expect(try bench.scalar("PRAGMA legacy_alter_table") == 0)
        #expect(try RelationalSchema.read(bench.connection) == old)
    }

    @Test("T06b: a table that refers to itself still does")
    func selfReference() throws {
        let bench = try Bench("CREATE TABLE t(id INTEGER PRIMARY KEY, up REFERENCES t(id)); INSERT INTO t VALUES (1, NULL), (2, 1)")
        try bench.migrate(to: "CREATE TABLE t(id INTEGER PRIMARY KEY, up INTEGER REFERENCES t(id))")
        #expect(try bench.scalar("SELECT \"table\" FROM pragma_foreign_key_list('t')") == "t")
        try bench.connection.run("INSERT INTO t VALUES (3, 2)")
    }

    @Test("T07 T08: views, and triggers of other tables that name the table, work on")
    func viewsAndForeignTriggers() throws {
        let rest = """
            CREATE VIEW v AS SELECT a FROM t; CREATE TABLE o(x); CREATE TABLE log(x);
            CREATE TRIGGER o_ai AFTER INSERT ON o BEGIN INSERT INTO t(a) VALUES (new.x); END;
            CREATE TRIGGER t_ai AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END
            """
        let bench = try Bench("CREATE TABLE t(a); \(rest); INSERT INTO t VALUES (1)")
        let change = try bench.migrate(to: "CREATE TABLE t(a INT); \(rest)")
        #expect(change.kinds == ["rebuild", "createTrigger"])
        try bench.connection.run("INSERT INTO o VALUES (5)")
        #expect(try bench.column("SELECT a FROM v") == [1, 5])
        #expect(try bench.column("SELECT x FROM log") == [1, 5])
    }

    @Test("T09: a broken view elsewhere stops neither renames nor dropped columns nor rebuilds")
    func brokenViewElsewhere() throws {
        let broken = "CREATE VIEW v9 AS SELECT * FROM missing"
        let bench = try Bench("CREATE TABLE t(a, b, c INT); \(broken); INSERT INTO t VALUES (1, 2, 3)")
        try bench.migrate(
            to: "CREATE TABLE t(x, c INTEGER); \(broken)", renames: [.column(table: "t", from: "a", to: "x")], losses: .named(["t.b"]))
        #expect(try bench.rows("SELECT x, c FROM t") == [[1, 3]])
        #expect(try bench.scalar("SELECT count(*) FROM sqlite_schema WHERE name = 'v9'") == 1)
    }

    @Test("T10: own triggers come back and do not fire on the copy")
    func ownTriggers() throws {
        let rest = "CREATE TABLE log(x); CREATE TRIGGER t_ai AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END"
        let bench = try Bench("CREATE TABLE t(a); \(rest); INSERT INTO t VALUES (1), (2)")
        try bench.migrate(to: "CREATE TABLE t(a INT); \(rest)")
        #expect(try bench.column("SELECT x FROM log") == [1, 2])
        try bench.connection.run("INSERT INTO t VALUES (3)")
        #expect(try bench.column("SELECT x FROM log") == [1, 2, 3])
    }

    @Test("triggers of storekeeper's own come back too")
    func reservedTriggers() throws {
        let own = "CREATE TRIGGER storekeeper_t AFTER INSERT ON t BEGIN SELECT 1; END"
        let bench = try Bench("CREATE TABLE t(a); \(own)")
        try bench.migrate(to: "CREATE TABLE t(a INT)")
        #expect(try bench.scalar("SELECT sql FROM sqlite_schema WHERE name = 'storekeeper_t'") == .text(own))
    }

    @Test("T11: a parent key that is no longer unique is refused")
    func parentKeyNotUnique() throws {
        let bench = try Bench(
            "CREATE TABLE p(code TEXT UNIQUE); CREATE TABLE c(code REFERENCES p(code)); INSERT INTO p VALUES ('a'); INSERT INTO c VALUES ('a')"
        )
        let refusals = try bench.refusals(to: "CREATE TABLE p(code TEXT); CREATE TABLE c(code REFERENCES p(code))")
        #expect(refusals.map(\.object) == ["table c"])
    }

    @Test("T12: indexes come back byte for byte: partial, descending, collated, over expressions")
    func indexes() throws {
        let indexes = [
            "CREATE UNIQUE INDEX i1 ON t(a)  WHERE st='live'", "CREATE INDEX \"i 2\" ON t(a DESC, b COLLATE NOCASE)",
            "CREATE INDEX i3 ON t(lower(a), a+1) -- why\n WHERE b IS NOT NULL",
        ]
        let bench = try Bench(
            "CREATE TABLE t(a, b, st); \(indexes.joined(separator: ";\n")); INSERT INTO t VALUES ('x', 1, 'live'), ('x', 2, 'dead')")
        let before = try bench.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name")
        #expect(before.count == 3)
        let change = try bench.migrate(to: "CREATE TABLE t(a, b INT, st); \(indexes.joined(separator: ";\n"))")
        #expect(change.kinds == ["rebuild"])
        #expect(try bench.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name") == before)
    }

    @Test("T13: the AUTOINCREMENT mark is kept, also of a table whose rows are all deleted", arguments: ["2, 3", "1, 2, 3"])
    func autoincrement(deleted: String) throws {
        let bench = try Bench(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3);
            DELETE FROM t WHERE id IN (\(deleted))
            """)
        try bench.migrate(to: "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a INT)")
        try bench.connection.run("INSERT INTO t(a) VALUES (9)")
        #expect(try bench.scalar("SELECT max(id) FROM t") == 4)
        #expect(try bench.scalar("SELECT count(*) FROM sqlite_sequence") == 1)
    }

    @Test("T14: implicit rowids are kept, so that full-text search still finds its rows")
    func implicitRowid() throws {
        let search = "CREATE VIRTUAL TABLE f USING fts5(a, content='t')"
        let bench = try Bench(
            """
            CREATE TABLE t(a); \(search);
            INSERT INTO t(rowid, a) VALUES (5, 'five'), (9, 'nine'), (12, 'twelve'); INSERT INTO f(f) VALUES ('rebuild')
            """)
        try bench.migrate(to: "CREATE TABLE t(a TEXT); \(search)")
        #expect(try bench.column("SELECT rowid FROM t ORDER BY 1") == [5, 9, 12])
        #expect(try bench.column("SELECT a FROM f WHERE f MATCH 'nine'") == ["nine"])
        try bench.connection.run("INSERT INTO f(f, rank) VALUES ('integrity-check', 1)")
    }

    @Test("T16: a column called rowid hides nothing")
    func columnCalledRowid() throws {
        let bench = try Bench("CREATE TABLE t(rowid TEXT, a); INSERT INTO t(_rowid_, rowid, a) VALUES (7, 'r', 1)")
        try bench.migrate(to: "CREATE TABLE t(rowid TEXT, a INT)")
        #expect(try bench.rows("SELECT _rowid_, rowid, a FROM t") == [[7, "r", 1]])
    }

    @Test("T16: a table whose three names of the rowid are all columns is copied whole")
    func allRowidNamesTaken() throws {
        let bench = try Bench("CREATE TABLE t(rowid, oid, _rowid_, a); INSERT INTO t VALUES (1, 2, 3, 4)")
        try bench.migrate(to: "CREATE TABLE t(rowid, oid, _rowid_, a INT)")
        #expect(try bench.rows("SELECT * FROM t") == [[1, 2, 3, 4]])
    }

    @Test("T17: NULL keys under a new WITHOUT ROWID are named")
    func nullKeys() throws {
        let bench = try Bench("CREATE TABLE t(id INT PRIMARY KEY, a); INSERT INTO t VALUES (NULL, 1), (NULL, 2), (3, 3)")
        let refusals = try bench.refusals(to: "CREATE TABLE t(id INT PRIMARY KEY, a) WITHOUT ROWID")
        #expect(refusals.map(\.object) == ["table t, column id"])
        #expect(refusals[0].examples == ["row 1", "row 2"])
    }

    @Test("T18: WITHOUT ROWID stays")
    func withoutRowid() throws {
        let bench = try Bench("CREATE TABLE t(k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO t VALUES ('a', 1), ('b', 2)")
        try bench.migrate(to: "CREATE TABLE t(k TEXT PRIMARY KEY, v INT) WITHOUT ROWID")
        #expect(try bench.scalar("SELECT wr FROM pragma_table_list('t')") == 1)
        #expect(try bench.rows("SELECT k, v FROM t") == [["a", 1], ["b", 2]])
    }

    @Test("T19: rows that STRICT would refuse are named")
    func strict() throws {
        let bench = try Bench("CREATE TABLE t(n INT); INSERT INTO t VALUES ('5'), ('five'), (x'35')")
        let refusals = try bench.refusals(to: "CREATE TABLE t(n INT) STRICT")
        #expect(refusals.map(\.examples) == [["row 2: 'five'", "row 3: X'35'"]])
    }

    @Test("T20 T36: what table_info does not show is kept")
    func blindSpots() throws {
        let columns = """
            id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT COLLATE NOCASE NOT NULL ON CONFLICT REPLACE DEFAULT 'q' CHECK(length(a) < 9), \
            p REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED, g AS (a || '!') STORED
            """
        let bench = try Bench("CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(\(columns), z); INSERT INTO t(a, z) VALUES ('x', 1)")
        let target = "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(\(columns), z INT)"
        try bench.migrate(to: target)
        #expect(try RelationalSchema.read(bench.connection) == Bench.schema(target))
        #expect(try bench.rows("SELECT id, a, g, z FROM t") == [[1, "x", "x!", 1]])
    }

    @Test("T21: generated columns are computed, not copied; a stored one is added by a rebuild")
    func generatedColumns() throws {
        let bench = try Bench("CREATE TABLE t(a, b AS (a * 2)); INSERT INTO t(a) VALUES (1), (2)")
        let virtual = try bench.migrate(to: "CREATE TABLE t(a, b AS (a * 2), c AS (a * 3))")
        #expect(virtual.kinds == ["addColumn"])
        let stored = try bench.migrate(to: "CREATE TABLE t(a, b AS (a * 2), c AS (a * 3), d AS (a * 4) STORED)")
        #expect(stored.kinds == ["rebuild"])
        #expect(try bench.rows("SELECT a, b, c, d FROM t") == [[1, 2, 3, 4], [2, 4, 6, 8]])
    }

    @Test("a generated column that becomes a plain one keeps its values")
    func generatedBecomesPlain() throws {
        let bench = try Bench("CREATE TABLE t(a, b AS (a * 2)); INSERT INTO t(a) VALUES (1), (2)")
        try bench.migrate(to: "CREATE TABLE t(a, b)")
        #expect(try bench.rows("SELECT a, b FROM t") == [[1, 2], [2, 4]])
    }

    @Test("T22: a type change converts what loses nothing and names the rest")
    func typeChange() throws {
        let bench = try Bench("CREATE TABLE t(a TEXT); INSERT INTO t VALUES ('12'), ('-7'), (NULL)")
        try bench.migrate(to: "CREATE TABLE t(a INTEGER)")
        #expect(try bench.column("SELECT a FROM t") == [12, -7, .null])

        let values = ["007", "1e3", "9223372036854775808", "abc", " 12 ", ""]
        let lossy = try Bench("CREATE TABLE t(a TEXT); INSERT INTO t VALUES \(values.map { "('\($0)')" }.joined(separator: ", ")), ('5')")
        let refusals = try lossy.refusals(to: "CREATE TABLE t(a INTEGER)")
        #expect(refusals.map(\.rows) == [6])
        #expect(refusals[0].examples == values.enumerated().map { "row \($0 + 1): '\($1)'" })
        try lossy.migrate(to: "CREATE TABLE t(a INTEGER)", losses: .named(["t.a"]))
        #expect(try lossy.column("SELECT a FROM t") == [7, 1, 9_223_372_036_854_775_807, 0, 12, 0, 5])
    }

    @Test("T23: duplicates under a new unique are named with their rows, collation and all")
    func duplicates() throws {
        let bench = try Bench("CREATE TABLE t(a TEXT, b); INSERT INTO t VALUES ('x', NULL), ('X', NULL), ('y', 1), (NULL, 1), (NULL, 2)")
        #expect(
            try bench.refusals(to: "CREATE TABLE t(a TEXT UNIQUE COLLATE NOCASE, b)").map(\.examples) == [
                ["'x' in 2 rows, the first with row 1"]
            ])
        let partial = "CREATE TABLE t(a TEXT, b); CREATE UNIQUE INDEX i ON t(a COLLATE NOCASE) WHERE b IS NOT NULL"
        #expect(try bench.migrate(to: partial).kinds == ["createIndex"])
        let first = try bench.refusals(
            to: "CREATE TABLE t(a TEXT, b UNIQUE); CREATE UNIQUE INDEX i ON t(a COLLATE NOCASE) WHERE b IS NOT NULL")
        #expect(first.map(\.object) == ["table t, column b"])
    }

    @Test("T23: only the first 20 rows are named, the others counted")
    func examples() throws {
        let bench = try Bench(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO t SELECT i, NULL FROM n"
        )
        let refusals = try bench.refusals(to: "CREATE TABLE t(id INTEGER PRIMARY KEY, a NOT NULL)")
        #expect(refusals[0].examples.count == 20)
        #expect(refusals[0].examples[0] == "id 1")
        #expect(refusals[0].rows == 100)
        #expect(refusals[0].description.contains("and 80 more"))
    }

    @Test("T23: rows that break a new CHECK are named")
    func checks() throws {
        let bench = try Bench("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2), (3, 2), (NULL, 1)")
        let refusals = try bench.refusals(to: "CREATE TABLE t(a, b, CHECK(a < b))")
        #expect(refusals.map(\.examples) == [["row 2"]])
    }

    @Test("T24: a table that looks like a work table of ours is left alone")
    func workNames() throws {
        let bench = try Bench(
            "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2); CREATE TABLE storekeeper_new_t(a); INSERT INTO storekeeper_new_t VALUES ('half')"
        )
        try bench.migrate(to: "CREATE TABLE t(a INT)")
        #expect(try bench.column("SELECT a FROM t") == [1, 2])
        #expect(try bench.column("SELECT a FROM storekeeper_new_t") == ["half"])
    }
}

@Suite("What the migrating process must know")
struct ProcessHazardTests {
    @Test("T29: a collation that this process lacks is named")
    func missingCollation() throws {
        let bench = try Bench("CREATE TABLE t(a)")
        try bench.connection.register(collation: "locale") { _, _ in 0 }
        try bench.connection.run("CREATE INDEX i ON t(a COLLATE locale)")
        let refusals = try bench.refusals(to: "CREATE TABLE t(a INT)")
        #expect(refusals.first?.reason.contains("no such collation sequence: locale") == true)
    }

    @Test("T40: temporary objects of the connection do not stand in the way of a rebuild")
    func temporaryView() throws {
        let bench = try Bench("CREATE TABLE t(a); INSERT INTO t VALUES (1); CREATE TEMP VIEW tv AS SELECT a FROM t")
        try bench.migrate(to: "CREATE TABLE t(a INT)")
        #expect(try bench.column("SELECT a FROM tv") == [1])
    }
}
