import Foundation
import StoreMigration
import StoreOwner
import StoreSQLite
import StoreShared
import Testing

/// A small file system of its own, which only root can mount.
private final class SmallDisk {
    let folder: URL

    init?(kibibytes: Int) {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("disk-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", folder.path) else {
            try? FileManager.default.removeItem(at: folder)
            return nil
        }
    }

    deinit {
        _ = Self.run("umount", "-l", folder.path)
        try? FileManager.default.removeItem(at: folder)
    }

    func resize(kibibytes: Int) -> Bool {
        Self.run("mount", "-o", "remount,size=\(kibibytes)k", folder.path)
    }

    static func run(_ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    static let canMount = SmallDisk(kibibytes: 64) != nil
}

@Suite("On a full disk", .enabled(if: SmallDisk.canMount, "a file system can only be mounted by root"))
struct FullDiskTests {
    private func makeStore(on disk: SmallDisk) throws -> StoreLocation {
        let location = try StoreLocation(path: disk.folder.appendingPathComponent("notes.store").path)
        let owner = try StoreOwner.open(at: location, plan: try OwnerFixture.plan1)
        try owner.write { connection in
            for _ in 0..<200 { try connection.run("INSERT INTO note(title) VALUES (hex(randomblob(500)))") }
        }
        owner.close()
        return location
    }

    private func rows(_ location: StoreLocation) throws -> Value? {
        let connection = try Connection(path: location.store, access: .readOnly)
        defer { connection.close() }
        return try connection.scalar("SELECT count(*) FROM note")
    }

    @Test func `a migration is undone, its reason published, and it goes on when there is room`() throws {
        let disk = try #require(SmallDisk(kibibytes: 4096))
        let location = try makeStore(on: disk)
        // Code that writes more than there is room for: no preflight can know it.
        let stage = PlannedStage(
            from: SchemaVersion(1, 0, 0), to: SchemaVersion(2, 0, 0),
            kind: .custom(
                will: { context in
                    for _ in 0..<5000 { try context.connection.run("INSERT INTO note(title) VALUES (hex(randomblob(2000)))") }
                    try context.connection.run("DELETE FROM note WHERE length(title) = 4000")
                }, did: nil))
        let plan = try OwnerFixture.plan([OwnerFixture.version1, OwnerFixture.version2], stages: [stage])
        #expect {
            try StoreOwner.open(at: location, plan: plan)
        } throws: { error in
            (error as? StoreError)?.code == .migrationFailed && "\(error)".contains(location.store)
        }
        let record = PublishedRecord.read(from: location).record
        #expect(record?.state == .failed)
        #expect(record?.version == SchemaVersion(1, 0, 0))
        #expect(try rows(location) == 200)
        #expect(disk.resize(kibibytes: 65536))
        let owner = try StoreOwner.open(at: location, plan: plan)
        #expect(owner.version == SchemaVersion(2, 0, 0))
        #expect(try rows(location) == 200)
        owner.close()
    }

    @Test func `a migration that needs more room than there is is refused before the first write`() throws {
        let disk = try #require(SmallDisk(kibibytes: 1024))
        let location = try makeStore(on: disk)
        // A required column without a constant default is a rebuild: the table is there twice for a while.
        let plan = try OwnerFixture.plan([
            OwnerFixture.version1,
            ["CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT NOT NULL CHECK(length(title) > 0))"],
        ])
        #expect {
            try StoreOwner.open(at: location, plan: plan)
        } throws: { error in
            (error as? StoreError)?.code == .planRefused && "\(error)".contains("bytes")
        }
        #expect(try rows(location) == 200)
        #expect(PublishedRecord.read(from: location).record?.version == SchemaVersion(1, 0, 0))
    }

    @Test func `a write fails alone, and the next one goes on when there is room`() throws {
        let disk = try #require(SmallDisk(kibibytes: 1024))
        let location = try makeStore(on: disk)
        let owner = try StoreOwner.open(at: location, plan: try OwnerFixture.plan1)
        defer { owner.close() }
        #expect(throws: SQLiteError.self) {
            try owner.write { connection in
                for _ in 0..<2000 { try connection.run("INSERT INTO note(title) VALUES (hex(randomblob(2000)))") }
            }
        }
        #expect(try rows(location) == 200)
        #expect(disk.resize(kibibytes: 16384))
        try owner.write { try $0.run("INSERT INTO note(title) VALUES ('room')") }
        #expect(try rows(location) == 201)
    }

    @Test("a store is not moved onto a disk that is too small for it, and is where it was")
    func moving() throws {
        let disk = try #require(SmallDisk(kibibytes: 256))
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        try owner.write { try $0.run("INSERT INTO note(title) VALUES (hex(zeroblob(300000)))") }
        owner.close()
        let new = disk.folder.appendingPathComponent("notes.store").path
        let error = #expect(throws: StoreError.self) { try StoreOwner.move(from: fixture.location.store, to: new) }
        #expect(error?.code == .unsuitablePlace && error?.remedy == "make room there", "\(String(describing: error))")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.folder.path) == ["notes.store.keeper"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: new + ".keeper") == ["owner.lock"])
        #expect(try fixture.ask("SELECT count(*) FROM note") == [[.integer(3)]])
        #expect(disk.resize(kibibytes: 8192))
        #expect(try StoreOwner.move(from: fixture.location.store, to: new))
        let moved = try StoreOwner.open(at: StoreLocation(path: new), plan: try OwnerFixture.plan1)
        #expect(try moved.write { try $0.scalar("SELECT count(*) FROM note") } == .integer(3))
        moved.close()
    }
}
