import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

@Suite("Scripts of a plan")
struct SQLPlanScriptTests {
    @Test(
        "What a script may not do is refused before anything runs, however it is written",
        arguments: [
            ("COMMIT;", "COMMIT"), ("SELECT 1; /* ; */ cOmMiT;", "COMMIT"), ("END;", "COMMIT"), ("BEGIN IMMEDIATE;", "BEGIN"),
            ("ROLLBACK;", "ROLLBACK"), ("SAVEPOINT a;", "SAVEPOINT"), ("RELEASE a;", "RELEASE"), ("ROLLBACK TO a;", "ROLLBACK TO"),
            ("ATTACH 'x' AS y;", "ATTACH"), ("DETACH y;", "DETACH"), ("VACUUM;", "VACUUM"), ("VACUUM INTO 'x';", "VACUUM"),
            ("PRAGMA journal_mode=DELETE;", "PRAGMA journal_mode"), ("PRAGMA foreign_keys=OFF;", "PRAGMA foreign_keys"),
            ("PRAGMA user_version(9);", "PRAGMA user_version"), ("PRAGMA max_page_count=1;", "PRAGMA max_page_count"),
            ("PRAGMA wal_checkpoint;", "PRAGMA wal_checkpoint"), ("PRAGMA incremental_vacuum;", "PRAGMA incremental_vacuum"),
            ("PRAGMA optimize;", "PRAGMA optimize"), ("PRAGMA writable_schema=ON;", "PRAGMA writable_schema"),
            ("CREATE TABLE storekeeper_x(a);", "storekeeper_x"), ("UPDATE sqlite_sequence SET seq = 9;", "sqlite_sequence"),
            ("DELETE FROM sqlite_sequence WHERE name = 'storekeeper_history';", "sqlite_sequence"),
            ("WITH x(n) AS (SELECT 'storekeeper_history') INSERT INTO main.sqlite_sequence SELECT n, 9 FROM x;", "sqlite_sequence"),
            ("CREATE TEMP TRIGGER g AFTER INSERT ON main.storekeeper_history BEGIN SELECT 1; END;", "storekeeper_history"),
            ("CREATE TEMP TABLE storekeeper_new_note(a);", "temporary"), ("CREATE TEMP TABLE Note AS SELECT 1 AS id;", "temporary"),
            ("CREATE TABLE temp.note(id);", "temporary"), ("CREATE TEMP VIEW note AS SELECT 1;", "temporary"),
            ("CREATE VIRTUAL TABLE temp.note USING fts5(a);", "temporary"),
            ("CREATE TEMP TABLE x(a); ALTER TABLE x RENAME TO note;", "temporary"),
        ])
    func refused(statement: String, what: String) throws {
        for file in ["will.sql", "did.sql", "reverse.sql", "seed.sql"] {
            let refusal = try WrittenPlan.notes([file: "-- first\nDELETE FROM note;\n" + statement + "\nDELETE FROM note;"]).refusal()
            let prefix = "2.0.0/\(file), line 3: "
            let isNamed = [what, "a change of \(what)", "a \(what)", "ALTER TABLE of the \(what)"].contains {
                refusal.hasPrefix(prefix + $0)
            }
            #expect(isNamed, "\(refusal)")
            #expect(refusal.contains("is not allowed in a script of a plan"))
        }
    }

    @Test(
        "Questions are allowed",
        arguments: [
            "PRAGMA table_info(note);", "PRAGMA foreign_keys;", "SELECT * FROM pragma_table_xinfo('note');", "PRAGMA main.journal_mode;",
            "CREATE TEMP TABLE kept AS SELECT * FROM note; CREATE TEMP TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT); DROP TABLE kept;",
            "PRAGMA integrity_check;", "EXPLAIN SELECT 1;", "",
        ])
    func allowed(statement: String) throws {
        #expect(try WrittenPlan.notes(["did.sql": statement]).refusal() == "")
    }

    @Test(
        "A script meets the schema of its side",
        arguments: [
            ("will.sql", "UPDATE note SET body = '';", "2.0.0/will.sql, line 1: no such column: body"),
            ("did.sql", "\n\nUPDATE note SET content = '';", "2.0.0/did.sql, line 3: no such column: content"),
            ("reverse.sql", "UPDATE note SET content = '';", "no such column: content"),
            ("seed.sql", "INSERT INTO note(content) VALUES('x');", "has no column named content"),
            ("will.sql", "UPDATE note\nSET content = ;", "2.0.0/will.sql, line 2: near \";\""),
            ("did.sql", "UPDATE note SET body = :after;", "nothing is bound to the parameter :after"),
            ("did.sql", "UPDATE note SET body = ?;", "nothing is bound to the parameter ?"),
        ])
    func sides(file: String, text: String, reason: String) throws {
        let refusal = try WrittenPlan.notes([file: text]).refusal()
        #expect(refusal.contains(reason), "\(refusal)")
    }

    @Test("Temporary tables that will.sql makes are there for did.sql; other ones would be another schema")
    func handOver() throws {
        let did = "UPDATE note SET body = (SELECT content FROM kept WHERE kept.id = note.id);"
        #expect(
            try WrittenPlan.notes(["will.sql": "CREATE TEMP TABLE kept AS SELECT id, content FROM note;", "did.sql": did]).refusal() == "")
        let refusal = try WrittenPlan.notes(["will.sql": "CREATE TABLE kept AS SELECT id, content FROM note;", "did.sql": did]).refusal()
        #expect(refusal.hasPrefix("2.0.0/will.sql: it leaves another schema than that of 1.0.0") && refusal.contains("kept"), "\(refusal)")
    }

    @Test("A failing statement is named with file, line and SQLite's words")
    func failing() throws {
        let script = PlanScript(
            file: PlanFile(name: "2.0.0/did.sql", text: "INSERT INTO note VALUES(1, 'a');\n-- again\nINSERT INTO note VALUES(1, 'b');"))
        let connection = try Connection.inMemory()
        try connection.execute(WrittenPlan.oldNote)
        let snapshot = try SchemaSnapshot(version: SchemaVersion(2, 0, 0), frontEnd: .sql, statements: [WrittenPlan.oldNote])
        let context = StageContext(connection: connection, snapshot: snapshot, progress: .silent)
        let error = #expect(throws: StoreError.self) { try script.run(context) }
        #expect(error?.code == .migrationFailed)
        #expect(error?.message.hasPrefix("2.0.0/did.sql, line 3: UNIQUE constraint failed: note.id") == true)
        #expect(error?.message.hasSuffix("in: INSERT INTO note VALUES(1, 'b')") == true)
    }

    @Test("A statement is compiled when its turn comes, and values are bound by name")
    func running() throws {
        let script = PlanScript(
            file: PlanFile(name: "did.sql", text: "CREATE TABLE t(a); INSERT INTO t SELECT :until WHERE :after < 3; SELECT 1;"))
        let connection = try Connection.inMemory()
        let snapshot = try SchemaSnapshot(version: SchemaVersion(1, 0, 0), frontEnd: .sql, statements: [])
        try script.run(StageContext(connection: connection, snapshot: snapshot, progress: .silent), [":after": 1, ":until": "u"])
        #expect(try connection.rows("SELECT a FROM t") == [["u"]])
    }

    @Test("T41: A script that ends the transaction by itself is stopped there")
    func endedTransaction() throws {
        let script = PlanScript(file: PlanFile(name: "did.sql", text: "INSERT OR ROLLBACK INTO t VALUES(1); INSERT INTO t VALUES(2);"))
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t(a PRIMARY KEY); INSERT INTO t VALUES(1)")
        let snapshot = try SchemaSnapshot(version: SchemaVersion(1, 0, 0), frontEnd: .sql, statements: [])
        #expect(throws: StoreError.self) {
            try connection.writing {
                try script.run(StageContext(connection: connection, snapshot: snapshot, progress: .silent))
            }
        }
        #expect(try connection.rows("SELECT a FROM t") == [[1]])
    }

    @Suite("Batches")
    struct Batches {
        private func plan(
            _ key: String, _ table: String, did: String = "UPDATE item SET name = lower(name) WHERE id > :after AND id <= :until;"
        )
            throws -> WrittenPlan
        {
            try WrittenPlan([
                "1.0.0/schema.sql": table, "2.0.0/schema.sql": table + "CREATE TABLE seen(id INTEGER);", "2.0.0/did.sql": did,
                "2.0.0/stage.json": #"{"batches": {"size": 100, "key": "\#(key)"}}"#,
            ])
        }

        @Test(
            "Keys of integers and texts that are unique and not null",
            arguments: [
                ("CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);", false),
                ("CREATE TABLE item(id INT NOT NULL UNIQUE, name TEXT);", false),
                ("CREATE TABLE item(id TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;", true),
                ("CREATE TABLE item(id TEXT NOT NULL, name TEXT); CREATE UNIQUE INDEX i ON item(id);", true),
            ])
        func keys(table: String, isText: Bool) throws {
            let stage = try #require(plan("item.id", table).read().migrationPlan().path(from: SchemaVersion(1, 0, 0))?.first)
            let batches = try #require(stage.batches)
            #expect(batches.size == 100 && batches.table == "item" && batches.key == "id" && batches.keyIsText == isText)
            #expect(stage.hasCode)
            guard case .lightweight = stage.kind else {
                Issue.record("did.sql is the batches' own")
                return
            }
        }

        @Test(
            "Other keys are refused",
            arguments: [
                ("item.id", "CREATE TABLE item(id TEXT PRIMARY KEY, name TEXT);", "it is not declared NOT NULL"),
                ("item.id", "CREATE TABLE item(id REAL NOT NULL UNIQUE, name TEXT);", "its type is REAL"),
                ("item.id", "CREATE TABLE item(id INTEGER NOT NULL, name TEXT);", "it is not declared unique"),
                (
                    "item.id", "CREATE TABLE item(id INTEGER NOT NULL, name TEXT); CREATE UNIQUE INDEX i ON item(id) WHERE name > '';",
                    "it is not declared unique"
                ),
                ("item.key", "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);", "is no column of 2.0.0"),
                ("item", "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);", "is no column of 2.0.0"),
            ])
        func badKeys(key: String, table: String, reason: String) throws {
            let refusal = try plan(key, table).refusal()
            #expect(refusal.hasPrefix("2.0.0/stage.json: the key of \"batches\", \(key)") && refusal.contains(reason), "\(refusal)")
        }

        @Test(
            "A script that is run again and again is bounded and changes no schema",
            arguments: [
                ("UPDATE item SET name = lower(name) WHERE id > :after;", "does not use both :after and :until"),
                ("UPDATE item SET name = :x WHERE id > :after AND id <= :until;", "nothing is bound to the parameter :x"),
                ("UPDATE item SET name = '' WHERE id > :after AND id <= :until; DROP TABLE seen;", "may not change the schema"),
            ])
        func scripts(did: String, reason: String) throws {
            let refusal = try plan("item.id", "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);", did: did).refusal()
            #expect(refusal.hasPrefix("2.0.0/did.sql") && refusal.contains(reason), "\(refusal)")
        }
    }
}
