import StoreSQLite
import StoreShared

/// What can still be told of a store that is to be restored into, however damaged its own tables are.
struct LiveStore {
    /// Nil for an empty database, and where it cannot be understood.
    private(set) var metadata: StoreMetadata?
    /// Its identity, where at least that can be read.
    private(set) var storeID: String?
    private(set) var epoch: Int64 = 0
    private(set) var generation: Int64 = 0
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
        func count(_ number: Int64?) -> Int64 { number.flatMap { (0...StoreMetadata.highestCount).contains($0) ? $0 : nil } ?? 0 }
        storeID = value("store_id").flatMap { $0.utf8.count == 32 ? $0 : nil }
        epoch = count(value("epoch").flatMap { Int64($0) })
        generation = count(try StoreMetadata.generation(of: connection))
    }

    /// The rows of one of our tables; none where it is gone or another one.
    static func rows(_ connection: Connection, _ sql: String) throws -> [[Value]] {
        do {
            return try connection.rows(sql)
        } catch let error as SQLiteError where [.error, .corrupt].contains(error.code.primary) {
            return []
        }
    }
}
