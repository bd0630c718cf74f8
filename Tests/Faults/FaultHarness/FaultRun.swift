#if STORE_FAULTS
import Glibc
import StoreShared
import Synchronization

/// What became of one schedule.
package struct ScheduleOutcome: Sendable {
    package let schedule: Schedule
    /// Nil when everything held that must.
    package let violation: String?
    /// All that was done and said, one line each.
    package let transcript: [String]
    package let processes: Int
    package let faults: Int

    /// For people: what must never happen, how it came to it, and how to see it again.
    package var report: String {
        """
        seed \(schedule.seed): \(violation ?? "no violation")
        the schedule:
        \(schedule)
        what happened:
        \(transcript.map { "  " + $0 }.joined(separator: "\n"))
        again: scripts/soak --seed \(schedule.seed) --schedules 1
        """
    }
}

/// Runs schedules.
package enum FaultRun {
    /// Runs the schedule of a seed.
    package static func run(seed: UInt64, _ settings: FaultSettings, _ coverage: Coverage) throws -> ScheduleOutcome {
        try run(Generator.schedule(seed: seed), settings, coverage)
    }

    /// Runs a schedule.
    package static func run(_ schedule: Schedule, _ settings: FaultSettings, _ coverage: Coverage) throws -> ScheduleOutcome {
        let run = try ScheduleRun(schedule, settings, coverage)
        var violation: String?
        do {
            try run.run()
        } catch let found as Violation {
            violation = found.description
        } catch let error as HarnessFailure {
            throw error
        } catch {
            violation = "\(error)"
        }
        return ScheduleOutcome(
            schedule: schedule, violation: violation, transcript: run.transcript, processes: run.processes,
            faults: schedule.steps.count(where: \.isFault))
    }

    /// Runs the schedules of consecutive seeds on some threads, until the end, the deadline or the first violation.
    ///
    /// - Returns: how many ran, and the first that failed.
    package static func soak(
        from seed: UInt64, count: Int, until deadline: Deadline = .never, threads: Int, _ settings: FaultSettings, _ coverage: Coverage
    ) throws -> SoakOutcome {
        System.ignoreBrokenPipes()
        let state = Mutex(SoakState())
        let workers = try (0..<threads).map { number in
            try WorkerThread("soak-\(number)") {
                while let offset = state.withLock({ $0.next(count: count, deadline) }) {
                    do {
                        let outcome = try run(seed: seed &+ UInt64(offset), settings, coverage)
                        state.withLock { $0.add(outcome) }
                    } catch {
                        state.withLock { $0.trouble = $0.trouble ?? "\(error)" }
                    }
                }
            }
        }
        for worker in workers { worker.join() }
        let end = state.withLock { $0 }
        if let trouble = end.trouble { throw HarnessFailure(trouble) }
        return SoakOutcome(
            schedules: end.done, processes: end.processes, faults: end.faults, fewestProcesses: end.fewestProcesses,
            fewestFaults: end.fewestFaults,
            failure: end.failure)
    }
}

/// What became of many.
package struct SoakOutcome: Sendable {
    package let schedules: Int
    package let processes: Int
    package let faults: Int
    package let fewestProcesses: Int
    package let fewestFaults: Int
    package let failure: ScheduleOutcome?
}

private struct SoakState: Sendable {
    var begun = 0
    var done = 0
    var processes = 0
    var faults = 0
    var fewestProcesses = Int.max
    var fewestFaults = Int.max
    var failure: ScheduleOutcome?
    var trouble: String?

    mutating func next(count: Int, _ deadline: Deadline) -> Int? {
        guard failure == nil, trouble == nil, begun < count, !deadline.hasPassed else { return nil }
        defer { begun += 1 }
        return begun
    }

    mutating func add(_ outcome: ScheduleOutcome) {
        done += 1
        processes += outcome.processes
        faults += outcome.faults
        fewestProcesses = min(fewestProcesses, outcome.processes)
        fewestFaults = min(fewestFaults, outcome.faults)
        if outcome.violation != nil, failure.map({ $0.schedule.seed > outcome.schedule.seed }) ?? true { failure = outcome }
    }
}
#endif
