import StoreSQLite
import StoreShared

/// What can still be told of a store that is to be restored into or adopted, however damaged its own tables are.
package struct LiveStore: Sendable {
    /// Nil for an empty database, and where it cannot be understood.
    private(set) var metadata: StoreMetadata?
    /// Its identity, where at least that can be read.
    private(set) var storeID: String?
    private(set) var epoch: Int64 = 0
    /// `PRAGMA user_version`, whatever it is.
    private(set) var generation: Int64 = 0
    /// Where a batched stage leads that has not come to its end.
    private(set) var target: SchemaVersion?
    /// Why it cannot be understood; what it holds is kept before it is replaced.
    private(set) var damage: String?

    /// Looks from inside a read transaction.
    ///
    /// - Parameter wasStore: whether something beside it says that a store was here.
    /// - Throws: `StoreError.foreign` for a database of somebody else; `SQLiteError` for what is no database.
    init(_ connection: Connection, wasStore: Bool) throws {
        let path = connection.path
        do {
            metadata = try StoreMetadata.read(connection)
        } catch let error as StoreError {
            damage = error.message
        } catch let error as SQLiteError where error.code.primary == .error {
            // The table has other columns than ours.
            damage = error.message
        }
        if let metadata {
            (storeID, epoch, generation) = (metadata.storeID, metadata.epoch, metadata.generation)
            target = metadata.target?.version
            return
        }
        if damage == nil {
            if try connection.scalar("SELECT 1 FROM sqlite_schema LIMIT 1") == nil { return }
            guard wasStore else {
                throw StoreError(
                    .foreign, "\(path) is a database, but no store of Storekeeper",
                    remedy: "move it away with its -wal and -shm, then restore", path: path)
            }
            damage = "it has no metadata"
        }
        func value(_ key: String) -> String? {
            (try? connection.scalar("SELECT value FROM storekeeper_metadata WHERE key = ?", .text(key)))?.flatMap(\.text)
        }
        storeID = value("store_id").flatMap { $0.utf8.count == 32 ? $0 : nil }
        epoch = value("epoch").flatMap { Int64($0) }.flatMap { (0...StoreMetadata.highestEpoch).contains($0) ? $0 : nil } ?? 0
        generation = try StoreMetadata.generation(of: connection)
        target = value("target").flatMap { SchemaIdentity($0) }?.version
    }

    /// The generation, unless it is damaged or the last: nothing can go beyond that.
    var usableGeneration: Int64 { (0..<StoreMetadata.generations.upperBound - 1).contains(generation) ? generation : 0 }

    /// The rows of one of our tables; none where it is gone or another one.
    static func rows(_ connection: Connection, _ sql: String) throws -> [[Value]] {
        do {
            return try connection.rows(sql)
        } catch let error as SQLiteError where [.error, .corrupt].contains(error.code.primary) {
            return []
        }
    }
}
