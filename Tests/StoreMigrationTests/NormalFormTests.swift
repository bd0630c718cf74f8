import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

@Suite("Normal form and shape")
struct NormalFormTests {
    private func shape(_ sql: String, _ frontEnd: FrontEnd = .sql) throws -> Fingerprint {
        try Bench.schema(sql).shape(frontEnd)
    }

    @Test(
        "what does not count",
        arguments: [
            ("CREATE TABLE t(a TEXT NOT NULL, b INT)", "create  table\r\n\"t\" -- names\n ( [a] text /* here */ not null,`b` int )"),
            ("CREATE TABLE t(a TEXT DEFAULT 'x' NOT NULL)", "CREATE TABLE t(a TEXT NOT NULL DEFAULT 'x')"),
            ("CREATE TABLE t(a VARCHAR(10))", "CREATE TABLE t(a varchar ( 10 ))"),
            (
                "CREATE TABLE t(a, b); CREATE INDEX i ON t(a); CREATE INDEX j ON t(b)",
                "CREATE TABLE t(a, b); CREATE INDEX j ON t(b); CREATE INDEX i ON t(a)"
            ),
            ("CREATE TABLE t(a); CREATE TABLE u(a)", "CREATE TABLE u(a); CREATE TABLE t(a)"),
            (
                "CREATE TABLE t(a, key); CREATE VIEW v AS SELECT a, key FROM t WHERE a = 'x'",
                "CREATE TABLE t(a, \"key\"); CREATE VIEW v AS SELECT \"a\", [key] FROM \"t\" where a = 'x'"
            ),
            ("CREATE TABLE t(a CHECK(a > 0))", "CREATE TABLE t(a CHECK(\"a\" > 0))"),
            ("CREATE TABLE t(a COLLATE NOCASE)", "CREATE TABLE t(a collate nocase)"),
            ("CREATE TABLE t(a); CREATE INDEX i ON t(a COLLATE NOCASE)", "CREATE TABLE t(a); CREATE INDEX i ON t(a collate \"nocase\")"),
            ("CREATE TABLE t(a, UNIQUE(a), CHECK(a > 1))", "CREATE TABLE t(a, CHECK(a > 1) UNIQUE(a))"),
            ("\u{FEFF}CREATE TABLE t(a)", "CREATE TABLE t(a)"),
        ])
    func equal(first: String, second: String) throws {
        #expect(try shape(first) == shape(second))
    }

    @Test(
        "what counts",
        arguments: [
            ("CREATE TABLE t(a INT)", "CREATE TABLE t(a INTEGER)"),
            ("CREATE TABLE t(a CHECK(a <> 'x'))", "CREATE TABLE t(a CHECK(a <> 'X'))"),
            ("CREATE TABLE t(a)", "CREATE TABLE T(a)"),
            ("CREATE TABLE t(a)", "CREATE TABLE t(A)"),
            ("CREATE TABLE t(a TEXT)", "CREATE TABLE t(a TEXT NOT NULL)"),
            ("CREATE TABLE t(a TEXT NOT NULL)", "CREATE TABLE t(a TEXT NOT NULL ON CONFLICT REPLACE)"),
            ("CREATE TABLE t(a TEXT)", "CREATE TABLE t(a TEXT COLLATE NOCASE)"),
            ("CREATE TABLE t(a INTEGER PRIMARY KEY)", "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT)"),
            ("CREATE TABLE t(a INTEGER PRIMARY KEY)", "CREATE TABLE t(a INTEGER PRIMARY KEY DESC)"),
            ("CREATE TABLE t(a TEXT PRIMARY KEY)", "CREATE TABLE t(a TEXT PRIMARY KEY) WITHOUT ROWID"),
            ("CREATE TABLE t(a TEXT)", "CREATE TABLE t(a TEXT) STRICT"),
            (
                "CREATE TABLE p(a PRIMARY KEY); CREATE TABLE t(a REFERENCES p)",
                "CREATE TABLE p(a PRIMARY KEY); CREATE TABLE t(a REFERENCES p DEFERRABLE INITIALLY DEFERRED)"
            ),
            ("CREATE TABLE t(a, b AS (a + 1))", "CREATE TABLE t(a, b AS (a + 2))"),
            ("CREATE TABLE t(a, b AS (a + 1))", "CREATE TABLE t(a, b AS (a + 1) STORED)"),
            ("CREATE TABLE t(a); CREATE INDEX i ON t(a)", "CREATE TABLE t(a); CREATE UNIQUE INDEX i ON t(a)"),
            ("CREATE TABLE t(a); CREATE INDEX i ON t(a)", "CREATE TABLE t(a); CREATE INDEX i ON t(a DESC)"),
            ("CREATE TABLE t(a); CREATE INDEX i ON t(a)", "CREATE TABLE t(a); CREATE INDEX i ON t(a) WHERE a > 0"),
            ("CREATE TABLE t(a); CREATE VIEW v AS SELECT a FROM t", "CREATE TABLE t(a); CREATE VIEW v AS SELECT a + 0 FROM t"),
        ])
    func different(first: String, second: String) throws {
        #expect(try shape(first) != shape(second))
    }

    @Test("order of columns and defaults count in SQL plans only")
    func frontEnds() throws {
        #expect(try shape("CREATE TABLE t(a, b)") != shape("CREATE TABLE t(b, a)"))
        #expect(try shape("CREATE TABLE t(a, b)", .models) == shape("CREATE TABLE t(b, a)", .models))
        #expect(try shape("CREATE TABLE t(a DEFAULT 1)") != shape("CREATE TABLE t(a DEFAULT 2)"))
        #expect(try shape("CREATE TABLE t(a DEFAULT 1)", .models) == shape("CREATE TABLE t(a)", .models))
    }

    @Test("ours, SQLite's and shadow tables are no part of a schema")
    func leftOut() throws {
        let plain = "CREATE TABLE t(id INTEGER PRIMARY KEY AUTOINCREMENT, a); CREATE VIRTUAL TABLE f USING fts5(a, content='t')"
        let more = plain + "; CREATE TABLE storekeeper_metadata(key, value); CREATE INDEX storekeeper_i ON t(a); ANALYZE"
        #expect(try shape(plain) == shape(more))
        #expect(try Bench.schema(plain).tables.map(\.name) == ["t"])
    }

    @Test("a text in double quotes is a string where no column has that name")
    func doubleQuotedStrings() throws {
        let schema = try Bench.schema("CREATE TABLE t(st); CREATE INDEX i ON t(st) WHERE \"st\" = \"live\"")
        #expect(schema.indexes[0].normalForm.text.hasSuffix("WHERE \"st\" = 'live'"))
        #expect(try shape("CREATE TABLE t(a CHECK(a <> \"X\"))") == shape("CREATE TABLE t(a CHECK(a <> 'X'))"))
    }

    @Test(
        "every token of SQLite",
        arguments: [
            ("x'00' X'aB' 'a''b' \"a\"\"b\" [a b] `c`", 6), ("1 .5 1e-3 0xFF 1_000", 5), ("a->>'$.b' -> || == <> != << >= ;", 11),
            (":a @b $c::d ? ?12", 5), ("-- to the end\n/* and */ a /* open", 1), ("'open", 1), ("12abc", 1), ("größe naïve_1", 2), ("x", 1),
        ])
    func tokens(sql: String, count: Int) {
        let tokens = SQLTokenizer.tokens(of: sql)
        #expect(tokens.count == count)
        for token in tokens { #expect(sql.slice(token.range) == token.text) }
    }
}
