#if STORE_FAULTS
import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

/// A failure of each statement of a migration in turn, of its backup and its checks: undone, told, and gone on from.
@Suite struct EveryStatementFaultTests {
    private static let rest = [
        "CREATE TABLE log(what)", "CREATE INDEX note_title ON note(title DESC) WHERE id > 0", "CREATE VIEW v AS SELECT title FROM note",
        "CREATE TRIGGER note_ad AFTER DELETE ON note BEGIN INSERT INTO log VALUES (old.title); END",
        "CREATE TABLE link(note REFERENCES note(id) ON DELETE CASCADE)",
    ]

    private func plan() throws -> MigrationPlan {
        let versions = try [(SchemaVersion.one, ""), (.two, " NOT NULL UNIQUE")].map { version, rule in
            try SchemaSnapshot(
                version: version, frontEnd: .sql,
                statements: ["CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT\(rule), body TEXT)"] + Self.rest)
        }
        let stage = PlannedStage(
            from: .one, to: .two,
            kind: .custom(
                will: { try $0.connection.run("DELETE FROM note WHERE id NOT IN (SELECT min(id) FROM note GROUP BY title)") },
                did: { try $0.connection.run("UPDATE note SET body = upper(body)") }))
        return try MigrationPlan(versions: versions, stages: [stage])
    }

    @Test(arguments: [ResultCode.full, .inputOutput, .interrupted])
    func itIsUndoneAndCanBeRunAgain(code: ResultCode) throws {
        let plan = try plan()
        var failures = 0
        while true {
            let store = try StoreBench()
            try store.create(
                plan.versions[0],
                rows: """
                    INSERT INTO note(title, body) VALUES ('a', 'x'), ('b', 'y'), ('b', 'z'); DELETE FROM note WHERE title = 'a';
                    INSERT INTO link VALUES (2), (3)
                    """)
            let before = try store.contents
            StatementFaults.fail(with: code, after: failures)
            let result = Result { try store.runner(plan).run(epoch: 1, owner: "test") }
            guard let statement = StatementFaults.clear() else {
                #expect(try result.get().version == .two)
                break
            }
            failures += 1
            let comment = Comment(rawValue: "failure \(failures): \(statement)")
            #expect(!store.connection.isInTransaction, comment)
            #expect(try store.connection.scalar("PRAGMA foreign_keys") == 1, comment)
            #expect(try store.connection.scalar("PRAGMA legacy_alter_table") == 0, comment)
            switch result {
            case .success(let metadata):
                // It was one of those whose failure costs nothing, such as putting back a setting.
                #expect(metadata.version == .two, comment)
            case .failure(let error):
                // Before the first stage it is SQLite's own error, which the owner puts into words; a failure of the trial in memory is a
                // reason to refuse.
                let isTold =
                    (error as? StoreError).map { [.migrationFailed, .cancelled, .planRefused].contains($0.code) } ?? (error is SQLiteError)
                #expect(isTold, "\(comment.rawValue): \(error)")
                #expect(try store.contents == before, comment)
                #expect(store.backups.allSatisfy { !$0.hasPrefix("storekeeper-partial-") }, comment)
            }
            #expect(try store.runner(plan).run(epoch: 1, owner: "test").version == .two, comment)
            #expect(try store.connection.rows("SELECT id, title, body FROM note") == [[2, "b", "Y"]], comment)
            #expect(try store.connection.rows("SELECT note FROM link") == [[2]], comment)
            #expect(try store.connection.rows("SELECT what FROM log") == [["a"], ["b"]], comment)
            #expect(try store.connection.scalar("SELECT seq FROM sqlite_sequence WHERE name = 'note'") == 3, comment)
            #expect(try store.history.filter { $0.outcome == .applied }.count == 1, comment)
        }
        print("\(code): \(failures) statements failed in turn")
        #expect(failures > 100)
    }
}
#endif
