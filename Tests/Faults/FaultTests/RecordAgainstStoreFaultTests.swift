#if STORE_FAULTS
import FaultHarness
import FaultPlan
import StoreMigration
import StoreReader
import StoreShared
import Testing

/// The table of record against store: what each disagreement means, what a reader does, what the next owner does.
@Suite struct RecordAgainstStoreFaultTests {
    @Test func theRecordIsBehind() throws {
        let stage = try FaultStage()
        // Kept by the harness at the first damage, and put back by the second.
        try stage(.own("o1", 1), .write("o1", 2), .damageRecord(.removed), .migrate("o1", 2), .kill("o1"), .damageRecord(.older))
        #expect(stage.record?.version?.major == 1)
        #expect(try stage.verdict(2) == .ready)
        #expect(try stage.verdict(2, strict: true) == .disagreement)
        #expect(try stage.verdict(1) == .tooNew)
        try stage(.open("r1", 2), .read("r1"), .own("o2", 2))
        #expect(stage.record?.version?.major == 2)
        try stage.end()
    }

    @Test func aMigrationRuns() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 3), .write("o1", 2), .open("r1", 3), .hold("r1"))
        // Before the commit, with the record written: readers are being asked to leave.
        try stage(.trap("o1", "hold", at: "owner migrating drainAsked"), .migrate("o1", 4))
        #expect(stage.record?.state == .migrating)
        #expect(try stage.verdict(3) == .ready)
        #expect(try stage.verdict(4) == .migrating)
        try stage(.release("r1"), .release("o1"))
        try stage.end()
    }

    @Test func theOwnerDiedBeforeTheCommit() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2), .die("o1", call: "statvfs", after: 0), .migrate("o1", 2))
        #expect(stage.record?.state == .migrating)
        #expect(try stage.verdict(1) == .ready)
        #expect(try stage.verdict(2) == .outdated)
        let error = try #require(try judge(stage.location, for: try FaultPlan.identity(2)).error)
        #expect(error.message.contains("ended in the middle of a migration"), "\(error)")
        try stage(.own("o2", 2))
        #expect(stage.said("o2", "owner claiming interruptionFound"))
        try stage.end()
    }

    @Test func theOwnerDiedAfterTheCommit() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2), .trap("o1", "kill", at: "owner migrating committed"), .migrate("o1", 2))
        #expect(stage.record?.state == .migrating)
        #expect(try stage.verdict(2) == .ready)
        try stage(.own("o2", 2))
        #expect(stage.said("o2", "owner opening storeUpToDate"))
        #expect(stage.record?.state == .ready && stage.record?.version?.major == 2)
        try stage.end()
    }

    /// What `synchronous=NORMAL` would do with the power: the store went back. It is said, and the next owner goes on beyond.
    @Test func theStoreWentBack() throws {
        let stage = try FaultStage(pace: 1, cutsPower: true)
        try stage(.own("o1", 1), .write("o1", 2), .closeOwner("o1"), .kill("o1"))
        try stage.run.copyStore(to: "before")
        try stage(.own("o1", 2), .kill("o1"))
        let published = try #require(stage.record)
        try stage.run.copyStore(from: "before")
        #expect(try stage.store().version.major == 1)
        for version in [1, 2] { #expect(try stage.verdict(version) == .disagreement) }
        stage.run.forgetGenerations()
        try stage(.own("o2", 2))
        let now = try stage.store()
        #expect(now.version.major == 2 && now.generation > published.generation && now.epoch > published.epoch)
        #expect(try stage.verdict(2) == .ready)
        try stage.end()
    }

    /// A backup put back is a later epoch and a later generation: everybody judges again.
    @Test func theStoreWasRestored() throws {
        let stage = try FaultStage()
        try stage(
            .own("o1", 2, backups: true), .write("o1", 2), .closeOwner("o1"), .own("o1", 3, backups: true), .open("r1", 3), .read("r1"))
        let before = try stage.store()
        try stage(.restore("o1"))
        let now = try stage.store()
        #expect(now.version.major == 2 && now.generation > before.generation && now.epoch > before.epoch)
        try stage(.read("r1"))
        #expect(stage.answer("r1").hasPrefix("error outdated"))
        try stage.end()
    }

    @Test(arguments: Step.RecordDamage.allCases) func theRecordIsNotToBeBelieved(_ damage: Step.RecordDamage) throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2), .kill("o1"), .damageRecord(damage))
        #expect(try stage.verdict(1) == .ready)
        #expect(try stage.verdict(2) == .outdated)
        try stage(.open("r1", 1), .read("r1"), .own("o2", 1))
        #expect(stage.record?.state == .ready && stage.record?.epoch == 2)
        try stage.end()
    }

    @Test func theStoreIsNewer() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 4), .write("o1", 2), .kill("o1"))
        #expect(try stage.verdict(1) == .tooNew)
        let before = try stage.run.contentsOfFiles()
        try stage(.own("o2", 1))
        #expect(stage.answer("o2").hasPrefix("error storeTooNew"))
        #expect(try stage.run.contentsOfFiles() == before)
        try stage.end()
    }
}
#endif
