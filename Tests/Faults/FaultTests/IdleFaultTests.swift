#if STORE_FAULTS
import FaultHarness
import StoreShared
import Testing

/// Who has nothing to do sleeps: counted by the calls that a thread sleeps in, never by time.
@Suite struct IdleFaultTests {
    /// How often an actor's threads have gone to sleep.
    private func sleeps(_ stage: FaultStage, _ actor: String) throws -> Int {
        try ["poll", "epoll_wait"].reduce(0) { try $0 + stage.run.count($1, of: actor) }
    }

    @Test func nobodyWakesForNothing() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .open("r1", 1), .read("r1"), .open("r2", 2, wait: 600_000), .write("o1", 1))
        try stage.run.wait(for: "the log to be copied") { stage.said("o1", "owner serving logCopied") }
        #expect(stage.said("r2", "reader subscribing greeted"))
        // Whoever was woken by that goes to sleep.
        try stage(.idle(milliseconds: 200))
        let (owner, reader, ticks) = (try sleeps(stage, "o1"), try sleeps(stage, "r1"), stage.times("r2", "reader waiting ticked"))
        let began = ContinuousClock.now
        try stage(.idle(milliseconds: 1500))
        let elapsed = ContinuousClock.now - began
        #expect(try sleeps(stage, "o1") == owner)
        #expect(try sleeps(stage, "r1") == reader)
        // Every 5 seconds, which are a tenth of that here.
        #expect(stage.times("r2", "reader waiting ticked") - ticks <= Int(elapsed / .milliseconds(500)) + 1)
        try stage.end()
    }

    /// Without an owner the watch on the folder wakes, and a tick every second, which is a tenth of that here.
    @Test func withTheWatchAloneATickASecondIsAll() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1), .closeOwner("o1"), .kill("o1"), .open("r1", 2, wait: 600_000))
        #expect(stage.said("r1", "reader subscribing watching"))
        let (before, ticks) = (try sleeps(stage, "r1"), stage.times("r1", "reader waiting ticked"))
        let began = ContinuousClock.now
        try stage(.idle(milliseconds: 1000))
        let elapsed = ContinuousClock.now - began
        let woken = stage.times("r1", "reader waiting ticked") - ticks
        #expect(woken <= Int(elapsed / .milliseconds(100)) + 1)
        // One sleep a tick; trying to connect where nobody listens sleeps for nothing.
        #expect(try sleeps(stage, "r1") - before <= woken + 1)
        try stage.end()
    }
}
#endif
