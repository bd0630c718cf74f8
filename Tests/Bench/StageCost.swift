import Foundation
import ProcessHarness
import StoreOwner
import Synchronization

/// What one run of a stage took. Written on one line, as the program in C writes it.
struct StageCost {
    /// Seconds by the clock.
    var wall: Double
    /// Seconds of the processors, of all threads.
    var work: Double
    /// The peak of resident memory, in megabytes.
    var peak: Double

    init(wall: Double, work: Double, peak: Double) {
        self.wall = wall
        self.work = work
        self.peak = peak
    }

    init(line: String) throws {
        let parts = line.split(separator: " ").compactMap { Double($0) }
        guard parts.count == 3 else { throw HarnessError("'\(line)' is not the cost of a stage") }
        self.init(wall: parts[0], work: parts[1], peak: parts[2] / 1024)
    }

    var line: String { String(format: "%.6f %.6f %.0f", wall, work, peak * 1024) }
}

/// Notes when an owner begins a migration and when it has published it.
final class StageWatch: Sendable {
    private struct State {
        var began: (wall: Double, work: Double)?
        var ended: (wall: Double, work: Double)?
    }

    private let state = Mutex(State())

    func note(_ event: OwnerEvent) {
        let now = (seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID))
        state.withLock { state in
            switch event {
            case .migrating: state.began = now
            case .published: if state.began != nil, state.ended == nil { state.ended = now }
            default: break
            }
        }
    }

    func cost() throws -> StageCost {
        guard let (began, ended) = state.withLock({ state in state.began.flatMap { began in state.ended.map { (began, $0) } } }) else {
            throw HarnessError("nothing was migrated")
        }
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return StageCost(wall: ended.wall - began.wall, work: ended.work - began.work, peak: Double(usage.ru_maxrss) / 1024)
    }
}

private func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
