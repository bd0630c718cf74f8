import Foundation
import PlanHarness
import StoreMigration
import StoreOwner
import StoreSQLite
import StoreShared

/// A temporary folder with a store in it, removed at the end.
final class OwnerFixture {
    let folder: URL
    let location: StoreLocation

    init(_ name: String = "notes.store") throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("owner-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        location = try StoreLocation(path: folder.appendingPathComponent(name).path)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    static let version1 = ["CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT NOT NULL)"]
    static let version2 = ["CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT NOT NULL, words INTEGER)"]

    /// A plan in SQL that leads to the last of the versions, the first of which is 1.0.0, the second 2.0.0…
    static func plan(_ versions: [[String]], stages: [PlannedStage]? = nil) throws -> MigrationPlan {
        let snapshots = try versions.enumerated().map { index, statements in
            try SchemaSnapshot(version: SchemaVersion(index + 1, 0, 0), frontEnd: .sql, statements: statements)
        }
        let inferred = (1..<max(1, versions.count)).map { PlannedStage(from: SchemaVersion($0, 0, 0), to: SchemaVersion($0 + 1, 0, 0)) }
        let plan = try MigrationPlan(versions: snapshots, stages: stages ?? inferred)
        // Stages of a test's own may be made to fail.
        if stages == nil { try ThreeWays(plan).check() }
        return plan
    }

    static var plan1: MigrationPlan { get throws { try plan([version1]) } }
    static var plan2: MigrationPlan { get throws { try plan([version1, version2]) } }

    /// Makes the store at 1.0.0 with two notes in it, nobody at home.
    func makeStore() throws {
        let owner = try StoreOwner.open(at: location, plan: try Self.plan1)
        try owner.write { connection in
            try connection.run("INSERT INTO note(title) VALUES ('a'), ('b')")
        }
        owner.close()
    }

    /// What a connection of its own finds in the store.
    func ask(_ sql: String) throws -> [[Value]] {
        let connection = try Connection(path: location.store, access: .readOnly)
        defer { connection.close() }
        return try connection.rows(sql)
    }

    /// Bytes of the store and of its log, for what must not change.
    ///
    /// Read by a process of its own: closing a descriptor here would drop SQLite's locks.
    func digest() throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "sha256sum \"$0\" \"$0-wal\" 2>/dev/null; ls \"$1\"", location.store, folder.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }

    var record: PublishedRecord? { PublishedRecord.read(from: location).record }
}
