#if STORE_FAULTS
import FaultHarness
import StoreShared
import Testing

/// A few of the random schedules, the same everywhere; scripts/soak runs others, and more.
@Suite(.serialized) struct ScheduleFaultTests {
    @Test(.timeLimit(.minutes(10))) func randomSchedulesBreakNothing() throws {
        let coverage = Coverage()
        let outcome = try FaultRun.soak(from: 1, count: 300, threads: 4, try FaultStage.settings(), coverage)
        if let failure = outcome.failure { Issue.record("\(failure.report)") }
        #expect(outcome.fewestProcesses >= 3 && outcome.fewestFaults >= 2)
        print(
            "\(outcome.schedules) schedules, \(outcome.processes) processes, \(outcome.faults) faults; not met: \(coverage.missing)"
        )
    }

    @Test func aSeedAlwaysMakesTheSameSchedule() {
        for seed in UInt64(1)...50 {
            #expect("\(Generator.schedule(seed: seed))" == "\(Generator.schedule(seed: seed))")
        }
        #expect("\(Generator.schedule(seed: 1))" != "\(Generator.schedule(seed: 2))")
    }

    /// Each mistake is found by some schedule, and by a violation of what it breaks.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            (Planted.versionCheckApart, "I3"), (.publishBeforeCommit, "I5"), (.commitWithoutSync, "I"), (.judgeBeforeSubscribe, "I6"),
            (.noEpochInCommit, "I3"), (.noTurnstile, "the gate"),
        ])
    func aPlantedFaultIsFound(_ planted: Planted, _ what: String) throws {
        var settings = try FaultStage.settings()
        settings.planted = planted.rawValue
        let outcome = try FaultRun.soak(from: 1, count: 4000, threads: 3, settings, Coverage())
        let failure = try #require(outcome.failure, "\(planted) was not found in \(outcome.schedules) schedules")
        #expect(failure.violation?.hasPrefix(what) == true, "\(planted): \(failure.report)")
        print("\(planted): found after \(outcome.schedules) schedules, by seed \(failure.schedule.seed): \(failure.violation ?? "")")
    }
}
#endif
