#if STORE_FAULTS
import FaultHarness
import FaultPlan
import StoreReader
import StoreShared
import Testing

/// Processes that are stopped: numbers 17 to 20 of the list of fault tests.
@Suite struct StoppedFaultTests {
    @Test func fault17_theOwnerIsStopped() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2), .open("r1", 1), .read("r1"), .stop("o1"))
        // Those who are ready go on; new ones come; who waits gives up in time; nobody takes over.
        try stage(.read("r1"), .open("r2", 1), .read("r2"))
        #expect(stage.answer("r1").hasPrefix("ok") && stage.answer("r2").hasPrefix("ok"))
        let began = ContinuousClock.now
        try stage(.open("r3", 2, wait: 500))
        try stage.run.wait(for: "the waiter to give up") { stage.answer("r3").hasPrefix("error") }
        #expect(stage.answer("r3").hasPrefix("error timedOut"))
        #expect(ContinuousClock.now - began >= .milliseconds(500))
        try stage(.own("o2", 2))
        try stage.run.wait(for: "the second owner to give up") { !stage.answer("o2").isEmpty }
        #expect(stage.answer("o2").hasPrefix("error ownedByAnother"))
        try stage(.open("r3", 2, wait: 20_000), .resume("o1"), .migrate("o1", 2))
        try stage.run.wait(for: "the waiter") { stage.answer("r3").hasPrefix("ok") }
        try stage.end()
    }

    /// Without an exclusive stage the gate is a courtesy: readers go on without it.
    @Test func fault18_whoHoldsTheTurnstileIsStopped() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2), .open("r1", 1))
        let gate = try Gate(owner: stage.location)
        #expect(gate.shut(within: .seconds(10)))
        try stage(.read("r1"))
        #expect(stage.answer("r1").hasPrefix("ok"))
        #expect(stage.said("r1", "reader ready gateMissed"))
        gate.open()
        try stage(.read("r1"))
        #expect(stage.said("r1", "reader ready gatePassed"))
        try stage.end()
    }

    @Test func fault19_aReaderIsStoppedInAnOldSnapshot() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .write("o1", 2), .open("r1", 1), .hold("r1"), .stop("r1"), .migrate("o1", 2))
        #expect(try stage.store().version.major == 2)
        try stage.run.wait(for: "the log to be held up") { stage.said("o1", "owner serving logKept") }
        let reader = try #require(stage.run.processID("r1"))
        #expect(KernelLocks.snapshotHolders(of: stage.location).contains(reader))
        try stage(.kill("r1"))
        try stage.run.wait(for: "the log to be copied") { stage.said("o1", "owner serving logCopied") }
        try stage.end()
    }

    @Test func fault20_aProcessIsStoppedWhileItRebuildsTheIndex() throws {
        let stage = try FaultStage(pace: 1)
        try stage(.own("o1", 1), .write("o1", 2), .kill("o1"))
        #expect(try stage.unchecked("x1", "lock-index").hasPrefix("ok"))
        try stage(.stop("x1"))
        try stage.run.rewriteIndex(headerOnly: true)
        try stage(.open("r1", 1))
        try stage.run.wait(for: "the reader to give up") { stage.answer("r1").hasPrefix("error") }
        let holder = try #require(stage.run.processID("x1"))
        #expect(stage.answer("r1").contains("locked by another process (process \(holder))"), "\(stage.answer("r1"))")
        try stage(.kill("x1"), .open("r1", 1), .read("r1"))
        #expect(stage.answer("r1").hasPrefix("ok"))
        try stage.end()
    }
}
#endif
