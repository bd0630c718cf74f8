import StoreMigration
import StoreOwner
import StoreReader
import StoreShared
import StoreSQLite
import Synchronization

/// A store that this process owns: writes go through the owner's one connection, reads through pooled ones in checked snapshots.
final class OwnerStorage: ModelStorage {
    let storeIdentifier: String
    let allowsSave = true
    let historyRetention: HistoryRetention?
    private let identity: SchemaIdentity
    private let pool: SnapshotPool
    private let owner: Mutex<StoreOwner?>

    init(_ owner: StoreOwner, identity: SchemaIdentity, retention: HistoryRetention) {
        historyRetention = retention
        storeIdentifier = owner.metadata.storeID
        self.identity = identity
        pool = SnapshotPool(location: owner.location, identity: identity, isOwners: true)
        self.owner = Mutex(owner)
    }

    var commitCount: UInt64 { owner.withLock { UInt64($0?.commitCount ?? 0) } }

    var writeCount: UInt64 { owner.withLock { UInt64($0?.writeCount ?? 0) } }

    var statementCounts: StatementCounts {
        let written = owner.withLock { $0 }.flatMap { try? $0.statementCounts() }
        return pool.counts + (written ?? StatementCounts())
    }

    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try pool.read(budget: nil) { try body($0.equipped()) }
    }

    func write<T>(changing entities: Set<String>, _ body: (Connection) throws -> T) throws -> T {
        guard let owner = owner.withLock({ $0 }) else {
            throw StoreError(
                .closed, "the container of \(pool.location.store) was closed", remedy: "open it again", path: pool.location.store)
        }
        return try owner.write(changing: entities) { connection in
            // Under the write lock, so that no other container of this process can migrate the store in between.
            guard owner.metadata.fingerprint == identity.fingerprint else {
                throw StoreError(
                    .storeTooNew, "\(pool.location.store) has been migrated to \(owner.version) by another container of this process",
                    remedy: "save through a container of that version", path: pool.location.store, storeVersion: owner.version,
                    wantedVersion: identity.version)
            }
            return try body(connection.equipped())
        }
    }

    /// The store closes with the last container that shares its owner.
    func close() {
        pool.close()
        let given = owner.withLock { owner in
            defer { owner = nil }
            return owner
        }
        // Let go outside of the lock: the last reference closes the store.
        _ = given
    }
}
