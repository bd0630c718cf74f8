import Glibc
import PlanHarness
import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

@Suite("Restoring and going back")
struct RestoreTests {
    private static let one = "CREATE TABLE note(id INTEGER PRIMARY KEY, content TEXT)"
    private static let two = "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT)"

    private func plan(reverse: Bool = true) throws -> MigrationPlan {
        let back = ReverseStep(
            name: "reverse.sql", script: "UPDATE note SET body = body || '!';", renames: ["note.body": "note.content"])
        return try MigrationPlan(
            versions: [StoreBench.snapshot(.one, Self.one), StoreBench.snapshot(.two, Self.two)],
            stages: [
                PlannedStage(
                    from: .one, to: .two, renames: [.column(table: "note", from: "content", to: "body")], reverse: reverse ? back : nil)
            ])
    }

    private func three() throws -> MigrationPlan {
        try MigrationPlan(
            versions: [StoreBench.snapshot(.two, Self.two), StoreBench.snapshot(.three, Self.two, "CREATE TABLE more(a)")],
            stages: [PlannedStage(from: .two, to: .three)])
    }

    /// A store at 2.0.0 with a row more than its backup of 1.0.0 has.
    private func migrated(pageSize: Int? = nil) throws -> (store: StoreBench, backup: String) {
        let store = try StoreBench()
        let metadata = try store.create(StoreBench.snapshot(.one, Self.one), rows: "INSERT INTO note VALUES(1, 'one')")
        let backup = store.folder + "/saved.store"
        try StoreCopy(to: backup).make(from: store.connection, of: metadata, mode: 0o600, tick: { true }, progress: { _, _ in })
        if let pageSize {
            let other = try Connection(path: backup, access: .readWrite)
            try other.execute("PRAGMA page_size = \(pageSize); VACUUM")
            other.close()
        }
        try store.migrate(plan())
        try store.connection.run("INSERT INTO note VALUES(2, 'two')")
        return (store, backup)
    }

    private func restore(_ store: StoreBench, from file: String, record: PublishedRecord? = nil) throws -> StoreMetadata {
        let prepared = try PreparedRestore(from: file, for: store.connection, at: store.location, record: record, owner: "test")
        try prepared.apply(to: store.connection)
        return prepared.metadata
    }

    /// Opening a pipe waits for somebody to write into it.
    @Test(
        "what SQLite says of rows and searches is told from damage of the file",
        arguments: [
            ("NULL value in t.a", true), ("CHECK constraint failed in t", true), ("NUMERIC value in t.a", true),
            ("TEXT value in t.a", true),
            ("non-INT value in t.a", true), ("malformed inverted index for FTS5 table main.f", true),
            ("row 3 missing from index i", false), ("wrong # of entries in index i", false), ("non-unique entry in index i", false),
            ("Tree 4 page 4: btreeInitPage() returns error code 11", false), ("Page 9: never used", false),
            ("*** in database main ***", false),
        ])
    func complaints(text: String, isOfRows: Bool) {
        #expect(IntegrityCheck.isOfRows(text) == isOfRows)
    }

    @Test("what is no plain file is refused before it is opened")
    func noPlainFile() throws {
        let (store, _) = try migrated()
        let pipe = store.folder + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        for file in [pipe, "/dev/null", store.folder] {
            let error = #expect(throws: StoreError.self) { try restore(store, from: file) }
            #expect(error?.code == .planRefused && error?.message == "\(file) is no plain file")
            #expect(throws: StoreError.self) { try PreparedRestore.check(file) }
        }
    }

    /// Names of no other program's files, and the numbers of processes that are gone; in another container they may live.
    @Test("a copy removes what killed processes left beside it, and nothing else")
    func leftoversBeside() throws {
        let (store, backup) = try migrated()
        let metadata = try #require(try StoreMetadata.read(store.connection))
        let here = try System.stat("/proc/self/ns/pid").inode
        let left = "storekeeper-partial-4194305.\(here)-other.store"
        let kept = [
            "partial-4194305-other.store", "storekeeper-partial-x", "storekeeper-partial-1.\(here)-other.store",
            "storekeeper-partial-4194305-other.store", "storekeeper-partial-4194305.\(here + 1)-other.store",
        ]
        for name in [left] + kept {
            try System.writeAll(System.open("\(store.folder)/\(name)", [.write, .create], mode: 0o600), [1], path: name)
        }
        _ = try StoreCopy(to: backup + ".2").make(from: store.connection, of: metadata, mode: 0o600, tick: { true }, progress: { _, _ in })
        let names = try System.names(in: store.folder)
        #expect(!names.contains(left))
        for name in kept { #expect(names.contains(name)) }
    }

    @Test(
        "a store whose own tables are damaged is restored into, and what it held is kept",
        arguments: [
            "DELETE FROM storekeeper_metadata WHERE key = 'shape'", "DELETE FROM storekeeper_metadata WHERE key = 'store_id'",
            "UPDATE storekeeper_metadata SET value = '-5' WHERE key = 'epoch'", "DROP TABLE storekeeper_history",
            "DROP TABLE storekeeper_schema", "DELETE FROM storekeeper_metadata", "DROP TABLE storekeeper_metadata",
            "DROP TABLE storekeeper_metadata; CREATE TABLE storekeeper_metadata(other)",
            "ALTER TABLE storekeeper_history RENAME COLUMN outcome TO other", "PRAGMA user_version = 2147483647",
            "PRAGMA user_version = -2147483648",
        ])
    func damaged(statement: String) throws {
        let (store, backup) = try migrated()
        let before = try #require(try store.metadata)
        try store.connection.execute(statement)
        let record = PublishedRecord(
            storeID: before.storeID, state: .closed, version: .two, fingerprint: before.fingerprint, generation: before.generation,
            readableBy: before.readableBy, epoch: before.epoch, owner: .current(), ownerSince: .now)
        let prepared = try PreparedRestore(from: backup, for: store.connection, at: store.location, record: record, owner: "test")
        try prepared.apply(to: store.connection)
        let metadata = try #require(try store.metadata)
        #expect(metadata.version == .one && metadata.storeID == before.storeID)
        #expect(metadata.generation == before.generation + 1 && metadata.epoch > before.epoch)
        #expect(try store.connection.rows("SELECT content FROM note") == [["one"]])
        #expect(try store.history.last?.outcome == .restored)
        let kept = try Connection(path: try #require(prepared.kept), access: .readOnly)
        defer { kept.close() }
        #expect(try kept.rows("SELECT body FROM note") == [["one"], ["two"]])
        #expect(try store.history.last?.reason?.contains(kept.path) == true)
    }

    /// Whoever still knows a number from after the backup must not find another row under it.
    @Test("numbers that AUTOINCREMENT gave away after the backup are not given again")
    func marks() throws {
        let store = try StoreBench()
        let columns = "(id INTEGER PRIMARY KEY AUTOINCREMENT, a)"
        let schema = try StoreBench.snapshot(.one, "CREATE TABLE used\(columns)", "CREATE TABLE empty\(columns)")
        let metadata = try store.create(schema, rows: "INSERT INTO used(a) VALUES('kept')")
        let backup = store.folder + "/saved.store"
        try StoreCopy(to: backup).make(from: store.connection, of: metadata, mode: 0o600, tick: { true }, progress: { _, _ in })
        try store.connection.execute("INSERT INTO used(a) VALUES('lost'), ('lost'); INSERT INTO empty(a) VALUES('lost')")
        _ = try restore(store, from: backup)
        #expect(try store.connection.rows("SELECT id, a FROM used") == [[1, "kept"]])
        #expect(try store.connection.scalar("INSERT INTO used(a) VALUES('new') RETURNING id") == 4)
        #expect(try store.connection.scalar("INSERT INTO empty(a) VALUES('new') RETURNING id") == 2)
    }

    @Test("the last generation there is has none above it, and a backup begins again at its own")
    func lastGeneration() throws {
        let (store, backup) = try migrated()
        try store.connection.execute("PRAGMA user_version = \(Int32.max - 1)")
        #expect(try store.failure(three()).message.contains("after which SQLite's user_version has no other"))
        #expect(try store.connection.scalar("PRAGMA user_version") == .integer(Int64(Int32.max) - 1))
        #expect(try restore(store, from: backup).generation == 2)
        #expect(try store.metadata?.generation == 2)
    }

    @Test(
        "a backup that is not what it says it is is refused, and nothing is changed",
        arguments: [
            ("ALTER TABLE note ADD COLUMN drift", "column drift"),
            ("UPDATE storekeeper_metadata SET value = '9.9.9' WHERE key = 'version'", "9.9.9"),
            ("UPDATE storekeeper_metadata SET value = substr(value, 2) || 'a' WHERE key = 'fingerprint'", "remembers no such schema"),
            ("UPDATE storekeeper_schema SET text = replace(text, 'content', 'other') WHERE kind = 'statement'", "fingerprint names"),
            ("DELETE FROM storekeeper_schema", "remembers no such schema"),
            ("DROP TABLE storekeeper_history; CREATE TABLE storekeeper_history(x)", "another form"),
            ("PRAGMA user_version = 2147483647", "2147483647"),
        ])
    func notWhatItSays(change: String, reason: String) throws {
        let (store, backup) = try migrated()
        let other = try Connection(path: backup, access: .readWrite)
        try other.execute(change)
        other.close()
        let before = try store.contents
        let error = #expect(throws: StoreError.self) { try restore(store, from: backup) }
        #expect(error?.code == .planRefused)
        #expect(error?.description.contains(reason) == true && error?.description.contains(backup) == true, "\(error as Any)")
        #expect(error?.description.contains("partial-") == false)
        #expect(try store.contents == before)
        #expect(BackupExamination(store.location, storeID: nil).findings.isEmpty)
    }

    @Test("a backup of a newer release is no damaged one: that release restores it")
    func ofANewerRelease() throws {
        let (store, backup) = try migrated()
        let other = try Connection(path: backup, access: .readWrite)
        try other.execute("UPDATE storekeeper_metadata SET value = '99' WHERE key = 'format'")
        other.close()
        let error = #expect(throws: StoreError.self) { try restore(store, from: backup) }
        #expect(error?.code == .storeTooNew && error?.remedy == "use that release of Storekeeper", "\(error as Any)")
        #expect(error?.description.contains(backup) == true && error?.description.contains("partial-") == false)
    }

    @Test("a schema that was changed with the shape that is recorded of it is found by the schema that is remembered")
    func forgedShape() throws {
        let (store, backup) = try migrated()
        let other = try Connection(path: backup, access: .readWrite)
        try other.execute("ALTER TABLE note ADD COLUMN drift")
        try other.run(
            "UPDATE storekeeper_metadata SET value = ? WHERE key = 'shape'", .text(RelationalSchema.shape(of: other, .sql).hex))
        other.close()
        let error = #expect(throws: StoreError.self) { try restore(store, from: backup) }
        #expect(error?.description.contains("has not the schema that it remembers") == true)
    }

    @Test("a backup of a store with more than its version has is restored")
    func toleratedObjects() throws {
        let store = try StoreBench()
        try store.connection.execute("\(Self.one); CREATE TABLE extra(a); INSERT INTO extra VALUES(1)")
        let metadata = try store.connection.writing {
            try Adoption.find(store.connection, plan(), allowsExtra: true).apply(store.connection, record: nil, owner: "test")
        }
        let backup = store.folder + "/saved.store"
        try StoreCopy(to: backup).make(from: store.connection, of: metadata, mode: 0o600, tick: { true }, progress: { _, _ in })
        try store.connection.run("DELETE FROM extra")
        #expect(try restore(store, from: backup).tolerated == metadata.tolerated)
        #expect(try store.connection.rows("SELECT a FROM extra") == [[1]])
    }

    @Test("a backup with pages of another size comes into a store that is new")
    func pagesOfANewStore() throws {
        let (store, backup) = try migrated(pageSize: 8192)
        defer { withExtendedLifetime(store) {} }
        let fresh = try StoreBench()
        _ = try fresh.connection.scalar("PRAGMA journal_mode = WAL")
        #expect(try restore(fresh, from: backup).version == .one)
        #expect(try fresh.connection.rows("SELECT content FROM note") == [["one"]])
    }

    @Test("T15: pages of another size leave the implicit row ids alone, to which a search refers", arguments: [1024, 16384])
    func implicitRowids(pageSize: Int) throws {
        let fresh = try StoreBench()
        let origin = try Connection(path: fresh.folder + "/origin.store", access: .create)
        defer { origin.close() }
        try origin.execute("PRAGMA page_size = \(pageSize)")
        let plan = try MigrationPlan(versions: [
            StoreBench.snapshot(.one, "CREATE TABLE t(a)", "CREATE VIRTUAL TABLE f USING fts5(a, content='t')")
        ])
        try ThreeWays(plan).check()
        let metadata = try MigrationRunner(connection: origin, location: fresh.location, plan: plan).create(epoch: 1, owner: "test")
        try origin.execute(
            "INSERT INTO t(rowid, a) VALUES (5, 'five'), (9, 'nine'), (12, 'twelve'); INSERT INTO f(f) VALUES ('rebuild')")
        let backup = fresh.folder + "/saved.store"
        try StoreCopy(to: backup).make(from: origin, of: metadata, mode: 0o600, tick: { true }, progress: { _, _ in })
        _ = try restore(fresh, from: backup)
        #expect(try fresh.connection.scalar("PRAGMA page_size") == 4096)
        #expect(try fresh.connection.rows("SELECT rowid FROM t") == [[5], [9], [12]])
        #expect(try fresh.connection.rows("SELECT rowid, a FROM f WHERE f MATCH 'nine'") == [[9, "nine"]])
    }

    @Test("version and rows of the backup, the history of the store, a higher generation and epoch", arguments: [nil, 1024, 16384])
    func restored(pageSize: Int?) throws {
        let (store, backup) = try migrated(pageSize: pageSize)
        let before = try #require(try store.metadata)
        let reader = try Connection(path: store.location.store, access: .readOnly)
        defer { reader.close() }
        try reader.reading {
            #expect(try reader.scalar("SELECT count(*) FROM note") == 2)
            let metadata = try restore(store, from: backup)
            #expect(metadata.version == .one)
            #expect(metadata.generation == before.generation + 1)
            #expect(metadata.epoch == before.epoch + 1)
            #expect(try store.metadata == metadata)
            // Who reads keeps the snapshot.
            #expect(try reader.rows("SELECT body FROM note ORDER BY id") == [["one"], ["two"]])
        }
        #expect(try reader.rows("SELECT content FROM note") == [["one"]])
        #expect(try store.history.map(\.outcome) == [.created, .applied, .restored])
        #expect(try store.connection.scalar("PRAGMA journal_mode") == "wal")
        #expect(try store.connection.scalar("PRAGMA integrity_check") == "ok")
        #expect(try StoredSchema.identities(store.connection).map(\.version) == [.one, .two])
        #expect(StoreCopy.leftovers(in: store.location.backups).isEmpty)
        #expect(try store.runner(plan()).run(epoch: before.epoch + 1, owner: "test").version == .two)
    }

    @Test("generation and epoch go beyond what was published, too")
    func record() throws {
        let (store, backup) = try migrated()
        let metadata = try #require(try store.metadata)
        let record = PublishedRecord(
            storeID: metadata.storeID, state: .closed, version: .two, fingerprint: metadata.fingerprint, generation: 90, readableBy: [],
            epoch: 70, owner: .current())
        let restored = try restore(store, from: backup, record: record)
        #expect(restored.generation == 91)
        #expect(restored.epoch == 71)
    }

    @Test("no database, no store, another store, a damaged file: refused by name, nothing changed")
    func refused() throws {
        let (store, backup) = try migrated()
        let other = try migrated()
        let text = store.folder + "/text"
        try System.writeAll(System.open(text, [.write, .create], mode: 0o600), Array("no database".utf8), path: text)
        let foreign = store.folder + "/foreign"
        let connection = try Connection(path: foreign, access: .create)
        try connection.execute("CREATE TABLE t(a)")
        connection.close()
        let before = try store.contents
        for (file, reason) in [
            (text, "cannot be read"), (foreign, "no store"), (other.backup, "another store"), (store.folder + "/nowhere", "reached"),
            (store.location.store, "itself"),
        ] {
            let error = #expect(throws: StoreError.self) { try restore(store, from: file) }
            #expect(error?.code == .planRefused)
            #expect(error?.description.contains(reason) == true)
            #expect(error?.description.contains(file) == true)
        }
        #expect(try store.contents == before)
        #expect(StoreCopy.leftovers(in: store.location.backups).isEmpty)
        #expect(try restore(store, from: backup).version == .one)
    }

    @Test("a copy that is stopped leaves nothing, and none replaces a file")
    func stoppedCopy() throws {
        let (store, backup) = try migrated()
        let metadata = try #require(try store.metadata)
        func copy(to file: String, stops: Bool) throws {
            try StoreCopy(to: file).make(from: store.connection, of: metadata, mode: 0o600, tick: { true }) { _, _ in
                if stops { throw StoreError(.cancelled, "stopped") }
            }
        }
        #expect(throws: StoreError.self) { try copy(to: store.folder + "/other.store", stops: true) }
        let error = #expect(throws: StoreError.self) { try copy(to: backup, stops: false) }
        #expect(error?.description.contains(backup) == true)
        #expect(try System.names(in: store.folder).filter { $0.hasPrefix("storekeeper-partial-") || $0.hasPrefix("other") } == [])
    }

    @Test("the way back comes from the store alone")
    func storedReverse() throws {
        let (store, _) = try migrated()
        #expect(try StoredReverse.plan(store.connection, to: .two) == nil)
        let plan = try #require(try StoredReverse.plan(store.connection, to: .one))
        let metadata = try store.migrate(plan)
        #expect(metadata.identity == (try StoreBench.snapshot(.one, Self.one).identity))
        #expect(try store.connection.rows("SELECT content FROM note ORDER BY id") == [["one!"], ["two!"]])
        #expect(try store.history.last?.outcome == .rolledBack)
        #expect(try store.history.last?.backup != nil)
    }

    @Test("a missing step is refused, and the versions are named")
    func missingStep() throws {
        let store = try StoreBench()
        try store.create(StoreBench.snapshot(.one, Self.one))
        try store.migrate(plan(reverse: false))
        let error = #expect(throws: StoreError.self) { try StoredReverse.plan(store.connection, to: .one) }
        #expect(error?.code == .planRefused)
        #expect(error?.description.contains("2.0.0") == true && error?.description.contains("1.0.0") == true)
        #expect(throws: StoreError.self) { try StoredReverse.plan(store.connection, to: .three) }
    }
}
