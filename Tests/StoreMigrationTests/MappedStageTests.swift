import Foundation
import StoreShared
import StoreSQLite
import Synchronization
import Testing

@testable import StoreMigration

@Suite("Mapped stages: old and new at once")
struct MappedStageTests {
    private let folder = "CREATE TABLE folder(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT)"
    private let one =
        "CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, day TEXT, folder INTEGER REFERENCES folder(id))"
    private let two =
        "CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, day REAL, folder INTEGER REFERENCES folder(id), words INTEGER NOT NULL DEFAULT 0)"
    private let indexes = ["CREATE UNIQUE INDEX note_title ON note(title)", "CREATE UNIQUE INDEX note_title ON note(name)"]
    private let rows = """
        INSERT INTO folder VALUES (1, 'f'); INSERT INTO note VALUES (1, 'a', 'monday', 1), (2, 'b', '2.5', NULL), (7, 'c', NULL, 1);
        DELETE FROM note WHERE id = 7
        """

    private func versions() throws -> [SchemaSnapshot] {
        [try StoreBench.snapshot(.one, folder, one, indexes[0]), try StoreBench.snapshot(.two, folder, two, indexes[1])]
    }

    private func plan(
        rewriting: Set<String> = [], _ body: @escaping @Sendable (StageContext, StageContext) throws -> Void
    ) throws -> MigrationPlan {
        try MigrationPlan(
            versions: versions(),
            stages: [
                PlannedStage(
                    from: .one, to: .two, kind: .mapped(rewriting: rewriting, body: body),
                    renames: [.column(table: "note", from: "title", to: "name")])
            ])
    }

    @Test("the engine copies what converts, ids kept, and the body does the rest")
    func copied() throws {
        let store = try StoreBench()
        try store.create(versions()[0], rows: rows)
        let seen = Mutex<[[[Value]]]>([])
        let metadata = try store.migrate(
            plan { old, new in
                #expect(old.isReadOnly && !new.isReadOnly)
                #expect(new.physicalName(of: "folder") == "folder")
                #expect(old.physicalName(of: "note") == "note")
                let table = SQLName.quoted(new.physicalName(of: "note"))
                let rows = try new.connection.rows("SELECT id, name, day FROM \(table)")
                seen.withLock { $0.append(rows) }
                for row in try old.connection.rows("SELECT id, day FROM note WHERE day = 'monday'") {
                    try new.connection.run("UPDATE \(table) SET day = 1.0 WHERE id = ?", row[0])
                    try new.advance(rows: 1)
                }
            })
        #expect(seen.withLock { $0.first } == [[1, "a", .null], [2, "b", 2.5]])
        #expect(metadata.fingerprint == (try versions()[1].fingerprint))
        #expect(
            try store.connection.rows("SELECT id, name, day, folder, words FROM note") == [[1, "a", 1.0, 1, 0], [2, "b", 2.5, .null, 0]])
        try store.connection.run("INSERT INTO note(name) VALUES ('d')")
        #expect(try store.connection.scalar("SELECT max(id) FROM note") == 8)
        #expect(try store.connection.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'storekeeper_new%'").isEmpty)
        #expect(try store.connection.scalar("SELECT count(*) FROM sqlite_sequence WHERE name IN ('note', 'folder')") == 2)
    }

    @Test("a rewritten table holds what the body inserts, under ids that no old row had")
    func rewritten() throws {
        let store = try StoreBench()
        try store.create(versions()[0], rows: rows)
        try store.migrate(
            plan(rewriting: ["note"]) { old, new in
                let table = SQLName.quoted(new.physicalName(of: "note"))
                try new.connection.run("INSERT INTO \(table)(name, folder) SELECT title || '!', folder FROM note ORDER BY id")
            })
        #expect(try store.connection.rows("SELECT id, name, folder FROM note") == [[8, "a!", 1], [9, "b!", .null]])
    }

    @Test("row constraints hold at once, keys at the end", arguments: ["name = 'a'", "folder = 99"])
    func constraints(change: String) throws {
        let store = try StoreBench()
        try store.create(versions()[0], rows: rows)
        let before = try store.contents
        let error = try store.failure(
            plan { _, new in
                try new.connection.run("UPDATE \(SQLName.quoted(new.physicalName(of: "note"))) SET \(change) WHERE id = 2")
            })
        #expect(error.code == (change.hasPrefix("name") ? .migrationFailed : .planRefused))
        #expect(try store.contents == before)
    }

    @Test("keys that hold only at the end are told of before the work, and at the end with columns and rows")
    func foreignKeys() throws {
        let parent = "CREATE TABLE p(id INTEGER PRIMARY KEY, code TEXT UNIQUE)"
        let versions = [
            try StoreBench.snapshot(.one, parent, "CREATE TABLE c(id INTEGER PRIMARY KEY, \"a.b\" TEXT)"),
            try StoreBench.snapshot(.two, parent, "CREATE TABLE c(id INTEGER PRIMARY KEY, \"a.b\" TEXT REFERENCES p(code))"),
        ]
        func plan(_ body: @escaping @Sendable (StageContext) throws -> Void) throws -> MigrationPlan {
            let stage = PlannedStage(from: .one, to: .two, kind: .mapped(rewriting: [], body: { _, new in try body(new) }))
            return try MigrationPlan(versions: versions, stages: [stage])
        }
        let store = try StoreBench()
        try store.create(
            versions[0],
            rows: """
                INSERT INTO p VALUES (1, 'x'); INSERT INTO c VALUES (1, 'x'), (2, NULL);
                INSERT INTO c WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 39) SELECT i, 'gone' || i FROM n
                """)
        let before = try store.contents
        let names = "foreign key of table c to p, column a.b: rows would refer to rows that do not exist (id 10: 'gone10'; id 11: 'gone11'"
        func warnings(_ plan: MigrationPlan) -> [String] {
            var warnings: [String] = []
            _ = try? store.runner(plan) { if case .warning(let text) = $0 { warnings.append(text) } }.run(epoch: 1, owner: "test")
            return warnings
        }
        let idle = try plan { _ in }
        let report = try store.connection.reading { try PlanReport(store.connection, at: store.location, idle) }
        #expect(report.refusals.isEmpty)
        #expect(report.stages[0].unchecked.contains { $0.contains(names) && $0.contains("and 10 more") }, "\(report.stages[0].unchecked)")
        let told = warnings(idle)
        #expect(told.count == 1 && told[0].contains(names), "\(told)")
        let failure = try store.failure(idle)
        #expect(failure.code == .planRefused && failure.message.contains(names), "\(failure)")
        #expect(try store.contents == before)
        // The body may correct them.
        try store.migrate(
            plan { new in
                try new.connection.run("UPDATE \(SQLName.quoted(new.physicalName(of: "c"))) SET \"a.b\" = NULL WHERE id >= 10")
            })
        #expect(try store.connection.rows("PRAGMA foreign_key_check").isEmpty)
    }

    @Test("a required column that cannot be filled by copying is refused, with the way out")
    func cannotCopy() throws {
        let target = two.replacingOccurrences("day REAL", "day REAL NOT NULL")
        let versions = [try versions()[0], try StoreBench.snapshot(.two, folder, target, indexes[1])]
        let stage = PlannedStage(
            from: .one, to: .two, kind: .mapped(rewriting: [], body: { _, _ in }),
            renames: [.column(table: "note", from: "title", to: "name")])
        let store = try StoreBench()
        try store.create(versions[0], rows: rows)
        let error = try store.failure(MigrationPlan(versions: versions, stages: [stage]))
        #expect(error.code == .planRefused)
        #expect(error.remedy.contains("rewrites"))
    }

    @Test("views and triggers are those of the new version afterwards")
    func viewsAndTriggers() throws {
        let rest = [
            "CREATE VIEW v AS SELECT id FROM note", "CREATE TRIGGER g AFTER INSERT ON note BEGIN UPDATE folder SET name = 'fired'; END",
        ]
        let versions = [
            try SchemaSnapshot(version: .one, frontEnd: .sql, statements: [folder, one] + rest),
            try SchemaSnapshot(version: .two, frontEnd: .sql, statements: [folder, two] + rest),
        ]
        let stage = PlannedStage(
            from: .one, to: .two,
            kind: .mapped(
                rewriting: ["note"],
                body: { _, new in try new.connection.run("INSERT INTO \(SQLName.quoted(new.physicalName(of: "note")))(name) VALUES ('x')") }
            ),
            renames: [.column(table: "note", from: "title", to: "name")])
        let store = try StoreBench()
        try store.create(versions[0], rows: rows.replacingOccurrences("'f'", "'g'"))
        try store.connection.run("UPDATE folder SET name = 'quiet'")
        try store.migrate(MigrationPlan(versions: versions, stages: [stage]))
        #expect(try store.connection.scalar("SELECT name FROM folder") == "quiet")
        #expect(try store.connection.rows("SELECT id FROM v") == [[8]])
        try store.connection.run("INSERT INTO note(name) VALUES ('y')")
        #expect(try store.connection.scalar("SELECT name FROM folder") == "fired")
    }
}

extension String {
    fileprivate func replacingOccurrences(_ target: String, _ replacement: String) -> String {
        guard let range = range(of: target) else { return self }
        return replacingCharacters(in: range, with: replacement)
    }
}
