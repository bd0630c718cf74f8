import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

/// Stores that are allowed to be as they are, and lose nothing for it.
@Suite("Odd stores")
struct OddStoreTests {
    /// Names that break whoever writes SQL without quoting.
    static let names = [
        "a.b", "a\"b", "a b", "a\nb", "a'b", "a]b", "a`b", "a;b", "a--b", "a/*b", "select", "größe", "1st", "a\\b", "a%b", "\u{1F980}",
        "A B\t",
    ]

    @Test("names with dots, quotes, spaces, newlines: rebuilt, renamed, added to and dropped from", arguments: names)
    func name(name: String) throws {
        let (table, column) = (SQLName.quoted(name), SQLName.quoted(name + "1"))
        func schema(_ type: String, _ more: String = "") -> String {
            """
            CREATE TABLE \(table)(\(column) INTEGER PRIMARY KEY AUTOINCREMENT, \(SQLName.quoted(name + "2")) \(type)\(more));
            CREATE TABLE child(up REFERENCES \(table)(\(column)) ON DELETE CASCADE);
            CREATE INDEX \(SQLName.quoted(name + "i")) ON \(table)(\(SQLName.quoted(name + "2")) DESC) WHERE \(column) > 0;
            CREATE VIEW \(SQLName.quoted(name + "v")) AS SELECT \(column) AS x FROM \(table);
            CREATE TRIGGER \(SQLName.quoted(name + "t")) AFTER INSERT ON \(table) BEGIN INSERT INTO child VALUES (new.\(column)); END
            """
        }
        let bench = try Bench("\(schema("TEXT")); INSERT INTO \(table) VALUES (3, 'x'), (7, '12')")
        #expect(try bench.migrate(to: schema("TEXT", " CHECK(1)")).kinds.contains("rebuild"))
        #expect(try bench.rows("SELECT * FROM \(table)") == [[3, "x"], [7, "12"]])
        let added = schema("TEXT", " CHECK(1), \(SQLName.quoted(name + "3")) INT")
        try bench.migrate(to: added)
        #expect(try bench.migrate(to: schema("TEXT", " CHECK(1)"), losses: .named(["\(name).\(name)3"])).losses.count == 1)
        try bench.migrate(
            to: schema("TEXT", " CHECK(1)").replacing(table, with: "plain").replacing("\(SQLName.quoted(name + "2"))", with: "second"),
            renames: [.table(from: name, to: "plain"), .column(table: "plain", from: name + "2", to: "second")])
        #expect(try bench.rows("SELECT \(column), second FROM plain") == [[3, "x"], [7, "12"]])
        #expect(try bench.rows("SELECT x FROM \(SQLName.quoted(name + "v")) ORDER BY x") == [[3], [7]])
        #expect(try bench.rows("PRAGMA foreign_key_check").isEmpty)
        // And back to the odd names.
        try bench.migrate(
            to: schema("TEXT"), renames: [.table(from: "plain", to: name), .column(table: name, from: "second", to: name + "2")])
        #expect(try bench.rows("SELECT * FROM \(table)") == [[3, "x"], [7, "12"]])
        try bench.connection.run("INSERT INTO \(table)(\(SQLName.quoted(name + "2"))) VALUES ('new')")
        #expect(try bench.column("SELECT up FROM child ORDER BY 1") == [3, 7, 8])
    }

    @Test("the same names in a plan of SQL, its renames and losses", arguments: names)
    func nameInAPlan(name: String) throws {
        let quoted = SQLName.quoted(name)
        let json = { (text: String) in
            "\""
                + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n").replacing("\t", with: "\\t")
                + "\""
        }
        let plan = try WrittenPlan([
            "1.0.0/schema.sql": "CREATE TABLE \(quoted)(\(quoted) TEXT, gone INT);",
            "2.0.0/schema.sql": "CREATE TABLE t(\(SQLName.quoted(name + "2")) TEXT NOT NULL);",
            "2.0.0/stage.json": """
            {"renames": {\(json(quoted)): "t", \(json(quoted + "." + quoted)): \(json("t." + SQLName.quoted(name + "2")))},
             "allowLoss": [\(json(quoted + ".gone"))]}
            """,
        ]).read()
        let store = try StoreBench()
        _ = try store.runner(plan.migrationPlan(to: .one)).create(epoch: 1, owner: "test")
        try store.connection.run("INSERT INTO \(quoted) VALUES ('kept', 1)")
        try store.migrate(plan.migrationPlan())
        #expect(try store.connection.rows("SELECT * FROM t") == [["kept"]])
    }

    /// "é" as one scalar and as two: one text to Swift, two to SQLite.
    private static let (composed, decomposed) = ("\u{E9}", "e\u{301}")

    @Test("T37: names that look alike and differ in their bytes are two names: each keeps its values")
    func lookAlikes() throws {
        let (one, two) = (Self.composed, Self.decomposed)
        let rows = "INSERT INTO \"\(one)\" VALUES (1, 'one', 'two'); INSERT INTO \"\(two)\" VALUES (7)"
        func schema(_ more: String) -> String {
            "CREATE TABLE \"\(one)\"(id INTEGER PRIMARY KEY, \"\(one)\" TEXT, \"\(two)\" TEXT\(more)); CREATE TABLE \"\(two)\"(a\(more));"
                + "CREATE INDEX i_\(one) ON \"\(one)\"(\"\(one)\"); CREATE INDEX i_\(two) ON \"\(one)\"(\"\(two)\")"
        }
        let bench = try Bench(schema("") + ";" + rows)
        #expect(try bench.migrate(to: schema(" NOT NULL")).kinds == ["rebuild", "rebuild"])
        #expect(try bench.rows("SELECT \"\(one)\", \"\(two)\" FROM \"\(one)\"") == [["one", "two"]])
        #expect(try bench.rows("SELECT a FROM \"\(two)\"") == [[7]])
        for name in [one, two] { #expect(try bench.rows("SELECT hex(name) FROM pragma_index_info('i_\(name)')").count == 1) }
        // Where only one has what a rule wants, only that one is asked.
        try bench.connection.execute("INSERT INTO \"\(one)\" VALUES (2, 'x', 'y'), (3, 'z', 'y')")
        let refusals = try bench.refusals(to: schema(" NOT NULL") + "; CREATE UNIQUE INDEX u ON \"\(one)\"(\"\(two)\")")
        #expect(refusals.count == 1 && refusals[0].object.utf8.elementsEqual("table \(one), column \(two)".utf8))
    }

    @Test(
        "a change of bytes that nobody sees is a change",
        arguments: [
            "CREATE TABLE t(a DEFAULT '#', b)", "CREATE TABLE t(a CHECK(a <> '#'), b)", "CREATE TABLE t(a AS (b || '#'), b)",
            "CREATE TABLE t(a, b); CREATE VIEW v AS SELECT '#' AS x FROM t", "CREATE TABLE t(a, b); CREATE INDEX i ON t(a) WHERE b = '#'",
            "CREATE TABLE t(a, b); CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET b = '#'; END",
            "CREATE TABLE t(a, b); CREATE VIRTUAL TABLE f USING fts5(a, content=t, tokenize=\"unicode61 tokenchars '#'\")",
        ])
    func unseenChange(schema: String) throws {
        let store = try StoreBench()
        let versions = try [Self.composed, Self.decomposed].enumerated().map { index, text in
            try SchemaSnapshot(
                version: SchemaVersion(index + 1, 0, 0), frontEnd: .sql,
                statements: schema.replacing("#", with: text).split(separator: "; C").enumerated().map { ($0 == 0 ? "" : "C") + $1 })
        }
        try store.create(versions[0], rows: "INSERT INTO t(b) VALUES (1)")
        try store.migrate(MigrationPlan(versions: versions, stages: [PlannedStage(from: .one, to: .two)]))
        let metadata = try #require(try store.metadata)
        #expect(metadata.fingerprint == versions[1].fingerprint)
        try SchemaDrift.check(store.connection, metadata)
    }

    @Test("a name may become one that looks like it")
    func renamedToALookAlike() throws {
        let (one, two) = (Self.composed, Self.decomposed)
        let bench = try Bench("CREATE TABLE \"\(one)\"(\"\(one)\" TEXT); INSERT INTO \"\(one)\" VALUES ('kept')")
        let target = "CREATE TABLE \"\(two)\"(\"\(two)\" TEXT)"
        #expect(try bench.refusals(to: target).map(\.object).allSatisfy { $0.utf8.elementsEqual("table \(one)".utf8) })
        try bench.migrate(to: target, renames: [.table(from: one, to: two), .column(table: two, from: one, to: two)])
        #expect(try bench.rows("SELECT \"\(two)\" FROM \"\(two)\"") == [["kept"]])
        #expect(try bench.scalar("SELECT hex(name) FROM pragma_table_info('\(two)')") == "65CC81")
    }

    @Test("values that are not of their declared type come through a rebuild as they are")
    func undeclaredValues() throws {
        let values: [Value] = ["five", .blob([0x35]), .real(1.5), .null, " 12 ", 7, "", .real(9e18), .blob([])]
        for table in ["n INTEGER, r REAL, x TEXT, b BLOB, m NUMERIC, d DATE", "n INT, r DOUBLE, x VARCHAR(9), b, m DECIMAL, d ANY"] {
            let bench = try Bench("CREATE TABLE t(\(table), z)")
            for value in values {
                try bench.connection.run("INSERT INTO t VALUES (?1, ?1, ?1, ?1, ?1, ?1, 1)", value)
            }
            let before = try bench.rows("SELECT rowid, *, typeof(n), typeof(r), typeof(x), typeof(b), typeof(m), typeof(d) FROM t")
            #expect(try bench.migrate(to: "CREATE TABLE t(\(table), z NOT NULL)").kinds == ["rebuild"])
            #expect(try bench.rows("SELECT rowid, *, typeof(n), typeof(r), typeof(x), typeof(b), typeof(m), typeof(d) FROM t") == before)
        }
    }

    @Test(
        "rows that break rules which they have had all along are named when their table is rebuilt, and nothing is lost",
        arguments: ["n INT CHECK(n > 0)", "n INT NOT NULL", "n INT, CHECK(n > 0)", "n INT NOT NULL DEFAULT 7", "n INT STRICT"])
    func brokenRules(columns: String) throws {
        let bench = try Bench(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, n INT, z INT); INSERT INTO t VALUES (1, 5, 1), (4711, NULL, 1), (4712, -3, 1), (4713, 'x', 1)"
        )
        let isStrict = columns.hasSuffix(" STRICT")
        if !isStrict { try bench.connection.execute("DELETE FROM t WHERE id = 4713") }
        // As a tool does that edits the schema, or as old versions of SQLite did.
        let parts = columns.replacing(" STRICT", with: "").split(separator: ",", maxSplits: 1).map(String.init)
        let declared = parts.count == 1 ? "\(parts[0]), z INT" : "\(parts[0]), z INT,\(parts[1])"
        let option = isStrict ? " STRICT" : ""
        try bench.connection.execute("PRAGMA writable_schema = ON")
        try bench.connection.run(
            "UPDATE sqlite_schema SET sql = ? WHERE name = 't'", .text("CREATE TABLE t(id INTEGER PRIMARY KEY, \(declared))\(option)"))
        try bench.connection.execute("PRAGMA writable_schema = RESET")
        let stricter = declared.replacing("z INT", with: "z INT CHECK(z = 1)")
        let target = "CREATE TABLE t(id INTEGER PRIMARY KEY, \(stricter))\(option)"
        let wanted = isStrict ? "id 4713: n is 'x'" : columns.contains("NOT NULL") ? "id 4711: n is NULL" : "id 4712"
        let change = try bench.plan(to: target)
        let foreseen = try (change.checks + change.deepChecks).compactMap { try $0.refusal(bench.connection) }
        for refusals in try [foreseen, bench.refusals(to: target)] {
            #expect(refusals.count == 1 && refusals[0].examples == [wanted], "\(refusals)")
        }
    }

    @Test("up to twenty rows with all their columns that have no value where one must be, in any kind of table")
    func manyBrokenRules() throws {
        let bench = try Bench(
            "CREATE TABLE t(k TEXT, \"a.b\" INT, c, z, PRIMARY KEY(k)) WITHOUT ROWID;"
                + "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30) SELECT 'k' || i, NULL, NULL, 1 FROM n"
        )
        try bench.connection.execute("PRAGMA writable_schema = ON")
        let declared = "CREATE TABLE t(k TEXT, \"a.b\" INT NOT NULL, c NOT NULL, z, PRIMARY KEY(k)) WITHOUT ROWID"
        try bench.connection.run("UPDATE sqlite_schema SET sql = ? WHERE name = 't'", .text(declared))
        try bench.connection.execute("PRAGMA writable_schema = RESET")
        let change = try bench.plan(to: declared.replacing("z,", with: "z NOT NULL,"))
        #expect(try change.checks.allSatisfy { try $0.refusal(bench.connection) == nil })
        let refusals = try change.deepChecks.compactMap { try $0.refusal(bench.connection) }
        #expect(refusals.map(\.object) == ["table t"])
        #expect(refusals[0].rows == 30 && refusals[0].examples.count == 20)
        #expect(refusals[0].examples[0] == "key 'k1': a.b is NULL c is NULL")
    }

    @Test(
        "rows that break the rules of their table are no damage: with their table left alone everything goes on, and they are told of",
        arguments: ["INT NOT NULL", "INT CHECK(n > 0)", "INT CHECK(n > 0) NOT NULL"])
    func brokenRulesOfATableLeftAlone(type: String) throws {
        func plan(_ other: String, _ note: String = "") throws -> MigrationPlan {
            let versions = try [
                StoreBench.snapshot(.one, "CREATE TABLE t(id INTEGER PRIMARY KEY, n \(type))", "CREATE TABLE u(x)"),
                StoreBench.snapshot(.two, "CREATE TABLE t(id INTEGER PRIMARY KEY, n \(type)\(note))", "CREATE TABLE u(x\(other))"),
            ]
            return try MigrationPlan(versions: versions, stages: [PlannedStage(from: .one, to: .two)])
        }
        let store = try StoreBench()
        try store.create(plan(" NOT NULL").versions[0])
        let declared = try #require(try store.connection.scalar("SELECT sql FROM sqlite_schema WHERE name = 't'"))
        func declare(_ sql: Value) throws {
            try store.connection.execute("PRAGMA writable_schema = ON")
            try store.connection.run("UPDATE sqlite_schema SET sql = ? WHERE name = 't'", sql)
            try store.connection.execute("PRAGMA writable_schema = RESET")
        }
        try declare("CREATE TABLE t(id INTEGER PRIMARY KEY, n)")
        let value = type.contains("NOT NULL") ? "NULL" : "-1"
        try store.connection.execute("INSERT INTO t VALUES (1, 5), (4711, \(value)); INSERT INTO u VALUES (1)")
        try declare(declared)
        // A rebuild of the very table names the row before the first write: no stage has begun.
        let before = try store.contents
        var events: [String] = []
        let stopped = try plan("", " UNIQUE")
        let error = #expect(throws: StoreError.self) {
            try store.runner(stopped) { if case .stage(_, _, let name, _, _) = $0 { events.append(name) } }.run(epoch: 1, owner: "test")
        }
        #expect(error?.code == .planRefused && error?.message.contains("4711") == true, "\(String(describing: error))")
        #expect(events == [])
        #expect(try store.contents == before)
        let report = try store.connection.reading { try PlanReport(store.connection, at: store.location, stopped) }
        #expect(report.refusals.contains { $0.examples.contains { $0.contains("4711") } })
        // Without a backup it is met by the copy, and undone.
        var options = MigrationOptions()
        options.backupsKept = nil
        #expect(try store.failure(stopped, options).message.contains("4711"))
        #expect(try store.contents == before)
        // Any other table may change, with a backup that can be restored.
        var warnings: [String] = []
        _ = try store.runner(plan(" NOT NULL")) { if case .warning(let text) = $0 { warnings.append(text) } }.run(epoch: 1, owner: "test")
        #expect(try store.metadata?.version == .two)
        if value == "NULL" { #expect(warnings.count == 1 && warnings[0].contains("NULL value in t.n"), "\(warnings)") }
        #expect(try store.connection.scalar("SELECT count(*) FROM t") == 2)
        let backup = try #require(store.backups.last)
        #expect(try PreparedRestore.look("\(store.location.backups)/\(backup)").version == .one)
        let findings = try StoreExamination(store.connection, store.metadata).findings
        #expect(findings.map(\.object) == ["rows"] || findings.map(\.object) == ["rows", "rows"], "\(findings)")
    }

    @Test("a table of 100 columns: rebuilt, renamed, dropped from")
    func hundredColumns() throws {
        let columns = (1...100).map { "c\($0) \($0 % 3 == 0 ? "TEXT" : "INTEGER")\($0 % 7 == 0 ? " DEFAULT \($0)" : "")" }
        let values = (1...100).map { $0 % 3 == 0 ? "'v\($0)'" : "\($0)" }
        let bench = try Bench(
            "CREATE TABLE t(\(columns.joined(separator: ", "))); CREATE INDEX i ON t(c100, c1 DESC); "
                + "INSERT INTO t VALUES (\(values.joined(separator: ", "))); INSERT INTO t(c1) VALUES (-1)")
        let before = try bench.rows("SELECT * FROM t")
        var changed = columns
        changed[49] += " CHECK(c50 <> 7)"
        #expect(
            try bench.migrate(to: "CREATE TABLE t(\(changed.joined(separator: ", "))); CREATE INDEX i ON t(c100, c1 DESC)").kinds == [
                "rebuild"
            ])
        #expect(try bench.rows("SELECT * FROM t") == before)
        // Every column gets another name, the first twenty go.
        let renamed = (21...100).map { "d\($0) \($0 % 3 == 0 ? "TEXT" : "INTEGER")\($0 % 7 == 0 ? " DEFAULT \($0)" : "")" }
        try bench.migrate(
            to: "CREATE TABLE t(\(renamed.joined(separator: ", ")))",
            renames: (21...100).map { .column(table: "t", from: "c\($0)", to: "d\($0)") },
            losses: .named(Set((1...20).map { "t.c\($0)" })))
        #expect(try bench.rows("SELECT * FROM t") == before.map { Array($0[20...]) })
    }

    @Test("keys that were broken before are told as old ones, stay, and stop nothing")
    func brokenKeys() throws {
        let child = "CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p(id) ON DELETE CASCADE)"
        let plan = try MigrationPlan(
            versions: [
                StoreBench.snapshot(.one, "CREATE TABLE p(id INTEGER PRIMARY KEY, a)", child),
                StoreBench.snapshot(.two, "CREATE TABLE p(id INTEGER PRIMARY KEY, a NOT NULL)", child),
            ], stages: [PlannedStage(from: .one, to: .two)])
        let store = try StoreBench()
        try store.create(
            plan.versions[0],
            rows: """
                INSERT INTO p VALUES (1, 1); PRAGMA foreign_keys = OFF; INSERT INTO c VALUES (1, 1), (2, 99), (3, 98); PRAGMA foreign_keys = ON
                """)
        let violations = try store.connection.rows("PRAGMA foreign_key_check")
        #expect(violations.count == 2)
        #expect(try store.migrate(plan).version == .two)
        #expect(try store.connection.rows("PRAGMA foreign_key_check") == violations)
        #expect(try store.connection.rows("SELECT id, p FROM c") == [[1, 1], [2, 99], [3, 98]])
    }
}
