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

/// Files that are damaged, foreign, out of reach or full: numbers 5 to 11 of the list of fault tests, 23, 25, 30 and 31.
@Suite struct FileFaultTests {
    private func passwords() throws -> String { try String(contentsOfFile: "/etc/passwd", encoding: .utf8) }

    @Test(arguments: Step.RecordDamage.allCases) func fault05_theRecordIsDamaged(_ damage: Step.RecordDamage) throws {
        let before = try passwords()
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2), .damageRecord(damage), .open("r1", 1), .read("r1"))
        #expect(stage.answer("r1").hasPrefix("ok"))
        // The owner replaces whatever is there.
        try stage(.migrate("o1", 2))
        #expect(stage.record?.version?.major == 2)
        #expect(try System.linkStat(stage.location.record).kind == .regular)
        #expect(try passwords() == before)
        try stage.end()
    }

    enum LogDamage: String, CaseIterable, Sendable { case lastFrameCut, byteFlipped, tenBytes, headerZeroed }

    /// The log lost a commit that was published: everybody is told, and the next owner goes on with a new epoch.
    @Test(arguments: LogDamage.allCases) func fault06_theLogIsDamaged(_ damage: LogDamage) throws {
        // Slowly, so that the log is not copied meanwhile.
        let stage = try FaultStage(pace: 1)
        try stage(.own("o1", 1), .write("o1", 2), .closeOwner("o1"), .kill("o1"), .own("o1", 2), .kill("o1"))
        let published = try #require(stage.record)
        try stage.run.rewrite("-wal") { bytes in
            switch damage {
            case .lastFrameCut: bytes.removeLast(4096 + 24)
            // In the first frame, the commit of the epoch.
            case .byteFlipped: bytes[32 + 24 + 100] ^= 0xFF
            case .tenBytes: bytes = Array(bytes.prefix(10))
            case .headerZeroed: for index in 0..<32 { bytes[index] = 0 }
            }
        }
        try System.unlink(stage.location.store + "-shm")
        #expect(try stage.verdict(2) == .disagreement)
        #expect(try judge(stage.location, for: try FaultPlan.identity(2)).error?.message.contains("went back") == true)
        stage.run.forgetGenerations()
        try stage(.own("o2", 2))
        let now = try stage.store()
        #expect(now.version.major == 2 && now.epoch > published.epoch && now.generation > published.generation)
        try stage.end()
    }

    /// SQLite takes a log for that of the file beside it. What comes of it is no store of this plan: nothing is written.
    @Test func fault07_theLogIsAnotherDatabases() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 2), .write("o1", 2), .closeOwner("o1"), .kill("o1"))
        let other = stage.location.folder + "/other.db"
        let connection = try Connection(path: other, access: .create)
        try connection.keepWriteAheadLog()
        try connection.keepFromCheckpointingOnClose()
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES(1); PRAGMA user_version = 7")
        connection.close()
        try stage.run.rewrite("-wal") { bytes in
            let file = try? System.open(other + "-wal", .read)
            bytes = file.flatMap { try? System.readAll($0, path: other, limit: 1 << 20) } ?? []
        }
        try System.unlink(stage.location.store + "-shm")
        let before = try stage.run.contentsOfFiles()
        let owner = try stage.unchecked("o2", "own target=2")
        #expect(owner.hasPrefix("error"), "\(owner)")
        #expect(["foreign", "unreadable", "drifted"].contains { owner.hasPrefix("error \($0)") }, "\(owner)")
        #expect(try stage.run.contentsOfFiles() == before)
    }

    @Test(arguments: [true, false]) func fault08_theIndexOfTheLogIsSmashed(whileTheOwnerLives: Bool) throws {
        let stage = try FaultStage(pace: 1)
        try stage(.own("o1", 1), .write("o1", 3), .open("r1", 1), .read("r1"))
        if !whileTheOwnerLives { try stage(.kill("o1"), .kill("r1")) }
        try stage.run.rewriteIndex(headerOnly: whileTheOwnerLives)
        try stage(.open("r2", 1))
        // It may have to wait for the owner's next statement, which mends it.
        if whileTheOwnerLives { try stage(.write("o1", 1)) }
        try stage(.open("r2", 1), .read("r2"))
        #expect(stage.answer("r2").hasPrefix("ok"), "\(stage.answer("r2"))")
        try stage.end()
    }

    private static let canChangeUser = geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")
    private static let asNobody = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    private func letIn(_ stage: FaultStage) throws {
        try System.setMode(stage.location.folder, 0o755)
        for suffix in ["", "-wal", "-shm"] { try System.setMode(stage.location.store + suffix, 0o644) }
        try System.setMode(stage.location.keeper, 0o755)
        try System.setMode(stage.location.record, 0o644)
    }

    @Test(.enabled(if: canChangeUser, "only root can be two users"), arguments: ["-wal", "-shm"])
    func fault09_aFileOfTheStoreIsSomebodyElses(_ suffix: String) throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2), .kill("o1"))
        try letIn(stage)
        try System.setMode(stage.location.store + suffix, 0o600)
        let outcome = try run(.storectl, "check", stage.location.store, "--want", "1.0.0", launcher: Self.asNobody)
        #expect(outcome.ending == .exit(8), "\(outcome)")
        #expect(outcome.errors.contains { $0.contains(stage.location.store) && $0.contains("permission") }, "\(outcome)")
        try stage.end()
    }

    @Test(.enabled(if: canChangeUser, "only root can be two users")) func fault10_aReaderThatMayNotWriteReadsWithoutAnOwner() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2), .closeOwner("o1"), .kill("o1"))
        try letIn(stage)
        let outcome = try run(.storectl, "check", stage.location.store, "--want", "1.0.0", launcher: Self.asNobody)
        #expect(outcome.ending == .exit(0), "\(outcome)")
        let status = try run(.storectl, "status", stage.location.store, launcher: Self.asNobody)
        #expect(status.output.contains { $0.contains("owner") && $0.contains("none") }, "\(status)")
        try stage.end()
    }

    /// The disk fills up after each number of writes in turn: undone, served as before, migrated when there is room. The disk itself, filled,
    /// is in `On a full disk` of the owner's tests.
    @Test func fault11_theDiskIsFull() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 5), .open("r1", 1))
        var refusals = 0
        for successes in 0..<60 {
            try stage(.fullDisk("o1", successes: successes), .migrate("o1", 2), .mend("o1"))
            if stage.answer("o1").hasPrefix("ok"), try stage.store().version.major == 2 { break }
            refusals += 1
            try stage(.read("r1"), .write("o1", 1))
            #expect(try stage.store().version.major == 1)
        }
        #expect(refusals > 3)
        try stage(.migrate("o1", 2))
        #expect(try stage.store().version.major == 2)
        try stage.end()
    }

    /// A program that opens the store for writing and closes it last copies the log and removes its files.
    @Test func fault23_anotherProgramClosesLast() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2), .kill("o1"), .open("r1", 1), .read("r1"), .kill("r1"))
        #expect((try? System.stat(stage.location.store + "-wal")) != nil)
        let shell = try Connection(path: stage.location.store, access: .readWrite)
        _ = try shell.scalar("SELECT count(*) FROM note")
        shell.close()
        #expect((try? System.stat(stage.location.store + "-wal")) == nil)
        try stage(.open("r1", 1), .read("r1"), .own("o2", 2), .open("r2", 2), .read("r2"))
        #expect(stage.answer("r2").hasPrefix("ok"))
        try stage.end()
    }

    @Test func fault25_theStoreIsReplacedUnderAReader() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2), .open("r1", 1), .read("r1"), .closeOwner("o1"), .kill("o1"), .idle(milliseconds: 50))
        try stage(.replaceStore, .read("r1"))
        #expect(stage.said("r1", "reader ready fileReplaced"))
        #expect(stage.answer("r1").hasPrefix("ok"))
        // What is committed from now on goes to the new file, and the reader sees it.
        try stage(.own("o2", 1), .write("o2", 1), .read("r1"))
        try stage.end()
    }

    @Test func fault30_anOldOwnerStartsOnANewerStore() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 5), .write("o1", 2), .closeOwner("o1"), .kill("o1"))
        let before = try stage.run.contentsOfFiles()
        for target in 1...4 {
            try stage(.own("o2", target))
            #expect(stage.answer("o2").hasPrefix("error storeTooNew"))
        }
        #expect(try stage.run.contentsOfFiles() == before)
        try stage.end()
    }

    /// This store lies on tmpfs; a file system that is not on the list is refused by name. NFS itself cannot be mounted here.
    @Test func fault31_theFileSystemDecides() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1))
        #expect(stage.answer("o1").hasPrefix("ok"))
        let location = try StoreLocation(path: "/proc/self/notes.store")
        let error = #expect(throws: StoreError.self) { try location.checkFileSystem() }
        #expect(error?.code == .unsuitablePlace)
        try stage.end()
    }
}
#endif
