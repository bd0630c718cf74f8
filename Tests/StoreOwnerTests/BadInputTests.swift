import Foundation
import StoreMigration
import StoreOwner
import StoreSQLite
import StoreShared
import Testing

/// What is no store of this plan is refused with its name and a remedy, and not one byte of it changes.
@Suite("An owner refuses")
struct BadInputTests {
    private func expectRefusal(
        _ fixture: OwnerFixture, _ code: StoreError.Code, naming parts: String..., plan: MigrationPlan? = nil,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let plan = try plan ?? OwnerFixture.plan1
        let before = try fixture.digest()
        #expect(sourceLocation: location) {
            try StoreOwner.open(at: fixture.location, plan: plan)
        } throws: { error in
            guard let error = error as? StoreError else {
                Issue.record("no StoreError: \(error)", sourceLocation: location)
                return false
            }
            if error.code != code { Issue.record("code \(error.code.rawValue): \(error)", sourceLocation: location) }
            for part in parts where !error.description.contains(part) {
                Issue.record("does not name \(part): \(error)", sourceLocation: location)
            }
            if error.remedy.isEmpty { Issue.record("no remedy: \(error)", sourceLocation: location) }
            return true
        }
        #expect(try fixture.digest() == before, sourceLocation: location)
    }

    @Test func `a folder that does not exist`() throws {
        #expect {
            try StoreLocation(path: "/nowhere/at/all/notes.store")
        } throws: { error in
            (error as? StoreError)?.description.contains("/nowhere/at/all") == true
        }
    }

    @Test func `a folder in the place of the store`() throws {
        let fixture = try OwnerFixture()
        try FileManager.default.createDirectory(atPath: fixture.location.store, withIntermediateDirectories: false)
        try expectRefusal(fixture, .unreadable, naming: fixture.location.store, "folder")
    }

    @Test func `a text file`() throws {
        let fixture = try OwnerFixture()
        try String(repeating: "This is a letter. ", count: 500).write(toFile: fixture.location.store, atomically: false, encoding: .utf8)
        try expectRefusal(fixture, .unreadable, naming: fixture.location.store)
    }

    @Test func `somebody else's database`() throws {
        let fixture = try OwnerFixture()
        let connection = try Connection(path: fixture.location.store, access: .create)
        try connection.execute("CREATE TABLE music(title TEXT); INSERT INTO music VALUES ('x')")
        connection.close()
        try expectRefusal(fixture, .foreign, naming: fixture.location.store)
    }

    @Test func `a store newer than the plan`() throws {
        let fixture = try OwnerFixture()
        try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan2).close()
        try expectRefusal(fixture, .storeTooNew, naming: "2.0.0", "1.0.0")
    }

    @Test func `a store whose schema somebody changed by hand, naming table and column`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let connection = try Connection(path: fixture.location.store, access: .readWrite)
        // A plain last close would remove the log, which whoever opens the store next makes again.
        try connection.keepWriteAheadLog()
        try connection.execute("ALTER TABLE note ADD COLUMN scribble TEXT")
        connection.close()
        try expectRefusal(fixture, .drifted, naming: "note", "scribble")
    }

    @Test func `a store of two hard links`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        try FileManager.default.linkItem(atPath: fixture.location.store, toPath: fixture.folder.path + "/other")
        try expectRefusal(fixture, .unsuitablePlace, naming: "hard links")
    }

    @Test func `a plain file in the place of the socket`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        try "not a socket".write(toFile: fixture.location.socket, atomically: false, encoding: .utf8)
        try expectRefusal(fixture, .unsuitablePlace, naming: fixture.location.socket)
        #expect(try String(contentsOfFile: fixture.location.socket, encoding: .utf8) == "not a socket")
    }

    @Test func `a store whose epoch cannot grow any more`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let connection = try Connection(path: fixture.location.store, access: .readWrite)
        try connection.keepWriteAheadLog()
        try connection.execute("UPDATE storekeeper_metadata SET value = '9223372036854775807' WHERE key = 'epoch'")
        connection.close()
        try expectRefusal(fixture, .unreadable, naming: "epoch")
    }

    @Test func `nothing because of a record whose epoch cannot grow any more`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        var record = try #require(fixture.record)
        record.epoch = .max
        try record.publish(to: fixture.location)
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        #expect(owner.epoch == 2)
        owner.close()
    }

    @Test func `nothing because of a record that is torn`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        try "STORE_RECORD=1\nSTORE_VERS".write(toFile: fixture.location.record, atomically: false, encoding: .utf8)
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        #expect(fixture.record?.state == .ready)
        #expect(try fixture.ask("SELECT count(*) FROM note") == [[2]])
        owner.close()
    }

    @Test func `nothing because of an empty file`() throws {
        let fixture = try OwnerFixture()
        _ = FileManager.default.createFile(atPath: fixture.location.store, contents: nil)
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        #expect(owner.version == SchemaVersion(1, 0, 0))
        owner.close()
    }
}
