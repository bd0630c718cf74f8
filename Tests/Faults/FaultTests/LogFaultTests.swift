#if STORE_FAULTS
import FaultHarness
import FaultPlan
import ProcessHarness
import StoreReader
import StoreSQLite
import StoreShared
import Synchronization
import Testing

/// Readers whose transactions overlap without end let the log grow for ever, unless they are kept out for a moment: number 32 of the list of
/// fault tests.
@Suite struct LogFaultTests {
    private static let readers = 64
    /// Only against hanging.
    private static let patience = Duration.seconds(300)

    private func stage(limit: Int64) throws -> FaultStage {
        let stage = try FaultStage()
        #expect(try stage.unchecked("o1", "own target=1 log=\(limit)").hasPrefix("ok"))
        try stage(.write("o1", 1))
        return stage
    }

    private func logSize(_ stage: FaultStage) throws -> Int64 { try System.stat(stage.location.store + "-wal").size }

    private final class Progress: Sendable {
        let ends = Atomic(false)
        let reads = Atomic<Int>(0)
        let moved = ConditionVariable()

        func note() {
            reads.add(1, ordering: .sequentiallyConsistent)
            moved.wake()
        }
    }

    /// The owner writes as fast as the readers read, so that a slow machine is slow for both; and not on and on where the machine is too slow
    /// for its patience: then it must come to cut the log all the same.
    @Test func fault32_theLogStaysShortUnderOverlappingReaders() throws {
        let limit: Int64 = 512 << 10
        let stage = try stage(limit: limit)
        let progress = Progress()
        let readers = try (0..<Self.readers).map { _ in
            try StoreReader.open(at: stage.location.store, identity: try FaultPlan.identity(1))
        }
        let threads = try readers.map { reader in
            try WorkerThread("overlap") {
                while !progress.ends.load(ordering: .relaxed) {
                    try? reader.transaction { transaction in
                        _ = try transaction.rows("SELECT count(*) FROM note")
                        System.sleep(.milliseconds(10))
                    }
                    progress.note()
                }
            }
        }
        defer {
            progress.ends.store(true, ordering: .relaxed)
            for thread in threads { thread.join() }
            for reader in readers { reader.close() }
        }
        var longest: Int64 = 0
        for number in 1...800 {
            try stage(.write("o1", 1))
            var size = try logSize(stage)
            longest = max(longest, size)
            let deadline = Deadline.after(Self.patience)
            while size > 2 * limit {
                try #require(!deadline.hasPassed, "the log is never cut")
                System.sleep(.milliseconds(5))
                size = try logSize(stage)
            }
            #expect(
                progress.moved.wait(until: .after(Self.patience)) { progress.reads.load(ordering: .sequentiallyConsistent) >= 8 * number })
        }
        #expect(longest > limit && longest <= 3 * limit, "\(longest) bytes")
        print("fault32: \(longest) bytes, \(progress.reads.load(ordering: .relaxed)) reads by \(readers.count) readers")
        try stage.end()
    }

    /// A reader as the gate and the log see it; it stays inside until it is told.
    private final class Reader: @unchecked Sendable {
        // Used by the thread that asks until that has ended, and by the test's before and after.
        let gate: Gate
        let connection: Connection

        init(_ location: StoreLocation) throws {
            gate = try #require(Gate(reader: location))
            connection = try Connection(path: location.store, access: .readOnly)
        }

        func enter() throws {
            guard gate.enter(within: LogFaultTests.patience) else { throw StoreError(.timedOut, "the gate stays shut") }
            try connection.execute("BEGIN; SELECT count(*) FROM note")
        }

        func leave() throws {
            try connection.execute("COMMIT")
            gate.leave()
        }
    }

    /// No pause is longer than the transactions that are running when it begins: everybody who is kept out comes in when those who are
    /// inside have ended once, and before that the log is cut. A transaction ends here when the test says so; one half of the readers is
    /// always inside or on its way in.
    @Test func fault32_nobodyWaitsForMoreThanThoseInside() throws {
        let limit: Int64 = 256 << 10
        let stage = try stage(limit: limit)
        let readers = try (0..<Self.readers).map { _ in try Reader(stage.location) }
        let turnstile = try System.open(stage.location.gateLock, [.read, .nonBlocking])
        var (inside, outside) = (Array(readers[..<32]), Array(readers[32...]))
        for reader in inside { try reader.enter() }
        var cuts = 0
        var (rounds, ended) = (0, 0)
        while cuts < 3 {
            rounds += 1
            try #require(rounds <= 20, "\(cuts) cuts")
            let deadline = Deadline.after(Self.patience)
            while try !System.isLocked(turnstile, byte: 0, path: stage.location.gateLock) {
                try #require(!deadline.hasPassed, "nobody drains")
                // Also again: a log that is copied whole is cut beside readers who began after that.
                if try logSize(stage) <= limit { try stage(.write("o1", 1)) } else { System.sleep(.milliseconds(1)) }
            }
            let arrival = Arrival()
            let threads = try outside.map { reader in
                try WorkerThread("asks") { arrival.come(reader) }
            }
            #expect(arrival.moved.wait(until: .after(Self.patience)) { arrival.asked.withLock { $0 } == outside.count })
            // Each ends one transaction.
            for reader in inside {
                try reader.leave()
                ended += 1
            }
            for thread in threads { thread.join() }
            #expect(arrival.failures.withLock { $0 } == [])
            // All are in again with no more transactions ended than those that were running. A machine that was too slow for the owner's
            // patience has it try once more.
            if try logSize(stage) <= limit { cuts += 1 }
            swap(&inside, &outside)
        }
        #expect(ended == rounds * 32)
        for reader in inside { try reader.leave() }
        for reader in readers { reader.connection.close() }
        print("fault32: \(cuts) cuts in \(rounds) rounds")
        try stage.end()
    }

    private final class Arrival: Sendable {
        let asked = Mutex(0)
        let failures = Mutex<[String]>([])
        let moved = ConditionVariable()

        func come(_ reader: Reader) {
            asked.withLock { $0 += 1 }
            moved.wake()
            do {
                try reader.enter()
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
    }
}
#endif
