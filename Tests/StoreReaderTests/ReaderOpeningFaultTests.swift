#if STORE_FAULTS
import StoreShared
import StoreSQLite
import Testing

@testable import StoreReader

/// What it costs to open a store that is what the reader was built for.
@Suite struct ReaderOpeningFaultTests {
    @Test func aReaderTakesNoWriteLockAndPreparesFewStatements() throws {
        let store = try SampleStore()
        let writer = try store.make()
        try store.publish(.ready, writer)
        // Whoever needed the write lock would wait for it in vain.
        try writer.execute("BEGIN IMMEDIATE; INSERT INTO note VALUES (9, 'not yet')")
        defer { writer.close() }
        var reader: StoreReader?
        let prepared = try StatementTally.prepared {
            reader = try StoreReader.open(at: store.location.store, identity: SampleStore.one)
        }
        defer { reader?.close() }
        let opened = try #require(reader)
        var rows: [[Value]] = []
        let ask = { rows = try opened.read { try $0.rows("SELECT id FROM note") } }
        let first = try StatementTally.prepared(ask)
        #expect(rows == [[1], [2], [3]])
        // All of them but its own, settings included.
        #expect((1...10).contains(prepared.count + first.count - 1), "\(prepared) \(first)")
        // From then on a read costs its own statements.
        let second = try StatementTally.prepared(ask)
        #expect(second.isEmpty, "\(second)")
        #expect(!(prepared + first).contains { $0.contains("IMMEDIATE") || $0.hasPrefix("INSERT") || $0.hasPrefix("UPDATE") })
    }
}
#endif
