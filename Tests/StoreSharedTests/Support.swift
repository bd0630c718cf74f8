import FoundationEssentials
import StoreShared
import Synchronization
import Testing

/// A folder of its own for one test, removed with everything in it.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = "/tmp/store-shared-\(try StoreMetadata.newStoreID())"
        try System.makeFolder(path, mode: 0o755)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func location(_ name: String = "notes.store") throws -> StoreLocation {
        try StoreLocation(path: path + "/" + name)
    }

    /// Writes a file of our own; never one of SQLite's.
    func write(_ bytes: [UInt8], to path: String) throws {
        try? System.unlink(path)
        let file = try System.open(path, [.readWrite, .create], mode: 0o644)
        try System.writeAll(file, bytes, path: path)
    }

    func read(_ path: String) throws -> [UInt8] {
        try System.readAll(try System.open(path, .read), path: path, limit: 1 << 25)
    }
}

extension PublishedRecord {
    static func sample(state: RecordState = .ready, reason: String? = nil) throws -> PublishedRecord {
        let fingerprint = Fingerprint(of: "2.0.0")
        return PublishedRecord(
            storeID: try StoreMetadata.newStoreID(), state: state, version: SchemaVersion(2, 0, 0), fingerprint: fingerprint, generation: 7,
            readableBy: [
                SchemaIdentity(version: SchemaVersion(1, 1, 0), fingerprint: Fingerprint(of: "1.1.0")),
                SchemaIdentity(version: SchemaVersion(2, 0, 0), fingerprint: fingerprint),
            ], epoch: 12, owner: .current(), ownerSince: .now, target: SchemaVersion(3, 0, 0), stage: 2, stages: 3,
            stageName: "2.0.0 to 3.0.0", rowsDone: 120_000, rowsTotal: 1_000_000, migrationStarted: .now, reason: reason)
    }
}

/// Waits for something that another thread does; fails the test when it does not come within 10 seconds.
final class Collected<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    private let bell: Descriptor

    init() throws { bell = try System.eventCounter() }

    func add(_ element: Element) {
        elements.withLock { $0.append(element) }
        System.signal(bell)
    }

    var all: [Element] { elements.withLock { $0 } }

    func wait(for count: Int) throws -> [Element] {
        let deadline = Deadline.after(.seconds(10))
        while all.count < count, !deadline.hasPassed {
            _ = try System.poll([bell.raw], until: deadline)
            System.clear(bell)
        }
        try #require(all.count >= count)
        return all
    }
}
