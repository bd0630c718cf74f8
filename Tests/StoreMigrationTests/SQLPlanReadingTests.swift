import FoundationEssentials
import Glibc
import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

@Suite("Reading a plan folder")
struct SQLPlanReadingTests {
    @Test("Versions are numbers, and each leads to the next")
    func versionsAreNumbers() throws {
        let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT"
        let plan = try WrittenPlan([
            "1.10.0/schema.sql": table + ", b TEXT, c TEXT);", "1.9.0/schema.sql": table + ", b TEXT);", "1.2.0/schema.sql": table + ");",
            "README": "not a version",
        ]).read()
        #expect(plan.versions.map(\.version.description) == ["1.2.0", "1.9.0", "1.10.0"])
        let migration = try plan.migrationPlan()
        #expect(migration.target.version == SchemaVersion(1, 10, 0))
        #expect(migration.path(from: SchemaVersion(1, 2, 0))?.map(\.name) == ["1.2.0 to 1.9.0", "1.9.0 to 1.10.0"])
        #expect(try plan.migrationPlan(to: SchemaVersion(1, 9, 0)).target.version == SchemaVersion(1, 9, 0))
        #expect(plan.has(SchemaVersion(1, 9, 0)) && !plan.has(SchemaVersion(1, 3, 0)))
    }

    @Test("The lines that .dump puts around a schema are passed over, and what stands around a statement is not kept")
    func dumpLines() throws {
        let text = """
            \u{FEFF}PRAGMA foreign_keys=OFF;
            BEGIN TRANSACTION;
            -- notes
            CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT); /* and */
            CREATE TRIGGER note_ai AFTER INSERT ON note BEGIN UPDATE note SET body = 'x;y'; DELETE FROM note; END;
            COMMIT;
            """
        let plan = try WrittenPlan(["1.0.0/schema.sql": text]).read()
        #expect(
            plan.versions[0].statements == [
                "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT)",
                "CREATE TRIGGER note_ai AFTER INSERT ON note BEGIN UPDATE note SET body = 'x;y'; DELETE FROM note; END",
            ])
    }

    @Test("Empty statements count for nothing, and a statement behind them is known and named as what it is")
    func emptyStatements() throws {
        let plan = try WrittenPlan(["1.0.0/schema.sql": ";;CREATE TABLE a(x);;\n; -- and\n;CREATE TABLE b(y);;"]).read()
        #expect(plan.versions[0].statements == ["CREATE TABLE a(x)", "CREATE TABLE b(y)"])
        func refusal(_ script: String) throws -> String { try WrittenPlan.notes(["will.sql": script]).refusal() }
        #expect(
            try refusal("SELECT 1;;; -- x\n\ncommit;").hasPrefix(
                "2.0.0/will.sql, line 3: COMMIT is not allowed in a script of a plan, in: commit"))
        #expect(try refusal("SELECT 1;\n; VACUUM").hasPrefix("2.0.0/will.sql, line 2: VACUUM is not allowed"))
        #expect(try refusal(";;\nCREATE TABLE z(a); INSERT INTO z VALUES(1)").contains("it leaves another schema"))
        #expect(try refusal("; SELECT load_extension('x')").hasPrefix("2.0.0/will.sql, line 1: load_extension is not allowed"))
    }

    @Test(
        "What a schema.sql may not hold is named with its line and statement",
        arguments: [
            ("CREATE TABLE a(x);\n\nCREATE TABLE b(x,);\n", "2.0.0/schema.sql, line 3:", "CREATE TABLE b(x,)"),
            ("CREATE TABLE a(x);\nINSERT INTO a VALUES(1);", "2.0.0/schema.sql, line 2: only CREATE", "INSERT INTO a VALUES(1)"),
            ("CREATE TABLE a(x);\nDROP TABLE a;", "2.0.0/schema.sql, line 2: only CREATE", "DROP TABLE a"),
            ("CREATE TABLE a(x);\nCREATE TEMP TABLE b(x);", "line 2: a temporary object", "CREATE TEMP TABLE b(x)"),
            ("CREATE TABLE a AS SELECT 1 AS x;", "line 1: a table made from a query", "CREATE TABLE a AS"),
            ("CREATE TABLE a(x);\nCREATE TABLE A(x);", "line 2: table A already exists", "CREATE TABLE A(x)"),
            ("CREATE TABLE a(Name, x, name);", "line 1: duplicate column name: name", "CREATE TABLE a(Name"),
            ("CREATE TABLE a(x);\nCREATE VIEW A AS SELECT 1;", "line 2:", "CREATE VIEW A"),
            (
                "CREATE VIEW u AS SELECT * FROM v;\nCREATE VIEW v AS SELECT * FROM w;\nCREATE VIEW w AS SELECT * FROM u;",
                "circularly defined", "line 1"
            ),
            ("CREATE TABLE sqlite_a(x);", "line 1: object name reserved", "sqlite_a"),
            ("CREATE TABLE storekeeper_a(x);", "2.0.0/schema.sql", "storekeeper_a"),
            ("CREATE VIEW v AS SELECT * FROM w;\nCREATE VIEW w AS SELECT * FROM v;", "view v is circularly defined", "line 1"),
            ("CREATE VIEW v AS\nSELECT * FROM missing;", "view v cannot be used: no such table: main.missing", "line 1"),
            (
                "CREATE TABLE a(x TEXT);\nCREATE INDEX i ON a(x COLLATE LOCALE);", "line 2: no such collation sequence: LOCALE",
                "CREATE INDEX i"
            ),
            ("CREATE TABLE a(\n  x INTEGER,\n  y INTEGER NOT NUL\n);", "line 3: near \"NUL\"", "CREATE TABLE a("),
            ("CREATE TABLE a(x);\nCREATE TABLE 'b", "line 2: unrecognized token", "'b"),
        ])
    func badSchema(text: String, first: String, second: String) throws {
        let refusal = try WrittenPlan.notes([:], schema: text, renames: false).refusal()
        #expect(refusal.contains(first) && refusal.contains(second), "\(refusal)")
        #expect(!refusal.contains("\n"))
    }

    @Test(
        "A folder that is no plan says why",
        arguments: [
            ([:], "the plan has no version"),
            (["v2/schema.sql": ""], "the folder v2 is no version"),
            (["2.0/schema.sql": ""], "the folder 2.0 is no version"),
            (["1.0.0/schema.txt": ""], "1.0.0/schema.sql: the file is missing"),
            (["1.0.0/schema.sql": "CREATE TABLE a(x);", "1.0.0/wil.sql": ""], "1.0.0/wil.sql: a plan has no file of this name"),
            (
                ["1.0.0/schema.sql": "CREATE TABLE a(x);", "2.0.0/schema.sql": "create table \"a\" ( x )"],
                "versions 1.0.0 and 2.0.0 of the plan have the same fingerprint"
            ),
        ])
    func badFolder(files: [String: String], reason: String) throws {
        #expect(try WrittenPlan(files).refusal().contains(reason))
    }

    @Test("A folder that is not there, a version that leads nowhere or is no folder, and files that are no text")
    func unreadable() throws {
        #expect {
            try SQLPlan(folder: "/nowhere/plan")
        } throws: { ($0 as? StoreError)?.code == .planRefused && "\($0)".contains("/nowhere/plan") }
        for make in [
            { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: "/nowhere/2.0.0") },
            { _ = FileManager.default.createFile(atPath: $0, contents: nil) },
        ] as [(String) throws -> Void] {
            let plan = try WrittenPlan(["1.0.0/schema.sql": "CREATE TABLE a(x);"])
            try make(plan.path + "/2.0.0")
            #expect(plan.refusal().contains("2.0.0"))
        }
        let folder = try WrittenPlan(["1.0.0/schema.sql": "CREATE TABLE a(x);"])
        for path in ["/2.0.0", "/2.0.0/schema.sql"] { try System.makeFolder(folder.path + path, mode: 0o755) }
        #expect(folder.refusal().contains("2.0.0/schema.sql"))
        let plan = try WrittenPlan(["1.0.0/schema.sql": "CREATE TABLE a(x);"])
        try plan.write("1.0.0/seed.sql", [0x41, 0x0A, 0x00])
        #expect(plan.refusal().contains("1.0.0/seed.sql: line 2 holds a zero byte"))
        try plan.write("1.0.0/seed.sql", [0xFF, 0xFE, 0x41])
        #expect(plan.refusal().contains("1.0.0/seed.sql: it is not UTF-8"))
    }

    @Test("stage.json says renames, losses, readers, exclusive and a hash modifier")
    func stage() throws {
        let plan = try WrittenPlan([
            "1.0.0/schema.sql": "CREATE TABLE memo(id INTEGER PRIMARY KEY, body TEXT, fax TEXT); CREATE TABLE \"a.b\"(\"c d\" TEXT);",
            "2.0.0/schema.sql": "CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT); CREATE TABLE \"a.b\"(\"e.f\" TEXT);",
            "2.0.0/stage.json": #"""
            {"renames": {"memo": "note", "memo.body": "note.text", "\"a.b\".\"c d\"": "[a.b].`e.f`"}, "allowLoss": ["memo.fax"],
             "exclusive": true, "hashModifier": "texts trimmed", "readableBy": ["1.0.0"]}
            """#,
        ]).read()
        let stage = try #require(plan.migrationPlan().path(from: SchemaVersion(1, 0, 0))?.first)
        #expect(
            Set(stage.renames) == [
                .table(from: "memo", to: "note"), .column(table: "note", from: "body", to: "text"),
                .column(table: "a.b", from: "c d", to: "e.f"),
            ])
        #expect(stage.losses == .named(["memo.fax"]))
        #expect(stage.isExclusive)
        #expect(stage.readableBy == [plan.versions[0].identity])
        #expect(plan.versions[1].annotations == ["hashModifier": "texts trimmed"])
        #expect(stage.reverse == nil && stage.batches == nil && !stage.hasCode)
    }

    @Test("A hash modifier tells two versions of one schema apart")
    func hashModifier() throws {
        let plan = try WrittenPlan([
            "1.0.0/schema.sql": WrittenPlan.oldNote, "2.0.0/schema.sql": WrittenPlan.oldNote,
            "2.0.0/stage.json": #"{"hashModifier": "lower"}"#,
            "2.0.0/did.sql": "UPDATE note SET content = lower(content);",
        ]).read()
        #expect(plan.versions[0].shape == plan.versions[1].shape)
        #expect(plan.versions[0].fingerprint != plan.versions[1].fingerprint)
    }

    @Test(
        "What is wrong in stage.json is named",
        arguments: [
            (#"{"rename": {}}"#, "the key \"rename\": there is no such key"),
            (#"{"renames": ["note.content"]}"#, "the key \"renames\": it must be an object in braces"),
            (#"{"renames": {"note.content": 7}}"#, "the key \"renames.note.content\": it must be a text"),
            (#"{"exclusive": "yes"}"#, "the key \"exclusive\": it must be true or false"),
            (#"{"allowLoss": "note.content"}"#, "the key \"allowLoss\": it must be a list"),
            (#"{"allowLoss": [7]}"#, "the key \"allowLoss[0]\": it must be a text"),
            (#"{"batches": {"size": "10", "key": "note.id"}}"#, "the key \"batches.size\": it must be a whole number"),
            (#"[]"#, "it must be an object in braces"),
            (#"{"batches": {"size": 10}}"#, "the key \"batches.key\" is missing"),
            (#"{"renames": {"note.missing": "note.body"}}"#, "missing"),
            (#"{"renames": {"note.content": "note.missing"}}"#, "missing"),
            (#"{"renames": {"note.content": "note"}}"#, "note.content to note"),
            (#"{"renames": {"note.content": "other.body"}}"#, "its table becomes note"),
            (#"{"renames": {"note.content": "note.body", "note.id": "NOTE.Body"}}"#, "both renamed"),
            (#"{"renames": {"no te": "note"}}"#, "quote names"),
            (#"{"allowLoss": ["note.fax"]}"#, "\"allowLoss\" names note.fax"),
            (#"{"readableBy": ["3.0.0"]}"#, "\"readableBy\" names 3.0.0"),
            (#"{"reverse": "back.sql"}"#, "\"reverse\" names back.sql"),
            (#"{"reverse": "reverse.sql"}"#, "which is missing"),
            (#"{"batches": {"size": 10, "key": "note.id"}}"#, "no did.sql"),
        ])
    func badStage(text: String, reason: String) throws {
        let refusal = try WrittenPlan.notes(["stage.json": text]).refusal()
        #expect(refusal.hasPrefix("2.0.0/stage.json: ") && refusal.contains(reason), "\(refusal)")
    }

    @Test(
        "What is no JSON is named with its line",
        arguments: [
            ("", 1, "a value is missing"), ("{\n\"exclusive\": true,\n}", 3, "a key in double quotes"),
            ("{\n\"exclusive\" true}", 2, "a colon"), ("{\"renames\": {\"a.b\": \"a.c\"\n\"a.d\": \"a.e\"}}", 2, "a comma or }"),
            ("{}\n\n{}", 3, "nothing may follow"), ("{\"exclusive\":\nyes}", 2, "a value must stand here"),
            ("{\"exclusive\": ture}", 1, "true is misspelt"), ("{\"a", 1, "a text is not closed"),
            ("{\"a\nb\": 1}", 1, "a control character"),
            ("{\"renames\": {\"note.content\": \"note.body\",\n\"note.content\": \"note.id\"}}", 2, "stands here a second time"),
            (String(repeating: "[", count: 100), 1, "nested too deeply"),
            ("{\"hashModifier\":\n\"\\ud800\"}", 2, "half of a character"),
            ("{\"hashModifier\": \"\\udc00\\ud800\"}", 1, "half of a character"),
            ("{\"hashModifier\": \"\\q\"}", 1, "no such escape"), ("{\"hashModifier\": \"\\u12\"}", 1, "no such escape"),
        ])
    func noJSON(text: String, line: Int, reason: String) throws {
        let refusal = try WrittenPlan.notes(["stage.json": text]).refusal()
        #expect(refusal.hasPrefix("2.0.0/stage.json, line \(line): ") && refusal.contains(reason), "\(refusal)")
    }

    @Test("Escapes of every kind are read")
    func escapes() throws {
        let plan = try WrittenPlan.notes(["stage.json": #"{"hashModifier": "\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00"}"#]).read()
        #expect(plan.versions.count == 2)
    }

    /// What opens a pipe waits for somebody to write into it.
    @Test("A pipe in the place of a file is refused", arguments: ["2.0.0/schema.sql", "2.0.0/stage.json", "2.0.0/did.sql"])
    func pipe(name: String) throws {
        let written = try WrittenPlan.notes(["did.sql": "UPDATE note SET body = body;"])
        let path = written.path + "/" + name
        unlink(path)
        try #require(mkfifo(path, 0o600) == 0)
        #expect(written.refusal().hasPrefix("\(name): it is no plain file"))
    }

    @Test("A step back is kept as text, and leads down only where it is allowed")
    func reverse() throws {
        let plan = try WrittenPlan.notes(["reverse.sql": "DELETE FROM note WHERE body = '';"]).read()
        let (one, two) = (SchemaVersion(1, 0, 0), SchemaVersion(2, 0, 0))
        #expect(try plan.migrationPlan(to: one).path(from: two) == nil)
        let down = try #require(plan.migrationPlan(to: one, allowsReverse: true).path(from: two))
        #expect(down.map(\.name) == ["2.0.0 to 1.0.0"] && down[0].isReverse)
        #expect(down[0].renames == [.column(table: "note", from: "body", to: "content")])
        #expect(down[0].losses == .allowed)
        #expect(try plan.migrationPlan(allowsReverse: true).path(from: one)?.map(\.name) == ["1.0.0 to 2.0.0"])
        #expect(try WrittenPlan.notes([:]).read().migrationPlan(to: one, allowsReverse: true).path(from: two) == nil)
    }

    @Test("The store gives back the step that it keeps")
    func keptReverse() throws {
        let connection = try Connection.inMemory()
        for statement in StoreMetadata.createStatements { try connection.run(statement) }
        let plan = try WrittenPlan.notes([:]).read()
        let (older, newer) = (plan.versions[0], plan.versions[1])
        let step = ReverseStep(name: "2.0.0/reverse.sql", script: "SELECT 'é';", renames: ["note.body": "note.content"])
        try newer.stored.write(connection)
        try step.keep(from: newer.identity, to: older.identity, connection)
        let kept = try ReverseStep.kept(from: newer.identity, connection)
        #expect(kept.map(\.older) == [older.identity] && kept.map(\.step) == [step])
        #expect(try StoredSchema.read(connection, newer.identity)?.statements == newer.statements)
    }
}
