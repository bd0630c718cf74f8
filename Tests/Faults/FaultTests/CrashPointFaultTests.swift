#if STORE_FAULTS
import FaultHarness
import FaultPlan
import StoreMigration
import StoreReader
import StoreShared
import Testing

/// The table of crash points: where the owner is killed, what is on disk then, what readers see, and that the next owner goes on.
@Suite struct CrashPointFaultTests {
    /// A store at 1.0.0 with three rows, served by o1; r1 reads it.
    private func begun(pace: Int = 10, cutsPower: Bool = false) throws -> FaultStage {
        let stage = try FaultStage(pace: pace, cutsPower: cutsPower)
        try stage(.own("o1", 1), .write("o1", 3), .open("r1", 1), .read("r1"))
        return stage
    }

    private func temporaries(_ stage: FaultStage) throws -> [String] {
        try System.names(in: stage.location.keeper).filter { $0.hasPrefix(".record.") && $0.hasSuffix(".tmp") }
    }

    /// Readers of 1.0.0 read on; those of 2.0.0 hear that nobody is migrating; the next owner migrates.
    private func expectBefore(_ stage: FaultStage) throws {
        #expect(try stage.store().version.major == 1)
        try stage(.read("r1"))
        #expect(stage.answer("r1").hasPrefix("ok"))
        #expect(try stage.verdict(2) == .outdated)
        try stage(.own("o2", 2))
        #expect(try stage.store().version.major == 2)
        #expect(stage.record?.state == .ready)
        #expect(try temporaries(stage).isEmpty)
        try stage.end()
    }

    /// The store is the truth, whatever the record says; the next owner publishes it.
    private func expectAfter(_ stage: FaultStage) throws {
        #expect(try stage.store().version.major == 2)
        try stage(.read("r1"))
        #expect(stage.answer("r1").hasPrefix("error storeTooNew"))
        try stage(.open("r2", 2), .read("r2"))
        #expect(stage.answer("r2").hasPrefix("ok"))
        try stage(.own("o2", 2))
        #expect(stage.record?.version?.major == 2 && stage.record?.state == .ready)
        #expect(try temporaries(stage).isEmpty)
        try stage.end()
    }

    @Test func beforeTheRecordSaysMigrating() throws {
        let stage = try begun()
        try stage(.die("o1", call: "rename", after: 0), .migrate("o1", 2))
        #expect(stage.record?.state == .ready)
        #expect(try temporaries(stage).count == 1)
        try expectBefore(stage)
    }

    @Test func afterTheRecordSaysMigrating() throws {
        let stage = try begun()
        try stage(.die("o1", call: "statvfs", after: 0), .migrate("o1", 2))
        #expect(stage.record?.state == .migrating)
        try expectBefore(stage)
    }

    @Test func insideTheTransaction() throws {
        let stage = try begun()
        try stage(.die("o1", call: "sqlite:pwrite", after: 1), .migrate("o1", 2))
        #expect(stage.record?.state == .migrating)
        try expectBefore(stage)
    }

    /// Frames and commit mark are written: who looks first decides, and then nobody sees anything else.
    @Test(arguments: [true, false]) func insideTheSyncOfTheCommit(aReaderIsAttached: Bool) throws {
        let stage = try begun()
        if !aReaderIsAttached { try stage(.closeReader("r1"), .kill("r1")) }
        try stage(.die("o1", call: "sqlite:fdatasync", after: 0), .migrate("o1", 2))
        #expect(stage.record?.state == .migrating)
        let seen = try stage.store()
        #expect([1, 2].contains(seen.version.major))
        try stage(.own("o2", 1))
        if seen.version.major == 1 { #expect(stage.answer("o2").hasPrefix("ok")) }
        try stage(.own("o3", 2, wait: 0), .closeOwner("o2"), .own("o3", 2))
        #expect(try stage.store().version.major == 2)
        try stage.end()
    }

    @Test func betweenCommitAndPublication() throws {
        let stage = try begun()
        try stage(.trap("o1", "kill", at: "owner migrating committed"), .migrate("o1", 2))
        #expect(stage.record?.state == .migrating && stage.record?.version?.major == 1)
        try expectAfter(stage)
    }

    @Test func betweenTheRecordsTemporaryFileAndItsName() throws {
        let stage = try begun()
        try stage(.die("o1", call: "rename", after: 1), .migrate("o1", 2))
        #expect(stage.record?.version?.major == 1)
        #expect(try temporaries(stage).count == 1)
        try expectAfter(stage)
    }

    /// The record is renamed, its folder not yet durable: a power cut may take the record back, never the store.
    @Test(arguments: [true, false]) func betweenTheRecordsNameAndItsFolder(thePowerIsCut: Bool) throws {
        let stage = try begun(cutsPower: true)
        try stage(.die("o1", call: "fsync", after: 3), .migrate("o1", 2))
        #expect(stage.record?.version?.major == 2)
        if thePowerIsCut {
            try stage(.powerCut)
            #expect(stage.record?.version?.major == 1)
            try stage(.open("r1", 1))
            #expect(stage.answer("r1").hasPrefix("error storeTooNew"))
            try stage(.own("o2", 2))
            #expect(stage.record?.version?.major == 2)
            try stage.end()
        } else {
            try expectAfter(stage)
        }
    }

    /// A waiter at the socket sees its end and judges again.
    @Test func betweenPublicationAndTellingIt() throws {
        let stage = try begun()
        try stage(.open("w1", 2, wait: 20_000), .trap("o1", "kill", at: "owner publishing recordWritten"), .migrate("o1", 2))
        try stage.run.wait(for: "the waiter to be woken") { stage.answer("w1").hasPrefix("ok") }
        // Or it was still about to judge after the last word of the migration, and found the store there.
        #expect(stage.said("w1", "reader waiting ownerEnded") || stage.said("w1", "reader waiting eventCame"))
        #expect(stage.record?.version?.major == 2 && stage.record?.state == .ready)
        try expectAfter(stage)
    }

    /// The store is half copied from a log that is whole; or wholly, and the log is not cut yet.
    @Test(arguments: ["sqlite:pwrite", "sqlite:ftruncate"]) func insideACheckpoint(_ call: String) throws {
        // Slowly, so that there is time between the write and the copying of the log.
        let stage = try begun(pace: 1)
        try stage(.closeReader("r1"))
        while true {
            let copied = stage.times("o1", "owner serving logCopied")
            // Whatever SQLite writes or cuts next is the checkpoint.
            try stage(.write("o1", 3), .die("o1", call: call, after: 0))
            if stage.times("o1", "owner serving logCopied") == copied { break }
            try stage(.mend("o1"))
        }
        try stage.run.wait(for: "the log to be copied") { !stage.run.isAlive("o1") }
        try stage(.open("r1", 1), .read("r1"))
        #expect(stage.answer("r1").hasPrefix("ok"))
        try expectBefore(stage)
    }

    @Test func aCleanEndKeepsTheLogsFiles() throws {
        let stage = try begun()
        try stage(.closeOwner("o1"), .kill("o1"))
        for suffix in ["-wal", "-shm"] { #expect((try? System.stat(stage.location.store + suffix)) != nil, "\(suffix)") }
        try expectBefore(stage)
    }

    /// An empty file is no store yet: readers wait, an owner makes one of it.
    @Test func theFirstCreation() throws {
        let stage = try FaultStage()
        _ = try System.open(stage.location.store, [.readWrite, .create], mode: 0o644)
        #expect(try stage.verdict(1) == .absent)
        // Killed while it is made: in the folder, in the first writes, in the first commit.
        for (call, after) in [
            ("mkdir", 0), ("fallocate", 0), ("sqlite:pwrite", 0), ("sqlite:pwrite", 2), ("sqlite:fdatasync", 0), ("sqlite:fdatasync", 2),
            ("bind", 0),
        ] {
            try stage(.die("o1", call: call, after: after), .own("o1", 1), .kill("o1"))
            // Unreadable with the journal that a kill in the first transaction leaves.
            #expect([.absent, .ready, .unreadable].contains(try stage.verdict(1)), "\(call) \(after)")
        }
        try stage(.own("o1", 1), .write("o1", 2))
        #expect(stage.answer("o1").hasPrefix("ok"))
        try stage.end()
    }
}
#endif
