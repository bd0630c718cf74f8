import Foundation
import Synchronization
import Testing

@testable import StoreSQLite

/// Copying the log into the database.
@Suite("The log")
struct LogTests {
    /// A database in WAL mode whose table and rows are in the log alone.
    private final class Database {
        let path: String
        let writer: Connection

        init() throws {
            path = NSTemporaryDirectory() + "log-\(UUID().uuidString).db"
            writer = try Connection(path: path, access: .create)
            try writer.keepWriteAheadLog()
            try writer.keepFromCheckpointingOnClose()
            writer.setAutomaticCheckpoint(pages: 0)
            try writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(a)")
            try fill(writer)
        }

        func fill(_ connection: Connection) throws {
            try connection.execute(
                "WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 50) INSERT INTO t SELECT hex(randomblob(1000)) FROM n")
        }

        /// Another process's, as far as SQLite can tell.
        func other(busyTimeout: Duration = .zero) throws -> Connection {
            let connection = try Connection(path: path, access: .readWrite, busyTimeout: busyTimeout)
            try connection.keepFromCheckpointingOnClose()
            connection.setAutomaticCheckpoint(pages: 0)
            return connection
        }

        /// Bytes; asked by name, without opening the file.
        func size(_ suffix: String = "") throws -> Int {
            try #require(try FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? Int)
        }

        deinit {
            writer.close()
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
    }

    @Test func `is not copied while another connection writes, as SQLite by itself would`() throws {
        let database = try Database()
        let other = try database.other()
        let before = try database.size()
        try database.writer.beginWriting()
        #expect(try !other.truncateLog())
        #expect(try database.size() == before)
        // What is avoided: SQLite copies, though it cannot have the write lock, and then says that it was busy.
        #expect(try other.scalar("PRAGMA wal_checkpoint(TRUNCATE)") == 1)
        #expect(try database.size() > before)
        database.writer.rollback()
        #expect(try other.truncateLog())
        #expect(try database.size("-wal") == 0)
        #expect(try other.scalar("SELECT count(*) FROM t") == 50)
        other.close()
    }

    @Test func `is kept while a reader needs it, and the connection goes on as before`() throws {
        let database = try Database()
        let reader = try database.other()
        try reader.execute("BEGIN; SELECT count(*) FROM t")
        try database.fill(database.writer)
        let before = try database.size()
        #expect(try !database.writer.truncateLog())
        #expect(try database.size() == before)
        // Nothing stays interrupted, and it waits for locks as long as before.
        #expect(try database.writer.scalar("SELECT count(*) FROM t") == 100)
        #expect(try database.writer.scalar("PRAGMA busy_timeout") == 5000)
        try reader.execute("COMMIT")
        #expect(try database.writer.truncateLog())
        reader.close()
    }

    @Test func `is copied by a commit that finds it long, unless a reader needs it`() throws {
        let database = try Database()
        let reader = try database.other()
        try reader.execute("BEGIN; SELECT count(*) FROM t")
        database.writer.setAutomaticCheckpoint(pages: 10)
        let before = try database.size()
        try database.fill(database.writer)
        #expect(try database.size() == before)
        #expect(try database.writer.scalar("SELECT count(*) FROM t") == 100)
        try reader.execute("COMMIT")
        try database.fill(database.writer)
        let copied = try database.size()
        #expect(copied > before)
        database.writer.setAutomaticCheckpoint(pages: 0)
        try database.fill(database.writer)
        #expect(try database.size() == copied)
        #expect(try reader.scalar("SELECT count(*) FROM t") == 200)
        reader.close()
    }

    /// Each try looks through the whole log: one for each commit would cost more and more while a reader stays.
    @Test func `is not tried again by each commit while a reader needs it`() throws {
        let database = try Database()
        let reader = try database.other()
        try reader.execute("BEGIN; SELECT count(*) FROM t")
        database.writer.setAutomaticCheckpoint(pages: 20)
        let before = database.writer.counts
        for _ in 0..<200 { try database.writer.run("INSERT INTO t VALUES ('row')") }
        let pages = Int(try #require(try database.writer.rows("PRAGMA wal_checkpoint(PASSIVE)").first?[1].integer))
        let tries = (database.writer.counts - before).copies
        #expect(pages >= 200 && tries > 0 && tries <= pages / 20, "\(tries) tries, \(pages) pages")
        try reader.execute("COMMIT")
        for _ in 0..<20 { try database.writer.run("INSERT INTO t VALUES ('row')") }
        #expect(try database.writer.truncateLog())
        reader.close()
    }

    /// One that writes and copies, and one that only copies, as an owner beside the one that has superseded it.
    @Test func `may be copied beside a writer`() async throws {
        let database = try Database()
        let path = database.path
        database.writer.setAutomaticCheckpoint(pages: 4)
        try database.writer.execute("PRAGMA synchronous = OFF; DELETE FROM t; CREATE INDEX i ON t(a)")
        let copies = Mutex(0)
        let copier = Task.detached {
            let connection = try Connection(path: path, access: .readWrite)
            try connection.keepFromCheckpointingOnClose()
            defer { connection.close() }
            while !Task.isCancelled {
                if try connection.truncateLog() { copies.withLock { $0 += 1 } }
                await Task.yield()
            }
        }
        var rows: Int64 = 0
        while rows < 2000 || copies.withLock({ $0 < 50 }) {
            try database.writer.run("INSERT INTO t VALUES (hex(randomblob(200)))")
            rows += 1
            if rows.isMultiple(of: 10) { await Task.yield() }
            try #require(rows < 1_000_000)
        }
        copier.cancel()
        try await copier.value
        let other = try database.other()
        #expect(try other.scalar("PRAGMA integrity_check") == "ok")
        #expect(try other.scalar("SELECT count(*) FROM t") == .integer(rows))
        other.close()
    }
}
