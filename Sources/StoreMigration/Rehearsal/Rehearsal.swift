import StoreSQLite
import StoreShared

/// A migration carried out on a private copy of a store: what it takes, what it changes, and the first refusal.
package struct Rehearsal: Sendable {
    /// Rows of one table before and after; nil where the table is not there.
    package struct Table: Sendable {
        package let name: String
        package let before: Int64?
        package let after: Int64?
    }

    package let from: SchemaVersion
    package let to: SchemaVersion
    /// Of the migration, without the copy.
    package let seconds: Double
    package let bytesBefore: Int64
    package let bytesAfter: Int64
    /// The greatest size of the write-ahead log.
    package let walBytes: Int64
    package let tables: [Table]
    /// Why it did not come to its end.
    package let failure: StoreError?
    /// What a person should know, and that stopped nothing.
    package let warnings: [String]
}

extension Rehearsal {
    /// Copies the store from the snapshot of the caller, migrates the copy and removes it.
    ///
    /// - Parameters:
    ///   - folder: where the copy is made.
    ///   - observer: called on the calling thread, from inside SQLite too.
    /// - Throws: `StoreError` or `SQLiteError` when there is nothing to rehearse with; what the migration itself throws is in the result.
    package static func run(
        _ source: Connection, _ metadata: StoreMetadata, _ plan: MigrationPlan, allowsLoss: Bool, in folder: String,
        cancellation: Cancellation, observer: @escaping (MigrationEvent) -> Void = { _ in }
    ) throws -> Rehearsal {
        let path = StoreCopy.privateName("rehearsal.store", in: folder)
        defer { for suffix in ["", "-journal", "-wal", "-shm"] { try? System.unlink(path + suffix) } }
        try StoreCopy.copy(source, to: path, tick: { !cancellation.isCancelled }, progress: { _, _ in try cancellation.check() })
        let connection = try Connection(path: path, access: .readWrite)
        defer { connection.close() }
        // As the owner's connection, so that time and log are the real ones.
        _ = try connection.scalar("PRAGMA journal_mode = WAL")
        try connection.keepWriteAheadLog()
        try connection.keepFromMapping()
        try connection.execute("PRAGMA synchronous = FULL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY")
        try connection.setForeignKeys(true)
        let (rowsBefore, bytesBefore) = (try rows(connection), try bytes(connection))
        var warnings: [String] = []
        var options = MigrationOptions()
        options.backupsKept = nil
        options.allowsLoss = allowsLoss
        let runner = MigrationRunner(
            connection: connection, location: try StoreLocation(path: path), plan: plan, options: options, cancellation: cancellation,
            observer: { event in
                if case .warning(let text) = event { warnings.append(text) }
                observer(event)
            })
        let started = Timestamp.now
        var failure: StoreError?
        var reached = metadata.version
        do {
            reached = try runner.run(epoch: metadata.epoch, owner: "rehearsal").version
        } catch let error as StoreError {
            if error.code == .cancelled { throw error }
            failure = error
        }
        let seconds = started.seconds()
        let walBytes = (try? System.stat(path + "-wal").size) ?? 0
        let rowsAfter = try rows(connection)
        let names = Set(rowsBefore.keys).union(rowsAfter.keys).sorted(by: SQLName.precedes)
        return Rehearsal(
            from: metadata.version, to: failure == nil ? reached : plan.target.version, seconds: seconds, bytesBefore: bytesBefore,
            bytesAfter: try bytes(connection), walBytes: walBytes,
            tables: names.map { Table(name: $0, before: rowsBefore[$0], after: rowsAfter[$0]) }, failure: failure,
            warnings: warnings)
    }

    private static func rows(_ connection: Connection) throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for table in try RelationalSchema.read(connection).tables {
            counts[table.name] = try connection.scalar("SELECT count(*) FROM \(SQLName.quoted(table.name))")?.integer
        }
        return counts
    }

    private static func bytes(_ connection: Connection) throws -> Int64 {
        (try connection.scalar("PRAGMA page_count")?.integer ?? 0) * (try connection.scalar("PRAGMA page_size")?.integer ?? 4096)
    }
}
