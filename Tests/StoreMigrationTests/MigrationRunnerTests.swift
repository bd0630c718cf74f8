import Foundation
import StoreShared
import StoreSQLite
import Synchronization
import Testing

@testable import StoreMigration

@Suite("Running a plan")
struct MigrationRunnerTests {
    private struct Failure: Error {}

    private let one = "CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, body TEXT)"
    private let two =
        "CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT UNIQUE, body TEXT, words INTEGER NOT NULL DEFAULT 0)"
    private let rows = "INSERT INTO note(title, body) VALUES ('a', 'one two'), ('b', 'three'), ('b', 'four')"

    private func versions() throws -> [SchemaSnapshot] {
        [try StoreBench.snapshot(.one, one), try StoreBench.snapshot(.two, two)]
    }

    private func plan(_ kind: PlannedStage.Kind = .lightweight, losses: LossPolicy = .none) throws -> MigrationPlan {
        try MigrationPlan(versions: versions(), stages: [PlannedStage(from: .one, to: .two, kind: kind, losses: losses)])
    }

    private var dedupe: PlannedStage.Script {
        { try $0.connection.run("DELETE FROM note WHERE id NOT IN (SELECT min(id) FROM note GROUP BY title)") }
    }

    private var countWords: PlannedStage.Script {
        { context in
            try context.connection.run("UPDATE note SET words = 1 + length(body) - length(replace(body, ' ', ''))")
            try context.advance(rows: context.connection.changes)
        }
    }

    @Test("a new store is made at the target, with metadata, snapshot and history")
    func create() throws {
        let store = try StoreBench()
        let target = try StoreBench.snapshot(.two, two)
        let metadata = try store.create(target)
        #expect(try store.metadata == metadata)
        #expect(metadata.generation == 1)
        #expect(try store.connection.scalar("PRAGMA application_id") == .integer(StoreMetadata.applicationID))
        #expect(try StoredSchema.read(store.connection, target.identity)?.statements == [two])
        #expect(try store.history.map(\.outcome) == [.created])
        #expect(try RelationalSchema.shape(of: store.connection, .sql) == target.shape)
    }

    @Test("custom stage: duplicates removed before the new unique, words counted after")
    func custom() throws {
        let store = try StoreBench()
        try store.create(versions()[0], rows: rows)
        var events: [String] = []
        let runner = store.runner(try plan(.custom(will: dedupe, did: countWords))) { event in
            switch event {
            case .backup: events.append("backup")
            case .stage(let index, let count, let name, _, _): events.append("stage \(index)/\(count) \(name)")
            case .progress(let done, let total): events.append("\(done)/\(total)")
            case .heartbeat, .committed, .warning: break
            }
        }
        let metadata = try runner.run(epoch: 1, owner: "test", recordGeneration: 7)
        #expect(metadata.version == .two)
        #expect(metadata.generation == 8)
        #expect(try store.metadata == metadata)
        #expect(try store.connection.rows("SELECT title, words FROM note ORDER BY id") == [["a", 2], ["b", 1]])
        #expect(events.contains("stage 1/1 1.0.0 to 2.0.0"))
        #expect(events.first == "backup")
        #expect(events.last == "4/4")
        let entry = try #require(try store.history.last)
        #expect(entry.outcome == .applied)
        #expect(entry.rows == 4)
        #expect(entry.backup.map { FileManager.default.fileExists(atPath: $0) } == true)
        #expect(metadata.readableBy == [try versions()[1].identity])
        // The mark of AUTOINCREMENT is kept.
        try store.connection.run("INSERT INTO note(title) VALUES ('c')")
        #expect(try store.connection.scalar("SELECT max(id) FROM note") == 4)
        #expect(try store.migrate(plan()).generation == 8)
        #expect(try HistoryEntry.hasLeft(.one, versions()[0].fingerprint, store.connection))
    }

    @Test("duplicates are refused before anything is written, with their rows")
    func refusedDuplicates() throws {
        let store = try StoreBench()
        try store.create(versions()[0], rows: rows)
        let before = try store.contents
        let error = try store.failure(plan())
        #expect(error.code == .planRefused)
        #expect(error.description.contains("'b' in 2 rows, the first with id 2"))
        #expect(try store.contents == before)
        #expect(store.backups.isEmpty)
        #expect(try store.history.last?.outcome == .failed)
    }

    @Test("T43: a stage that throws leaves every row, the schema and the version; the reason is in the history")
    func throwingStage() throws {
        let store = try StoreBench()
        try store.create(versions()[0], rows: rows)
        let before = try store.contents
        let error = try store.failure(plan(.custom(will: dedupe, did: { _ in throw Failure() })))
        #expect(error.code == .migrationFailed)
        #expect(error.cause is Failure)
        #expect(try store.contents == before)
        let entry = try #require(try store.history.last)
        #expect(entry.outcome == .failed)
        #expect(entry.reason?.contains("1.0.0 to 2.0.0") == true)
        #expect(store.backups.count == 1)
        #expect(try store.migrate(plan(.custom(will: dedupe, did: nil))).version == .two)
    }

    @Test(
        "a stage whose SQL ends the transaction loses nothing",
        arguments: [
            "COMMIT", "end", "ROLLBACK", "INSERT OR ROLLBACK INTO note(id) VALUES (1)", "ATTACH ':memory:' AS x", "PRAGMA user_version = 9",
            "PRAGMA foreign_keys = OFF",
        ])
    func transactionEnded(sql: String) throws {
        let store = try StoreBench()
        try store.create(versions()[0], rows: rows)
        let before = try store.contents
        let error = try store.failure(plan(.custom(will: dedupe, did: { try $0.connection.run(sql) })))
        #expect(error.code == .migrationFailed)
        #expect(try store.contents == before)
    }

    @Test("code that changes the schema is refused")
    func codeChangesSchema() throws {
        let store = try StoreBench()
        try store.create(versions()[0], rows: rows)
        let before = try store.contents
        let error = try store.failure(plan(.custom(will: { try $0.connection.run("CREATE TABLE helper(x)") }, did: nil)))
        #expect(error.description.contains("table helper is unknown"))
        #expect(try store.contents == before)
    }

    @Test("a new required column without a default is filled by did, and refused by row where it is not")
    func requiredFilledByDid() throws {
        let target = "CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, body TEXT, words INTEGER NOT NULL)"
        let versions = [try StoreBench.snapshot(.one, one), try StoreBench.snapshot(.two, target)]
        func plan(_ did: @escaping PlannedStage.Script) throws -> MigrationPlan {
            try MigrationPlan(versions: versions, stages: [PlannedStage(from: .one, to: .two, kind: .custom(will: nil, did: did))])
        }
        let store = try StoreBench()
        try store.create(versions[0], rows: rows)
        let before = try store.contents
        let error = try store.failure(plan { try $0.connection.run("UPDATE note SET words = 1 WHERE id < 3") })
        #expect(error.description.contains("table note, column words"))
        #expect(error.description.contains("id 3"))
        #expect(try store.contents == before)
        try store.migrate(plan { try $0.connection.run("UPDATE note SET words = id") })
        #expect(try store.connection.rows("SELECT id, words FROM note") == [[1, 1], [2, 2], [3, 3]])
        #expect(try RelationalSchema.shape(of: store.connection, .sql) == versions[1].shape)
    }

    @Test("a dedupe in will can rely on cascades although the parent is rebuilt")
    func cascadeInWill() throws {
        let child = "CREATE TABLE c(id INTEGER PRIMARY KEY, n REFERENCES note(id) ON DELETE CASCADE)"
        let versions = [try StoreBench.snapshot(.one, one, child), try StoreBench.snapshot(.two, two, child)]
        let store = try StoreBench()
        try store.create(versions[0], rows: rows + "; INSERT INTO c(n) VALUES (1), (2), (3)")
        try store.migrate(
            MigrationPlan(versions: versions, stages: [PlannedStage(from: .one, to: .two, kind: .custom(will: dedupe, did: nil))]))
        #expect(try store.connection.rows("SELECT n FROM c") == [[1], [2]])
    }

    @Test("the whole plan is one commit, or each stage is", arguments: [MigrationAtomicity.plan, .stage])
    func atomicity(atomicity: MigrationAtomicity) throws {
        let three =
            "CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT UNIQUE, body BLOB, words INTEGER NOT NULL DEFAULT 0)"
        let versions = try versions() + [StoreBench.snapshot(.three, three)]
        let plan = try MigrationPlan(
            versions: versions,
            stages: [
                PlannedStage(from: .one, to: .two, kind: .custom(will: dedupe, did: nil)),
                PlannedStage(from: .two, to: .three, kind: .custom(will: nil, did: { _ in throw Failure() })),
            ])
        let store = try StoreBench()
        try store.create(versions[0], rows: rows)
        var options = MigrationOptions()
        options.atomicity = atomicity
        let error = try store.failure(plan, options)
        #expect(error.cause is Failure)
        #expect(try store.metadata?.version == (atomicity == .plan ? .one : .two))
        #expect(try store.metadata?.generation == (atomicity == .plan ? 1 : 2))
        #expect(try store.history.last?.from == .two)
        let good = try MigrationPlan(
            versions: versions,
            stages: [PlannedStage(from: .one, to: .two, kind: .custom(will: dedupe, did: nil)), PlannedStage(from: .two, to: .three)])
        #expect(try store.migrate(good, options).version == .three)
        #expect(try store.metadata?.generation == (atomicity == .plan ? 2 : 3))
    }

    @Test("T45: fresh, step by step and by a direct jump: the same schema")
    func threeWays() throws {
        let three =
            "CREATE TABLE note(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, body TEXT, words INTEGER NOT NULL DEFAULT 0, x)"
        let versions = try versions() + [StoreBench.snapshot(.three, three, "CREATE INDEX i ON note(name DESC)")]
        let rename = Rename.column(table: "note", from: "title", to: "name")
        let steps = [PlannedStage(from: .one, to: .two), PlannedStage(from: .two, to: .three, renames: [rename])]
        let jump = [PlannedStage(from: .one, to: .three, renames: [rename]), PlannedStage(from: .two, to: .three, renames: [rename])]
        var shapes: Set<Fingerprint> = []
        for stages in [steps, jump] {
            let store = try StoreBench()
            try store.create(versions[0], rows: "INSERT INTO note(title) VALUES ('a')")
            let metadata = try store.migrate(MigrationPlan(versions: versions, stages: stages))
            #expect(metadata.fingerprint == versions[2].fingerprint)
            shapes.insert(try RelationalSchema.shape(of: store.connection, .sql))
        }
        #expect(shapes == [versions[2].shape])
    }

    @Test("readers read on through additive stages only")
    func readableBy() throws {
        let additive = one.dropLast() + ", tag TEXT)"
        let versions = [try StoreBench.snapshot(.one, one), try StoreBench.snapshot(.two, String(additive), "CREATE TABLE u(a)")]
        let store = try StoreBench()
        try store.create(versions[0], rows: rows)
        let metadata = try store.migrate(MigrationPlan(versions: versions, stages: [PlannedStage(from: .one, to: .two)]))
        #expect(metadata.readableBy == versions.map(\.identity))
    }

    @Test("a version that was edited is taken over in place, without loss")
    func editedInPlace() throws {
        let edited = try StoreBench.snapshot(.one, one.replacingOccurrences(of: "body TEXT", with: "text TEXT, more"))
        let plan = try MigrationPlan(versions: [edited], renamesInPlace: [.one: [.column(table: "note", from: "body", to: "text")]])
        let store = try StoreBench()
        let first = try StoreBench.snapshot(.one, one)
        try store.create(first, rows: rows)
        #expect(try store.migrate(plan).fingerprint == edited.fingerprint)
        #expect(try store.connection.scalar("SELECT text FROM note WHERE id = 2") == "three")
        // The store has left the first shape: a program built for it is older than the store.
        let error = try store.failure(MigrationPlan(versions: [first]))
        #expect(error.code == .storeTooNew)
        // Neither is newer than the other by its number.
        for snapshot in [first, edited] { #expect(error.message.contains("1.0.0 (fingerprint \(snapshot.fingerprint.hex.prefix(12)))")) }
        #expect(error.message.contains("edited in place") && !error.message.contains("newer"))
    }

    @Test("an edit in place that would lose values is refused, one that loses nothing is not")
    func editedWithLoss() throws {
        let edited = try MigrationPlan(versions: [
            StoreBench.snapshot(.one, one.replacingOccurrences(of: ", body TEXT", with: ""), frontEnd: .models)
        ])
        let store = try StoreBench()
        try store.create(StoreBench.snapshot(.one, one, frontEnd: .models), rows: rows)
        #expect(try store.failure(edited).description.contains("table note, column body"))
        try store.connection.run("UPDATE note SET body = NULL")
        try store.migrate(edited)
    }

    @Test("a backup is a whole store at the version before; the newest are kept")
    func backups() throws {
        let store = try StoreBench()
        let created = try store.create(versions()[0], rows: "INSERT INTO note(title) VALUES ('a')")
        try FileManager.default.createDirectory(atPath: store.location.backups, withIntermediateDirectories: true)
        for year in 2001...2004 {
            _ = FileManager.default.createFile(atPath: "\(store.location.backups)/\(year)0101T000000Z-1.0.0-\(year).store", contents: nil)
        }
        _ = FileManager.default.createFile(
            atPath: "\(store.location.backups)/\(StoreCopy.partial)4194305.\(try System.stat("/proc/self/ns/pid").inode)-x.store",
            contents: nil)
        try store.migrate(plan())
        let names = store.backups
        #expect(names.count == 3)
        #expect(names.dropLast() == ["20030101T000000Z-1.0.0-2003.store", "20040101T000000Z-1.0.0-2004.store"])
        let copy = try Connection(path: "\(store.location.backups)/\(names[2])", access: .readOnly)
        defer { copy.close() }
        #expect(try StoreMetadata.read(copy) == created)
        #expect(try copy.rows("SELECT title FROM note") == [["a"]])
        #expect(try copy.scalar("PRAGMA journal_mode") == "delete")
    }

    @Test("an empty store and an option make no backup")
    func noBackup() throws {
        let store = try StoreBench()
        try store.create(versions()[0])
        try store.migrate(plan())
        #expect(store.backups.isEmpty)
        let other = try StoreBench()
        try other.create(versions()[0], rows: "INSERT INTO note(title) VALUES ('a')")
        var options = MigrationOptions()
        options.backupsKept = nil
        try other.migrate(plan(), options)
        #expect(other.backups.isEmpty)
    }

    @Test("cancelled at any of its first moments, it is undone and can be run again")
    func cancelled() throws {
        let store = try StoreBench()
        try store.create(
            versions()[0],
            rows:
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) INSERT INTO note(title, body) SELECT i, 'x' FROM n"
        )
        let before = try store.contents
        for moment in 1...6 {
            let cancellation = Cancellation()
            var events = 0
            let runner = store.runner(try plan(.custom(will: nil, did: countWords)), cancellation: cancellation) { _ in
                events += 1
                if events == moment { cancellation.cancel() }
            }
            do {
                _ = try runner.run(epoch: 1, owner: "test")
                break
            } catch let error as StoreError {
                #expect(error.code == .cancelled)
                #expect(try store.contents == before)
                #expect(try store.history.last?.outcome == .interrupted)
            }
        }
        #expect(try store.migrate(plan()).version == .two)
    }

    @Test("T42: a statement that the code of a stage leaves in the middle of its rows locks no table")
    func unfinishedStatement() throws {
        final class Shelf: @unchecked Sendable {
            // Used by the one thread of this test.
            var statement: Statement?
        }
        let shelf = Shelf()
        let store = try StoreBench()
        try store.create(versions()[0], rows: "INSERT INTO note(title) VALUES ('a'), ('b')")
        let will: PlannedStage.Script = { context in
            shelf.statement = try context.connection.prepare("SELECT title FROM note")
            _ = try shelf.statement?.step()
        }
        #expect(try store.migrate(plan(.custom(will: will, did: nil))).version == .two)
    }

    @Test("an owner that another one has superseded changes nothing")
    func fenced() throws {
        let store = try StoreBench()
        try store.create(versions()[0], rows: "INSERT INTO note(title) VALUES ('a')")
        try store.connection.run("UPDATE storekeeper_metadata SET value = '2' WHERE key = 'epoch'")
        let before = try store.contents
        #expect(try store.failure(plan()).code == .fenced)
        #expect(try store.contents == before)
    }

    @Test("drift is named by table and column, and nothing is done")
    func drift() throws {
        let store = try StoreBench()
        try store.create(versions()[0], rows: rows + "; ALTER TABLE note ADD COLUMN extra")
        let error = try store.failure(plan())
        #expect(error.code == .drifted)
        #expect(error.description.contains("table note: column extra is unknown"))
    }

    @Test("T41: a full disk in the middle undoes everything and says what to do")
    func fullDisk() throws {
        let store = try StoreBench()
        try store.create(
            versions()[0],
            rows:
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO note(title, body) SELECT i, hex(zeroblob(200)) FROM n"
        )
        let before = try store.contents
        let pages = try store.connection.scalar("PRAGMA page_count")?.integer ?? 0
        try store.connection.execute("PRAGMA max_page_count = \(pages + 20)")
        let error = try store.failure(plan())
        #expect(error.code == .migrationFailed)
        #expect((error.cause as? SQLiteError)?.code.primary == .full)
        #expect(error.remedy.contains("room"))
        #expect(try store.contents == before)
        #expect(try store.history.last?.outcome == .failed)
        try store.connection.execute("PRAGMA max_page_count = 1000000")
        #expect(try store.migrate(plan()).version == .two)
    }

    @Test("the connection is as it was after a migration, done or failed")
    func settings() throws {
        let store = try StoreBench()
        try store.create(versions()[0], rows: rows)
        try store.connection.execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -1234")
        func settings() throws -> [Value?] {
            try ["temp_store", "cache_size", "foreign_keys", "legacy_alter_table"].map { try store.connection.scalar("PRAGMA \($0)") }
        }
        let before = try settings()
        _ = try store.failure(plan(.custom(will: dedupe, did: { _ in throw Failure() })))
        #expect(try settings() == before)
        try store.migrate(plan(.custom(will: dedupe, did: nil)))
        #expect(try settings() == before)
    }

    @Test("a backup that cannot be made refuses the migration and leaves nothing half-made")
    func backupFails() throws {
        let store = try StoreBench()
        try store.create(versions()[0], rows: "INSERT INTO note(title) VALUES ('a')")
        let before = try store.contents
        try FileManager.default.createDirectory(atPath: store.location.keeper, withIntermediateDirectories: true)
        _ = FileManager.default.createFile(atPath: store.location.backups, contents: nil)
        let error = try store.failure(plan())
        #expect(error.message.contains(store.location.backups))
        #expect(try store.contents == before)
    }

    @Test("readers see the old version until the commit and the new one after it, never anything else")
    func readersDuring() throws {
        let store = try StoreBench()
        try store.create(versions()[0], rows: rows)
        let reader = try Connection(path: store.location.store, access: .readOnly)
        defer { reader.close() }
        let seen = Mutex<[[Value?]]>([])
        let plan = try plan(
            .custom(
                will: dedupe,
                did: { [location = store.location] context in
                    let other = try Connection(path: location.store, access: .readOnly)
                    defer { other.close() }
                    let version = try other.scalar("SELECT value FROM storekeeper_metadata WHERE key = 'version'")
                    let count = try other.scalar("SELECT count(*) FROM note")
                    seen.withLock { $0.append([version, count]) }
                }))
        try reader.execute("BEGIN")
        #expect(try reader.scalar("SELECT count(*) FROM note") == 3)
        try store.migrate(plan)
        #expect(seen.withLock { $0.first } == ["1.0.0", 3])
        #expect(try reader.scalar("SELECT count(*) FROM note") == 3)
        #expect(try StoreMetadata.read(reader)?.version == .one)
        try reader.execute("COMMIT")
        #expect(try StoreMetadata.read(reader)?.version == .two)
        #expect(try reader.scalar("SELECT count(*) FROM note") == 2)
    }
}
