import StoreSQLite
import Testing

@testable import StoreMigration

/// What a change is refused for is known from the rows as they are, before the first write, and nothing else stands in its way then.
@Suite("Everything is known before the first write")
struct ForeseenTests {
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        var rows: String
        /// Statements that mend the rows.
        var cure: String
        var target: String
        var object: String
        var examples: [String]
        var losses = LossPolicy.none
    }

    private static let parent = "CREATE TABLE p(id INTEGER PRIMARY KEY, u TEXT UNIQUE);"

    private static let cases = [
        Case(
            testDescription: "a new foreign key over orphans",
            rows: "\(parent) CREATE TABLE c(id INTEGER PRIMARY KEY, x INTEGER); INSERT INTO p VALUES (1, 'a');"
                + "INSERT INTO c VALUES (1, 1), (2, 9), (3, NULL), (4, 8)",
            cure: "DELETE FROM c WHERE x > 7", target: "\(parent) CREATE TABLE c(id INTEGER PRIMARY KEY, x INTEGER REFERENCES p)",
            object: "foreign key of table c to p, column x", examples: ["id 2: 9", "id 4: 8"]),
        Case(
            testDescription: "a deferred key over two columns",
            rows: "CREATE TABLE p(a, b, UNIQUE(a, b)); CREATE TABLE c(x, y); INSERT INTO p VALUES (1, 2);"
                + "INSERT INTO c VALUES (1, 2), (2, 1), (NULL, 5)",
            cure: "DELETE FROM c WHERE x = 2",
            target: "CREATE TABLE p(a, b, UNIQUE(a, b)); "
                + "CREATE TABLE c(x, y, FOREIGN KEY(x, y) REFERENCES p(a, b) DEFERRABLE INITIALLY DEFERRED)",
            object: "foreign key of table c to p, columns x, y", examples: ["row 2: 2, 1"]),
        Case(
            testDescription: "a key to the table itself",
            rows: "CREATE TABLE t(id INTEGER PRIMARY KEY, up); INSERT INTO t VALUES (1, NULL), (2, 1), (3, 7)",
            cure: "UPDATE t SET up = 3 WHERE id = 3", target: "CREATE TABLE t(id INTEGER PRIMARY KEY, up REFERENCES t(id))",
            object: "foreign key of table t to t, column up", examples: ["id 3: 7"]),
        Case(
            testDescription: "a key from a table without row ids to text that compares without case",
            rows: "CREATE TABLE p(u TEXT COLLATE NOCASE UNIQUE); CREATE TABLE c(k TEXT PRIMARY KEY, x) WITHOUT ROWID;"
                + "INSERT INTO p VALUES ('a'), ('1'); INSERT INTO c VALUES ('k1', 'A'), ('k2', 1), ('k3', 'b')",
            cure: "DELETE FROM c WHERE k = 'k3'",
            target: "CREATE TABLE p(u TEXT COLLATE NOCASE UNIQUE); CREATE TABLE c(k TEXT PRIMARY KEY, x REFERENCES p(u)) WITHOUT ROWID",
            object: "foreign key of table c to p, column x", examples: ["key 'k3': 'b'"]),
        Case(
            testDescription: "a key to a table that is not there",
            rows: "CREATE TABLE c(x); INSERT INTO c VALUES (NULL), (4)", cure: "UPDATE c SET x = NULL",
            target: "CREATE TABLE c(x REFERENCES nowhere)", object: "foreign key of table c to nowhere, column x", examples: ["row 2: 4"]),
        Case(
            testDescription: "a parent whose key compares otherwise",
            rows: "CREATE TABLE p(u TEXT UNIQUE COLLATE NOCASE); CREATE TABLE c(x REFERENCES p(u));"
                + "INSERT INTO p VALUES ('a'); INSERT INTO c VALUES ('A'), ('a')", cure: "DELETE FROM c WHERE x = 'A'",
            target: "CREATE TABLE p(u TEXT UNIQUE); CREATE TABLE c(x REFERENCES p(u))", object: "foreign key of table c to p, column x",
            examples: ["row 1: 'A'"]),
        Case(
            testDescription: "a parent that goes",
            rows: "\(parent) CREATE TABLE c(x REFERENCES p); INSERT INTO p VALUES (1, 'a'); INSERT INTO c VALUES (1)",
            cure: "DELETE FROM c", target: "CREATE TABLE c(x REFERENCES p)", object: "foreign key of table c to p, column x",
            examples: ["row 1: 1"], losses: .named(["p"])),
        Case(
            testDescription: "a key from a computed column",
            rows: "\(parent) CREATE TABLE c(x, y); INSERT INTO p VALUES (10, 'a'); INSERT INTO c VALUES (5, 1), (6, 1)",
            cure: "DELETE FROM c WHERE x = 6",
            target: "\(parent) CREATE TABLE c(x, y, d INTEGER AS (x * 2) REFERENCES p(id))",
            object: "foreign key of table c to p, column d",
            examples: ["row 2: 12"]),
        Case(
            testDescription: "UNIQUE on a computed column",
            rows: "CREATE TABLE t(a TEXT); INSERT INTO t VALUES ('x'), ('X'), ('y')", cure: "DELETE FROM t WHERE a = 'X'",
            target: "CREATE TABLE t(a TEXT, low TEXT AS (lower(a)) UNIQUE)", object: "table t, column low",
            examples: ["'x' in 2 rows, the first with row 1"]),
        Case(
            testDescription: "UNIQUE on a computed column that would leave rows out",
            rows: "CREATE TABLE t(a TEXT); INSERT INTO t VALUES ('x'), ('X')", cure: "DELETE FROM t WHERE a = 'X'",
            target: "CREATE TABLE t(a TEXT, low TEXT AS (lower(a)) STORED UNIQUE ON CONFLICT IGNORE)", object: "table t, column low",
            examples: ["'x' in 2 rows, the first with row 1"]),
        Case(
            testDescription: "UNIQUE that would delete rows",
            rows: "CREATE TABLE t(a TEXT); INSERT INTO t VALUES ('x'), ('x')", cure: "DELETE FROM t WHERE rowid = 2",
            target: "CREATE TABLE t(a TEXT UNIQUE ON CONFLICT REPLACE)", object: "table t, column a",
            examples: ["'x' in 2 rows, the first with row 1"]),
        Case(
            testDescription: "a column computed from a computed one must have a value",
            rows: "CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), (NULL)", cure: "DELETE FROM t WHERE a IS NULL",
            target: "CREATE TABLE t(a INTEGER, c INTEGER NOT NULL ON CONFLICT IGNORE AS (b + 1), b INTEGER AS (a + 1))",
            object: "table t, column c", examples: ["row 2"]),
        Case(
            testDescription: "a CHECK of a computed column",
            rows: "CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), (5)", cure: "DELETE FROM t WHERE a = 5",
            target: "CREATE TABLE t(a INTEGER, b INTEGER AS (a * 2) CHECK (b < 10))", object: "table t, CHECK (b < 10)", examples: ["row 2"]
        ),
        Case(
            testDescription: "a CHECK that stays while its computed column changes",
            rows: "CREATE TABLE t(a INTEGER, b INTEGER AS (a) CHECK (b < 10)); INSERT INTO t VALUES (1), (5)",
            cure: "DELETE FROM t WHERE a = 5", target: "CREATE TABLE t(a INTEGER, b INTEGER AS (a * 2) CHECK (b < 10))",
            object: "table t, CHECK (b < 10)", examples: ["row 2"]),
        Case(
            testDescription: "a CHECK that compares otherwise",
            rows: "CREATE TABLE t(a TEXT COLLATE NOCASE, CHECK (a <> 'x')); INSERT INTO t VALUES ('y')", cure: "DELETE FROM t",
            target: "CREATE TABLE t(a TEXT, CHECK (a = upper(a)))", object: "table t, CHECK (a = upper(a))", examples: ["row 1"]),
        Case(
            testDescription: "UNIQUE over an expression",
            rows: "CREATE TABLE t(a TEXT); INSERT INTO t VALUES ('ab'), ('ac'), ('b')", cure: "DELETE FROM t WHERE a = 'ac'",
            target: "CREATE TABLE t(a TEXT); CREATE UNIQUE INDEX i ON t(substr(a, 1, 1))", object: "table t, column substr(a, 1, 1)",
            examples: ["'a' in 2 rows, the first with row 1"]),
        Case(
            testDescription: "UNIQUE over a computed column in a part of the rows",
            rows: "CREATE TABLE t(a TEXT, on_ INTEGER); INSERT INTO t VALUES ('x', 1), ('X', 1), ('X', 0)",
            cure: "DELETE FROM t WHERE rowid = 2",
            target: "CREATE TABLE t(a TEXT, on_ INTEGER, low TEXT AS (lower(a))); CREATE UNIQUE INDEX i ON t(low) WHERE on_ = 1",
            object: "table t, column low", examples: ["'x' in 2 rows, the first with row 1"]),
        Case(
            testDescription: "UNIQUE under another collation",
            rows: "CREATE TABLE t(a TEXT UNIQUE); INSERT INTO t VALUES ('x'), ('X')", cure: "DELETE FROM t WHERE a = 'X'",
            target: "CREATE TABLE t(a TEXT COLLATE NOCASE UNIQUE)", object: "table t, column a",
            examples: ["'x' in 2 rows, the first with row 1"]),
        Case(
            testDescription: "a key that becomes the row id, with the loss allowed",
            rows: "CREATE TABLE t(id TEXT PRIMARY KEY, a); INSERT INTO t VALUES ('1', 'A'), ('01', 'B')",
            cure: "DELETE FROM t WHERE id = '01'", target: "CREATE TABLE t(id INTEGER PRIMARY KEY ON CONFLICT REPLACE, a)",
            object: "table t, column id", examples: ["1 in 2 rows, the first with row 1"], losses: .named(["t.id"])),
        Case(
            testDescription: "a key of integers that holds a text becomes the row id",
            rows: "CREATE TABLE t(id INT PRIMARY KEY, a); INSERT INTO t VALUES (1, 'A'), ('x', 'B')", cure: "DELETE FROM t WHERE id = 'x'",
            target: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)", object: "table t, column id", examples: ["row 2: 'x'"]),
        Case(
            testDescription: "a key without a value in a table without row ids",
            rows: "CREATE TABLE t(k TEXT PRIMARY KEY, a); INSERT INTO t VALUES (NULL, 1), ('k', 2)", cure: "DELETE FROM t WHERE k IS NULL",
            target: "CREATE TABLE t(k TEXT PRIMARY KEY, a) WITHOUT ROWID", object: "table t, column k", examples: ["row 1"]),
        Case(
            testDescription: "a computed column of a STRICT table",
            rows: "CREATE TABLE t(a TEXT); INSERT INTO t VALUES ('5'), ('five')", cure: "DELETE FROM t WHERE a = 'five'",
            target: "CREATE TABLE t(a TEXT, n INTEGER AS (a)) STRICT", object: "table t, column n", examples: ["row 2: 'five'"]),
        Case(
            testDescription: "an index over what cannot be computed",
            rows: "CREATE TABLE t(a TEXT); INSERT INTO t VALUES ('{\"n\":1}'), ('{')", cure: "DELETE FROM t WHERE rowid = 2",
            target: "CREATE TABLE t(a TEXT); CREATE INDEX i ON t(json_extract(a, '$.n'))", object: "index i",
            examples: ["the row after row 1"]),
        Case(
            testDescription: "a stored column that cannot be computed",
            rows: "CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), (-9223372036854775808)", cure: "DELETE FROM t WHERE a < 0",
            target: "CREATE TABLE t(a INTEGER, b INTEGER AS (abs(a)) STORED)", object: "table t, column b",
            examples: ["the row after row 1"]),
    ]

    @Test("rows in the way are named before, and without them the change is made", arguments: cases)
    func foreseen(_ one: Case) throws {
        let bench = try Bench("PRAGMA foreign_keys = OFF; " + one.rows)
        let refusals = try bench.foreseen(to: one.target, losses: one.losses)
        let refusal = try #require(refusals.first { $0.object == one.object }, "\(refusals)")
        #expect(refusal.examples == one.examples)
        try bench.connection.execute(one.cure)
        #expect(try bench.foreseen(to: one.target, losses: one.losses) == [])
        let table = one.object.contains("table c") ? "c" : "t"
        let count = try bench.scalar("SELECT count(*) FROM \(table)")
        try bench.migrate(to: one.target, losses: one.losses)
        #expect(try bench.scalar("SELECT count(*) FROM \(table)") == count)
        #expect(try bench.rows("PRAGMA foreign_key_check").isEmpty)
    }

    /// The other way round: what is no reason is not given as one.
    @Test(
        "what the old version allows already, and what converts, is no reason",
        arguments: [
            // A violation that was there before.
            (
                "\(parent) CREATE TABLE c(x REFERENCES p); INSERT INTO c VALUES (9)",
                "\(parent) CREATE TABLE c(x REFERENCES p ON DELETE CASCADE)"
            ),
            (
                "\(parent) CREATE TABLE c(k TEXT PRIMARY KEY, x REFERENCES p) WITHOUT ROWID; INSERT INTO c VALUES ('k', 9)",
                "\(parent) CREATE TABLE c(k TEXT PRIMARY KEY, x INTEGER REFERENCES p) WITHOUT ROWID"
            ),
            // Text that becomes the number that its parent has.
            (
                "\(parent) CREATE TABLE c(x TEXT); INSERT INTO p VALUES (1, 'a'); INSERT INTO c VALUES ('1')",
                "\(parent) CREATE TABLE c(x INTEGER REFERENCES p)"
            ),
            // Both sides change together.
            (
                "CREATE TABLE p(u TEXT UNIQUE); CREATE TABLE c(x TEXT REFERENCES p(u)); INSERT INTO p VALUES ('1'); INSERT INTO c VALUES ('1')",
                "CREATE TABLE p(u INTEGER UNIQUE); CREATE TABLE c(x INTEGER REFERENCES p(u))"
            ),
            ("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, NULL), (1, NULL)", "CREATE TABLE t(a, b, UNIQUE(a, b))"),
            (
                "CREATE TABLE t(a TEXT, CHECK (rowid < 10)); INSERT INTO t VALUES ('x')",
                "CREATE TABLE t(a TEXT, b UNIQUE, CHECK (rowid < 10))"
            ),
            ("CREATE TABLE t(a TEXT); INSERT INTO t VALUES ('7')", "CREATE TABLE t(a TEXT, n INTEGER NOT NULL AS (a) UNIQUE) STRICT"),
        ])
    func unforeseen(rows: String, target: String) throws {
        let bench = try Bench("PRAGMA foreign_keys = OFF; " + rows)
        #expect(try bench.foreseen(to: target) == [])
        try bench.migrate(to: target)
    }

    @Test("columns that swap their names take their CHECK along only by name")
    func swappedNames() throws {
        let bench = try Bench("CREATE TABLE t(a INTEGER, b INTEGER, CHECK (a < 10)); INSERT INTO t VALUES (1, 50), (2, 3)")
        let swap: [Rename] = [.column(table: "t", from: "a", to: "b"), .column(table: "t", from: "b", to: "a")]
        let target = "CREATE TABLE t(b INTEGER, a INTEGER, CHECK (a < 10))"
        let refusals = try bench.foreseen(to: target, renames: swap)
        #expect(refusals.map(\.examples) == [["row 1"]])
    }

    @Test("rows that break the CHECK of their own table are named when it is rebuilt")
    func rowsThatBreakTheirOwnCheck() throws {
        let bench = try Bench(
            "CREATE TABLE t(a CHECK (a < 10)); PRAGMA ignore_check_constraints = ON; INSERT INTO t VALUES (1), (50); "
                + "PRAGMA ignore_check_constraints = OFF")
        #expect(try bench.foreseen(to: "CREATE TABLE t(a CHECK (a < 10), b UNIQUE)").map(\.examples) == [["row 2"]])
    }
}
