import FoundationEssentials
import StoreMigration
import StoreSQLite
import StoreShared
import Testing

@testable import StoreReader

/// A store in a folder of its own, made and changed as an owner would, without one.
final class SampleStore {
    let folder: String
    let location: StoreLocation
    private(set) var lock: OwnerLock?

    static let one = SchemaIdentity(version: SchemaVersion(1, 0, 0), fingerprint: Fingerprint(of: "one"))
    static let two = SchemaIdentity(version: SchemaVersion(2, 0, 0), fingerprint: Fingerprint(of: "two"))

    init() throws {
        folder = "/tmp/store-reader-\(try StoreMetadata.newStoreID())"
        try System.makeFolder(folder, mode: 0o755)
        location = try StoreLocation(path: folder + "/notes.store")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The one writing connection, as an owner has it.
    func writer() throws -> Connection {
        let connection = try Connection(path: location.store, access: .create)
        try connection.keepWriteAheadLog()
        try connection.keepFromCheckpointingOnClose()
        try connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        return connection
    }

    /// Makes the store at 1.0.0 with three notes.
    @discardableResult
    func make() throws -> Connection {
        try location.prepareFolder()
        let connection = try writer()
        try connection.writing {
            for statement in StoreMetadata.createStatements { try connection.execute(statement) }
            try connection.execute(
                "CREATE TABLE note(id INTEGER PRIMARY KEY, content TEXT); INSERT INTO note VALUES(1,'a'),(2,'b'),(3,'c')")
            try metadata(Self.one, connection, generation: 1).write(connection)
        }
        return connection
    }

    /// Renames a column, as a migration to 2.0.0 does, in one commit.
    func migrate(_ connection: Connection, readableBy: [SchemaIdentity] = []) throws {
        try connection.writing {
            try connection.execute("ALTER TABLE note RENAME COLUMN content TO body")
            try metadata(Self.two, connection, generation: 2, readableBy: readableBy).write(connection)
        }
    }

    func metadata(
        _ identity: SchemaIdentity, _ connection: Connection, generation: Int64, readableBy: [SchemaIdentity] = []
    ) throws -> StoreMetadata {
        let old = try StoreMetadata.read(connection)
        return StoreMetadata(
            storeID: try old?.storeID ?? StoreMetadata.newStoreID(), frontEnd: "sql", version: identity.version,
            fingerprint: try #require(identity.fingerprint), shape: try RelationalSchema.shape(of: connection, .sql),
            readableBy: readableBy + [identity], epoch: (old?.epoch ?? 0) + 1, generation: generation)
    }

    func publish(_ state: RecordState, _ connection: Connection, target: SchemaVersion? = nil, reason: String? = nil) throws {
        let metadata = try #require(try StoreMetadata.read(connection))
        try PublishedRecord(
            storeID: metadata.storeID, state: state, version: metadata.version, fingerprint: metadata.fingerprint,
            generation: metadata.generation, readableBy: metadata.readableBy, epoch: metadata.epoch, owner: .current(), target: target,
            reason: reason
        ).publish(to: location)
    }

    func own() throws { lock = try OwnerLock.take(location) }
    func disown() { lock = nil }
}
