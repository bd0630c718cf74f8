import StoreSQLite
import StoreShared
import Synchronization
import Testing

@testable import StoreReader

@Suite struct SnapshotPoolTests {
    private let store: SampleStore

    init() throws { store = try SampleStore() }

    @Test func aReadSeesOneSnapshotThroughAMigrationAndTheNextIsRefused() throws {
        let writer = try store.make()
        let pool = SnapshotPool(location: store.location, identity: SampleStore.one)
        try pool.read { connection in
            #expect(try connection.rows("SELECT content FROM note WHERE id = 1") == [["a"]])
            try store.migrate(writer)
            #expect(try connection.rows("SELECT content FROM note WHERE id = 2") == [["b"]])
        }
        let error = #expect(throws: StoreError.self) { try pool.read { try $0.rows("SELECT content FROM note") } }
        #expect(error?.code == .storeTooNew)
        #expect(error?.storeVersion == SampleStore.two.version)
        #expect(error?.description.contains("1.0.0") == true)
        let newer = SnapshotPool(location: store.location, identity: SampleStore.two)
        #expect(try newer.read { try $0.rows("SELECT body FROM note") }.count == 3)
    }

    @Test func aReaderThatTheNewVersionAllowsGoesOn() throws {
        let writer = try store.make()
        let pool = SnapshotPool(location: store.location, identity: SampleStore.one)
        #expect(try pool.read { try $0.scalar("SELECT count(*) FROM note") } == 3)
        try store.migrate(writer, readableBy: [SampleStore.one])
        #expect(try pool.read { try $0.scalar("SELECT count(*) FROM note") } == 3)
    }

    @Test func theCheckPreparesNothingAndStepsOnce() throws {
        try store.make()
        let pool = SnapshotPool(location: store.location, identity: SampleStore.one)
        func counts() throws -> StatementCounts {
            try pool.read { connection in
                _ = try connection.scalar("SELECT content FROM note WHERE id = 1")
                return connection.counts
            }
        }
        _ = try counts()
        let (before, after) = (try counts(), try counts())
        #expect(after.prepared == before.prepared)
        // The cookie, and the row.
        #expect(after.steps - before.steps == 2)
    }

    @Test func afterACommitTheGenerationIsReadOnceMore() throws {
        let writer = try store.make()
        let pool = SnapshotPool(location: store.location, identity: SampleStore.one)
        func steps() throws -> Int { try pool.read { $0.counts.steps } }
        _ = try steps()
        try writer.execute("UPDATE note SET content = 'new' WHERE id = 1")
        let before = try steps(), after = try steps()
        #expect(try steps() - after == 1 && after - before == 1)
        try writer.execute("UPDATE note SET content = 'newer' WHERE id = 1")
        #expect(try steps() - after == 3 && steps() - after == 4)
    }

    /// No statement that fails, and none that a body runs to its end, lets go of the snapshot before the body ends.
    @Test func aReadStaysInItsSnapshotWhateverItsStatementsDo() throws {
        let writer = try store.make()
        let pool = SnapshotPool(location: store.location, identity: SampleStore.one)
        try pool.read { connection in
            try writer.execute("DELETE FROM note")
            #expect(throws: SQLiteError.self) { try connection.execute("SELECT abs(-9223372036854775808)") }
            #expect(throws: SQLiteError.self) { try connection.execute("DELETE FROM note") }
            try connection.execute("SELECT * FROM note; PRAGMA schema_version; BEGIN; SELECT * FROM note; ROLLBACK")
            connection.finalizeStatements()
            #expect(try connection.scalar("SELECT count(*) FROM note") == 3)
        }
        #expect(try pool.read { try $0.scalar("SELECT count(*) FROM note") } == 0)
    }

    @Test func aTransactionThatABodyLeavesOpenIsNotKept() throws {
        let writer = try store.make()
        let pool = SnapshotPool(location: store.location, identity: SampleStore.one)
        let found = try pool.read { connection in
            try connection.execute("BEGIN")
            return try connection.scalar("SELECT count(*) FROM note")
        }
        #expect(found == 3)
        try writer.execute("DELETE FROM note")
        #expect(try pool.read { try $0.scalar("SELECT count(*) FROM note") } == 0)
    }

    @Test func statementsOfTheOldSchemaAreNotUsedAgain() throws {
        let writer = try store.make()
        let pool = SnapshotPool(location: store.location, identity: SampleStore.one)
        let sql = "SELECT * FROM note WHERE id = 1"
        #expect(try pool.read { try $0.rows(sql) } == [[1, "a"]])
        try writer.writing {
            try writer.execute("ALTER TABLE note ADD COLUMN extra TEXT DEFAULT 'x'")
            try store.metadata(SampleStore.one, writer, generation: 2).write(writer)
        }
        #expect(try pool.read { try $0.rows(sql) } == [[1, "a", "x"]])
    }

    @Test func nothingCanBeWritten() throws {
        try store.make()
        let pool = SnapshotPool(location: store.location, identity: SampleStore.one)
        #expect(throws: SQLiteError.self) { try pool.read { try $0.execute("DELETE FROM note") } }
        #expect(try pool.read { try $0.scalar("SELECT count(*) FROM note") } == 3)
    }

    @Test func aReadBeyondItsBudgetIsInterruptedAndUndone() throws {
        try store.make()
        let pool = SnapshotPool(location: store.location, identity: SampleStore.one)
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        let error = #expect(throws: StoreError.self) {
            try pool.read(budget: .milliseconds(50)) { try $0.scalar(endless) }
        }
        #expect(error?.code == .budgetExceeded)
        #expect(try pool.read { try $0.scalar("SELECT count(*) FROM note") } == 3)
    }

    @Test func readsOnManyThreadsNeverSeeAMixture() throws {
        let writer = try store.make()
        let location = store.location
        let wrong = Mutex<[String]>([])
        let refused = Mutex(0)
        let threads = try (0..<4).map { number in
            try WorkerThread("reader \(number)") {
                let pool = SnapshotPool(location: location, identity: SampleStore.one)
                do {
                    while true {
                        let rows = try pool.read { try $0.rows("SELECT content FROM note ORDER BY id") }
                        if rows != [["a"], ["b"], ["c"]] { wrong.withLock { $0.append("\(rows)") } }
                    }
                } catch {
                    if (error as? StoreError)?.code == .storeTooNew {
                        refused.withLock { $0 += 1 }
                    } else {
                        wrong.withLock { $0.append("\(error)") }
                    }
                }
            }
        }
        System.sleep(.milliseconds(50))
        try store.migrate(writer)
        for thread in threads { thread.join() }
        #expect(wrong.withLock { $0 } == [])
        #expect(refused.withLock { $0 } == 4)
    }

    @Test func openingAndTheFirstReadTakeOneConnectionAndFewStatements() throws {
        try store.publish(.ready, store.make())
        let reader = try StoreReader.open(at: store.location.store, identity: SampleStore.one)
        defer { reader.close() }
        #expect(try reader.read { try $0.scalar("SELECT count(*) FROM note") } == 3)
        // Everything since the file was opened, settings included; the last is the reader's own.
        #expect((1...10).contains(reader.pool.counts.prepared - 1), "\(reader.pool.counts)")
    }

    @Test func aMigrationBetweenJudgingAndTheFirstReadIsSeen() throws {
        let writer = try store.make()
        try store.publish(.ready, writer)
        let reader = try StoreReader.open(at: store.location.store, identity: SampleStore.one)
        defer { reader.close() }
        try store.migrate(writer)
        let error = #expect(throws: StoreError.self) { try reader.read { try $0.rows("SELECT content FROM note") } }
        #expect(error?.code == .storeTooNew)
    }

    @Test func aFileThatTakesThePlaceBetweenJudgingAndTheFirstReadIsTheOneThatIsRead() throws {
        let other = try SampleStore()
        let changed = try other.make()
        try changed.execute("DELETE FROM note; PRAGMA journal_mode = DELETE")
        changed.close()
        let writer = try store.make()
        try store.publish(.ready, writer)
        try writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let reader = try StoreReader.open(at: store.location.store, identity: SampleStore.one)
        defer { reader.close() }
        writer.close()
        for suffix in ["-wal", "-shm"] { try System.unlink(store.location.store + suffix) }
        try System.rename(other.location.store, to: store.location.store)
        #expect(try reader.read { try $0.scalar("SELECT count(*) FROM note") } == 0)
    }

    @Test func afterClosingReadsThrow() throws {
        try store.make()
        let pool = SnapshotPool(location: store.location, identity: SampleStore.one)
        _ = try pool.read { _ in }
        pool.close()
        #expect(throws: StoreError.self) { try pool.read { _ in } }
    }

    @Test func anErrorOfTheBodyIsThrownAsItIsAndTheConnectionIsOfUseAgain() throws {
        struct Mine: Error {}
        try store.make()
        let pool = SnapshotPool(location: store.location, identity: SampleStore.one)
        #expect(throws: Mine.self) { try pool.read { _ in throw Mine() } }
        #expect(throws: SQLiteError.self) { try pool.read { try $0.rows("SELECT nothing FROM nowhere") } }
        #expect(try pool.read { try $0.scalar("SELECT count(*) FROM note") } == 3)
    }
}
