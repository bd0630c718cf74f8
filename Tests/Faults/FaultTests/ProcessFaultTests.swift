#if STORE_FAULTS
import FaultHarness
import FaultPlan
import Foundation
import ProcessHarness
import StoreMigration
import StoreReader
import StoreSQLite
import StoreShared
import Testing

/// Processes that run out of something, stop, race or lie: numbers 12 to 16, 21, 24, 28 and 29 of the list of fault tests.
@Suite struct ProcessFaultTests {
    @Test func fault12_aProcessIsOutOfDescriptors() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2))
        // The reader: it is not the store that is missing.
        try stage(.fail("r1", call: "sqlite:open", number: 24, after: 0, times: 100), .open("r1", 1))
        #expect(stage.answer("r1").hasPrefix("error system") && stage.answer("r1").contains("too many open files"), "\(stage.answer("r1"))")
        try stage(.mend("r1"), .open("r1", 1), .read("r1"))
        #expect(stage.answer("r1").hasPrefix("ok"))
        // The owner: newcomers are turned away, and served again afterwards.
        try stage(.fail("o1", call: "accept4", number: 24, after: 0, times: 1))
        var answers = 0
        for _ in 0..<5 {
            guard let client = try? LineClient(stage.location, until: .after(.seconds(5))) else { continue }
            try? client.send(MessageCoding.line(Hello(role: .shell, wanted: nil)), until: .after(.seconds(5)))
            if case .line = client.receive(until: .after(.seconds(5))) { answers += 1 }
        }
        #expect(answers >= 3)
        try stage.end()
    }

    @Test func fault13_noWatchIsLeft() throws {
        let stage = try FaultStage()
        try stage(
            .own("o1", 1), .kill("o1"), .fail("r1", call: "inotify_init1", number: 24, after: 0, times: 1000), .open("r1", 2, wait: 20_000))
        #expect(stage.said("r1", "reader subscribing ticking"))
        try stage(.own("o1", 2))
        try stage.run.wait(for: "the tick") { stage.said("r1", "reader judging storeReady") }
        try stage.end()
    }

    @Test(arguments: [true, false]) func fault14_theWatchIsOverrun(byTheFolderBeingMoved: Bool) throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .closeOwner("o1"))
        try stage(.trap("r1", "hold", at: "reader judging storeMayBecomeReady"), .open("r1", 2, wait: 20_000))
        if byTheFolderBeingMoved {
            let moved = stage.location.keeper + ".moved"
            try System.rename(stage.location.keeper, to: moved)
            try stage(.own("o1", 2))
            removeFolder(moved)
        } else {
            // More events than the queue takes.
            let path = stage.location.keeper + "/noise"
            for _ in 0..<20_000 {
                _ = try System.open(path, [.readWrite, .create], mode: 0o600)
                try System.unlink(path)
            }
            try stage(.own("o1", 2))
        }
        try stage(.release("r1"))
        try stage.run.wait(for: "the waiter to see it") { stage.said("r1", "reader judging storeReady") }
        try stage.end()
    }

    private func removeFolder(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Both have looked, neither has the lock: exactly one gets it, again and again. And where a third party deletes the file between opening
    /// and locking, the inode tells.
    @Test func fault15_twoOwnersStartTogether() throws {
        for round in 0..<25 {
            let stage = try FaultStage()
            let both = ["o1", "o2"]
            for owner in both { try stage(.trap(owner, "hold", at: "owner looking storeFits"), .own(owner, 1)) }
            try stage(.releaseAll)
            try stage.run.wait(for: "both answers") {
                both.allSatisfy { stage.answer($0).hasPrefix("ok epoch") || stage.answer($0).hasPrefix("error") }
            }
            #expect(both.count { stage.answer($0).hasPrefix("ok epoch") } == 1, "round \(round)")
            #expect(both.count { stage.answer($0).hasPrefix("error ownedByAnother") } == 1, "round \(round)")
            try stage.end()
        }
        let stage = try FaultStage()
        try stage(.swapLock("o1"), .own("o1", 1), .own("o2", 1))
        #expect(stage.said("o1", "owner locking lockReplaced"))
        // It waits until it is told that the other is there.
        try stage.run.wait(for: "the second owner's answer") { !stage.answer("o2").isEmpty }
        #expect(stage.answer("o2").hasPrefix("error ownedByAnother"))
        try stage.end()
    }

    @Test func fault16_theSocketsPlaceIsTaken() throws {
        let stage = try FaultStage()
        // A socket that a killed owner left.
        try stage(.own("o1", 1), .kill("o1"))
        #expect(try System.linkStat(stage.location.socket).kind == .socket)
        try stage(.own("o2", 1))
        #expect(try stage.answers())
        try stage(.closeOwner("o2"))
        // A plain file: named, and left alone.
        _ = try System.open(stage.location.socket, [.readWrite, .create], mode: 0o600)
        #expect(try stage.unchecked("o3", "own target=1").contains(stage.location.socket))
        #expect(try System.linkStat(stage.location.socket).kind == .regular)
        try System.unlink(stage.location.socket)
        try stage.end()
        // A path that is too long for an address.
        let folder = try TemporaryFolder(in: "/dev/shm")
        let long = folder(String(repeating: "long", count: 30))
        try FileManager.default.createDirectory(atPath: long, withIntermediateDirectories: false)
        let location = try StoreLocation(path: long + "/" + String(repeating: "store", count: 20))
        try location.prepareFolder()
        let server = try LineServer(
            listener: try UnixSocket.listen(location, epoch: 1),
            handler: LineServer.Handler(line: { _, _ in LineServer.Answer(lines: [[65]]) }, closed: { _ in }))
        #expect(try FaultStage.answers(location))
        server.close()
    }

    /// A child that outlives the owner has nothing of it: neither lock nor socket nor store.
    @Test func fault21_theOwnersChildOutlivesIt() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2))
        let answer = try stage.unchecked("o1", "spawn-child")
        let child = try #require(answer.split(separator: "=").last.flatMap { Int32($0) })
        defer { kill(child, SIGKILL) }
        let inherited = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(child)/fd")
            .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(child)/fd/\($0)") }
        #expect(!inherited.contains { $0.contains(stage.location.store) }, "\(inherited)")
        try stage(.kill("o1"), .own("o2", 1))
        #expect(stage.answer("o2").hasPrefix("ok"))
        try stage.end()
    }

    @Test(arguments: [86_400, -86_400]) func fault24_theClockJumps(_ seconds: Int) throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2), .open("r1", 2, wait: 20_000))
        // In one that waits, and in the owner: before a migration, and in the middle of one.
        try stage(.clock("r1", seconds: seconds), .clock("o1", seconds: seconds))
        #expect(stage.answer("r1").isEmpty)
        try stage(.trap("o1", "hold", at: "owner serving planGiven"), .migrate("o1", 2))
        try stage(.clock("o1", seconds: 2 * seconds), .release("o1"))
        try stage.run.wait(for: "the waiter") { stage.answer("r1").hasPrefix("ok") }
        // One that waits in vain ends by its own clock, not by that one.
        try stage(.open("r2", 3, wait: 300), .clock("r2", seconds: seconds))
        #expect(stage.run.isAlive("r2"))
        try stage.run.wait(for: "the waiter to give up") { stage.answer("r2").hasPrefix("error timedOut") }
        // One that waits to own, too; and a budget.
        try stage(.clock("o2", seconds: seconds), .own("o2", 2, wait: 300))
        try stage.run.wait(for: "the second owner to give up") { stage.answer("o2").hasPrefix("error ownedByAnother") }
        try stage(.hold("r1"), .clock("r1", seconds: 2 * seconds), .release("r1"))
        #expect(stage.answer("r1").hasPrefix("ok"))
        try stage(.kill("o1"), .own("o2", 2))
        #expect(stage.answer("o2").hasPrefix("ok"))
        try stage.end()
    }

    /// `SELECT *` is compiled again without a word by SQLite, with other columns: the check in the snapshot is all that keeps a reader from it.
    @Test func fault28_columnsChangeUnderPreparedStatements() throws {
        let folder = try TemporaryFolder(in: "/dev/shm")
        let location = try StoreLocation(path: folder("notes.store"))
        try location.prepareFolder()
        let writer = try Connection(path: location.store, access: .create)
        defer { writer.close() }
        try writer.keepWriteAheadLog()
        try writer.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
        let identities = [1, 2].map { SchemaIdentity(version: SchemaVersion($0, 0, 0), fingerprint: Fingerprint(of: "\($0)")) }
        func become(_ index: Int, _ generation: Int64) throws {
            try writer.writing {
                if generation == 1 {
                    for statement in StoreMetadata.createStatements { try writer.execute(statement) }
                    try writer.execute("CREATE TABLE note(id INTEGER PRIMARY KEY, a TEXT, b TEXT); INSERT INTO note(a, b) VALUES('a', 'b')")
                } else {
                    let (old, new) = index == 1 ? ("a", "c") : ("c", "a")
                    try writer.execute("ALTER TABLE note RENAME COLUMN \(old) TO \(new); UPDATE note SET b = '\(new)'")
                }
                let shape = try RelationalSchema.read(writer).shape(.sql)
                try StoreMetadata(
                    storeID: "0123456789abcdef0123456789abcdef", frontEnd: "sql", version: identities[index].version,
                    fingerprint: try #require(identities[index].fingerprint), shape: shape, readableBy: [identities[index]], epoch: 1,
                    generation: generation
                ).write(writer)
            }
        }
        try become(0, 1)
        let readers = try identities.prefix(1).map { try StoreReader.open(at: location.store, identity: $0) }
        var (read, refused) = (0, 0)
        for generation in Int64(2)...1000 {
            try become(generation.isMultiple(of: 2) ? 1 : 0, generation)
            for reader in readers {
                do {
                    let row = try reader.rows("SELECT * FROM note")
                    #expect(row == [[1, "a", generation == 1 ? "b" : "a"]])
                    read += 1
                } catch let error as StoreError {
                    #expect(error.code == .storeTooNew)
                    refused += 1
                }
            }
        }
        #expect(read == 499 && refused == 500)
    }

    /// A second connection that copies the log corrupts the store on a SQLite without the fix of the WAL-reset bug; so nobody but the owner
    /// has one that can.
    @Test func fault29_nobodyElseCanCopyTheLog() throws {
        let stage = try FaultStage(pace: 1)
        try stage(.own("o1", 1), .write("o1", 3))
        let log = try System.stat(stage.location.store + "-wal").size
        #expect(log > 0)
        let reader = try StoreReader.open(at: stage.location.store, identity: try FaultPlan.identity(1))
        for mode in ["PASSIVE", "FULL", "RESTART", "TRUNCATE"] {
            #expect(throws: (any Error).self) { try reader.rows("PRAGMA wal_checkpoint(\(mode))") }
        }
        #expect(throws: (any Error).self) { try reader.rows("DELETE FROM note") }
        reader.close()
        #expect(try System.stat(stage.location.store + "-wal").size == log)
        print("SQLite \(Connection.libraryVersion) \(Connection.hasWALResetFix ? "has" : "lacks") the fix of the WAL-reset bug")
        try stage.end()
    }
}
#endif
