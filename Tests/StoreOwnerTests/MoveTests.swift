import Foundation
import StoreMigration
import StoreReader
import StoreSQLite
import StoreShared
import Testing

@testable import StoreOwner

/// `StoreOwner.move(from:to:)`.
@Suite struct MoveTests {
    /// A store at 1.0.0 with two notes and a backup, nobody at home, and a folder to move it to.
    private final class Places {
        let fixture: OwnerFixture
        let old: String
        let new: StoreLocation

        init() throws {
            fixture = try OwnerFixture()
            try fixture.makeStore()
            old = fixture.location.store
            let folder = fixture.folder.appendingPathComponent("group")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            new = try StoreLocation(path: folder.appendingPathComponent("moved.store").path)
            try StoreBackup.prepareFolder(at: fixture.location)
            let connection = try Connection(path: old, access: .readOnly)
            defer { connection.close() }
            try StoreCopy(to: fixture.location.backups + "/manual-1.store").make(
                from: connection, of: nil, mode: 0o600, tick: { true }, progress: { _, _ in })
        }

        @discardableResult
        func move() throws -> Bool { try StoreOwner.move(from: old, to: new.store) }

        func titles(_ path: String) throws -> [String?] {
            let connection = try Connection(path: path, access: .readOnly)
            defer { connection.close() }
            return try connection.rows("SELECT title FROM note ORDER BY id").map { $0[0].text }
        }

        func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

        /// Whether everything is at the new place, and nothing at the old one but the lock file.
        func checkMoved(_ titles: [String] = ["a", "b"]) throws {
            #expect(try self.titles(new.store) == titles)
            #expect(try self.titles(new.backups + "/manual-1.store") == ["a", "b"])
            #expect(PublishedRecord.read(from: new).record?.state == .closed)
            for suffix in ["", "-wal", "-shm", "-journal"] { #expect(!exists(old + suffix)) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: old + ".keeper") == ["owner.lock"])
            #expect(!exists(StoreMoveMark.path(at: new)))
            try MoveTests.add("later", at: new).close()
            #expect(try self.titles(new.store) == titles + ["later"])
        }
    }

    /// Opens a store as its owner and adds a note.
    fileprivate static func add(_ title: String, at location: StoreLocation) throws -> StoreOwner {
        let owner = try StoreOwner.open(at: location, plan: try OwnerFixture.plan1)
        try owner.write { try $0.run("INSERT INTO note(title) VALUES (?)", .text(title)) }
        return owner
    }

    @Test func aStoreMovesWithItsBackupsAndIsOpenedThere() throws {
        let places = try Places()
        let before = try #require(places.fixture.record)
        #expect(try places.move())
        let after = try #require(PublishedRecord.read(from: places.new).record)
        #expect(after.storeID == before.storeID && after.generation == before.generation && after.epoch == before.epoch)
        #expect(try !places.move())
        try places.checkMoved()
    }

    @Test func whatIsNoBackupStaysWithItsFolder() throws {
        let places = try Places()
        let own = places.fixture.location.backups + "/mine"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
        #expect(try places.move())
        #expect(try FileManager.default.contentsOfDirectory(atPath: places.fixture.location.backups) == ["mine"])
        #expect(try places.titles(places.new.backups + "/manual-1.store") == ["a", "b"])
    }

    /// What only the log holds belongs to the store.
    @Test func whatAKilledOwnerLeftInTheLogMovesToo() async throws {
        let places = try Places()
        let path = places.old
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let owner = try MoveTests.add("in the log", at: StoreLocation(path: path))
            _ = withExtendedLifetime(owner) { raise(SIGKILL) }
        }
        #expect(try #require(FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int) > 0)
        try places.move()
        try places.checkMoved(["a", "b", "in the log"])
    }

    @Test func aMoveIsRefusedWhileAnOwnerLivesAtEitherPlace() throws {
        let places = try Places()
        let owner = try StoreOwner.open(at: places.fixture.location, plan: try OwnerFixture.plan1)
        #expect {
            try places.move()
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == .ownedByAnother && error.message.contains(places.old) && error.message.contains(places.new.store)
        }
        owner.close()
        let lock = try #require(try OwnerLock.take(places.new))
        #expect {
            try places.move()
        } throws: {
            ($0 as? StoreError)?.code == .ownedByAnother
        }
        lock.release()
        #expect(try places.titles(places.old) == ["a", "b"] && !places.exists(places.new.store))
        try places.move()
        try places.checkMoved()
    }

    @Test(arguments: ["", "-wal", "-journal", ".keeper/record", ".keeper/backups/other.store"])
    func aMoveIsRefusedWhereSomethingLies(_ suffix: String) throws {
        let places = try Places()
        let path = places.new.store + suffix
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        #expect {
            try places.move()
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == .unsuitablePlace && error.message.contains(places.old) && error.message.contains(path)
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        #expect(try places.titles(places.old) == ["a", "b"])
    }

    @Test func whatIsNoStoreIsNotMoved() throws {
        let fixture = try OwnerFixture()
        let new = fixture.folder.appendingPathComponent("new.store").path
        let old = fixture.location.store
        #expect {
            try StoreOwner.move(from: old, to: new)
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == .absent && error.message.contains(old) && error.message.contains(new)
        }
        let connection = try Connection(path: old, access: .create)
        try connection.execute("CREATE TABLE mine(a)")
        connection.close()
        #expect {
            try StoreOwner.move(from: old, to: new)
        } throws: {
            ($0 as? StoreError)?.code == .foreign
        }
        #expect(try fixture.ask("SELECT count(*) FROM mine") == [[.integer(0)]])
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) == ["notes.store"])
    }

    /// A folder without permission, a full disk: as they come, the store is where it was and nothing lies at the new place.
    @Test func aCopyThatFailsLeavesTheStoreWhereItWas() throws {
        let places = try Places()
        // A folder in the way of the copied backup.
        let inTheWay = places.new.backups + "/manual-1.store"
        try FileManager.default.createDirectory(atPath: inTheWay, withIntermediateDirectories: true)
        #expect {
            try places.move()
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == .unsuitablePlace && error.message.contains(places.old) && error.message.contains("is where it was")
        }
        #expect(try places.titles(places.old) == ["a", "b"] && !places.exists(places.new.store))
        #expect(!places.exists(StoreMoveMark.path(at: places.new)))
        try FileManager.default.removeItem(atPath: inTheWay)
        try places.move()
        try places.checkMoved()
    }

    /// Kills a process in the middle of a move.
    private func kill(_ places: Places, after step: StoreMoveStep) async {
        let (old, new) = (places.old, places.new.store)
        await #expect(processExitsWith: .signal(SIGKILL)) { [old = old as String, new = new as String, step = step as StoreMoveStep] in
            _ = try StoreOwner.move(from: old, to: new) { if $0 == step { raise(SIGKILL) } }
        }
    }

    @Test(arguments: StoreMoveStep.allCases)
    func aMoveThatIsKilledLosesNothingAndGoesOn(after step: StoreMoveStep) async throws {
        let places = try Places()
        await kill(places, after: step)
        // Until the old store is removed it is the store.
        let isRemoved = step.rawValue >= StoreMoveStep.storeRemoved.rawValue
        #expect(try places.titles(isRemoved ? places.new.store : places.old) == ["a", "b"])
        #expect(places.exists(places.old) == !isRemoved)
        if places.exists(places.new.store), !isRemoved {
            // Nobody takes the copy for the store meanwhile.
            let one = try OwnerFixture.plan1.target.identity
            for error in [
                #expect(throws: StoreError.self) { try StoreOwner.open(at: places.new, plan: try OwnerFixture.plan1) },
                #expect(throws: StoreError.self) {
                    try StoreReader.open(at: places.new.store, identity: one)
                },
            ] {
                #expect(error?.message.contains("the store is still \(places.old)") == true, "\(error as Any)")
            }
        }
        #expect(try places.move() == (step != .removed))
        try places.checkMoved()
    }

    @Test(arguments: StoreMoveStep.allCases.filter { $0.rawValue < StoreMoveStep.storeRemoved.rawValue })
    func whatTheOldPlaceSavedAfterAKilledMoveIsMovedWithIt(after step: StoreMoveStep) async throws {
        let places = try Places()
        await kill(places, after: step)
        try Self.add("after", at: places.fixture.location).close()
        try places.move()
        try places.checkMoved(["a", "b", "after"])
    }

    /// By something else than a program of this package: both may hold what the other lacks, and a person decides.
    @Test func aCopyThatSomebodyHasWrittenIntoIsNeverThrownAway() async throws {
        let places = try Places()
        await kill(places, after: .published)
        let connection = try Connection(path: places.new.store, access: .readWrite)
        try connection.execute("UPDATE storekeeper_metadata SET value = value + 1 WHERE key = 'epoch'")
        connection.close()
        #expect {
            try places.move()
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == .unsuitablePlace && error.message.contains(places.old) && error.message.contains(places.new.store)
        }
        #expect(try places.titles(places.old) == ["a", "b"])
        #expect(try places.titles(places.new.store) == ["a", "b"])
    }

    @Test func whatIsNoDatabaseIsNotMovedAndNothingIsMadeBesideIt() throws {
        let fixture = try OwnerFixture()
        let old = fixture.location.store
        try Data("just a text\n".utf8).write(to: URL(fileURLWithPath: old))
        let error = #expect(throws: StoreError.self) {
            try StoreOwner.move(from: old, to: fixture.folder.appendingPathComponent("new.store").path)
        }
        #expect(error?.message.contains(old) == true, "\(error as Any)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) == ["notes.store"])
    }
}
