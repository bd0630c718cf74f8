#if STORE_FAULTS
import FaultHarness
import FaultPlan
import StoreReader
import StoreSQLite
import StoreShared
import Testing

/// Kills and power: numbers 1 to 4 of the list of fault tests.
@Suite struct KillFaultTests {
    /// At every system call and every disk access of SQLite between the start of an owner and its publication, one after the other until
    /// none is left; a reader of the version before is attached.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "stat", "lstat", "fstat", "open", "read", "write", "fsync", "rename", "unlink", "fchmod", "ftruncate",
            "fcntl(F_OFD_SETLK)",
            "bind", "listen", "statvfs", "statfs", "socket", "epoll_ctl", "sqlite:open", "sqlite:pwrite", "sqlite:fdatasync",
        ])
    func fault01_anOwnerIsKilledAtEveryCall(_ call: String) throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 3), .kill("o1"), .open("r1", 1), .read("r1"))
        var kills = 0
        while true {
            try stage(.die("o1", call: call, after: kills), .own("o1", 3))
            let isAlive = stage.run.isAlive("o1")
            if isAlive { break }
            kills += 1
            // Whole at one version or the other, and no reader sees a mixture.
            try stage(.observe, .read("r1"))
            #expect(kills < 2000)
        }
        #expect(kills > 0, "\(call) is never called")
        #expect(try stage.store().version.major == 3)
        print("fault01: \(call): \(kills) kills")
        try stage.end()
    }

    /// Whoever looks first decides whether the commit was made; then it never goes back.
    @Test(arguments: [true, false]) func fault02_anOwnerIsKilledInTheSyncOfItsCommit(aReaderIsAttached: Bool) throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 3))
        if aReaderIsAttached { try stage(.open("r1", 1), .hold("r1")) }
        try stage(.die("o1", call: "sqlite:fdatasync", after: 0), .migrate("o1", 2))
        let seen = try stage.store().generation
        try stage(.observe)
        if aReaderIsAttached {
            try stage(.release("r1"))
            #expect(stage.answer("r1").hasPrefix("ok"))
        }
        try stage(.own("o2", 2))
        #expect(try stage.store().generation >= seen)
        try stage.end()
    }

    /// The files are what was durable: everything that was published and everything whose commit returned. With `synchronous=NORMAL` it is
    /// not, and the same test sees that.
    @Test(arguments: [nil, Planted.commitWithoutSync]) func fault03_thePowerIsCutAfterPublication(_ planted: Planted?) throws {
        // Slowly: a log that is copied meanwhile is made durable with it.
        let stage = try FaultStage(planted: planted, pace: 1, cutsPower: true)
        try stage(.own("o1", 1), .write("o1", 3), .migrate("o1", 2), .write("o1", 2), .powerCut)
        guard planted != nil else {
            try stage(.observe)
            #expect(try stage.store().version.major == 2)
            return try stage.end()
        }
        #expect(throws: Violation.self) { try stage.run.observe() }
    }

    @Test func fault04_anOwnerIsKilledBetweenCommitAndPublication() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 3), .trap("o1", "kill", at: "owner migrating committed"), .migrate("o1", 2))
        #expect(try stage.verdict(2) == .ready)
        // A script that reads the record alone lags.
        #expect(stage.record?.version?.major == 1)
        try stage(.own("o2", 2))
        #expect(stage.record?.version?.major == 2)
        try stage.end()
    }
}
#endif
