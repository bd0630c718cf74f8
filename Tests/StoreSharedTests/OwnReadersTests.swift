import StoreShared
import Synchronization
import Testing

/// The turnstile of the readers in the owner's own process. Deadlines of an hour are for waits that end by an event.
@Suite struct OwnReadersTests {
    private let folder: TemporaryFolder
    private let location: StoreLocation

    init() throws {
        folder = try TemporaryFolder()
        location = try folder.location()
        try location.prepareFolder()
    }

    @Test func whoIsKeptOutComesInWhenTheGateOpens() throws {
        let (gate, readers) = (try Gate(owner: location), OwnReaders.of(location))
        #expect(gate.shut(within: .seconds(3600)))
        #expect(!readers.enter(within: .milliseconds(1)))
        let passed = try Collected<Bool>()
        let threads = try (0..<8).map { _ in try WorkerThread("own") { passed.add(readers.enter(within: .seconds(3600))) } }
        gate.open()
        for thread in threads { thread.join() }
        #expect(passed.all == Array(repeating: true, count: 8))
        // They are inside: nobody else gets the store for itself.
        #expect(!gate.shut(within: .milliseconds(1)))
        for _ in threads { readers.leave() }
        #expect(gate.shut(within: .seconds(3600)))
    }

    @Test func whoShutsTheGateIsWokenByTheLastWhoLeaves() throws {
        let (location, readers) = (location, OwnReaders.of(location))
        for isAsked in [true, false] {
            if isAsked { #expect(readers.enter(within: .zero)) } else { readers.enterUnasked() }
            let (stopped, shut) = (try Collected<Bool>(), try Collected<Bool>())
            let owner = try WorkerThread("owner") {
                guard let gate = try? Gate(owner: location) else { return }
                shut.add(gate.shut(within: .seconds(3600)) { stopped.add(true) })
            }
            _ = try stopped.wait(for: 1)
            #expect(!readers.enter(within: .zero))
            #expect(shut.all.isEmpty)
            readers.leave()
            owner.join()
            #expect(shut.all == [true])
        }
    }

    @Test func twoWhoShutTheGateBothHaveToOpenIt() throws {
        let readers = OwnReaders.of(location)
        let gates = try (0..<2).map { _ in try Gate(owner: location) }
        #expect(gates[0].shut(within: .seconds(3600)))
        // The kernel's part of the gate is the first one's; this one gives up and takes nothing away.
        #expect(!gates[1].shut(within: .milliseconds(1)))
        #expect(!readers.enter(within: .zero))
        gates[0].open()
        #expect(readers.enter(within: .zero))
        readers.leave()
    }

    private final class Counts: Sendable {
        let inside = Atomic<Int>(0)
        let reads = Atomic<Int>(0)
        let ends = Atomic(false)
        let moved = ConditionVariable()
    }

    @Test func nobodyIsInsideWhileTheGateIsShut() throws {
        let (gate, readers, counts) = (try Gate(owner: location), OwnReaders.of(location), Counts())
        let threads = try (0..<4).map { _ in
            try WorkerThread("own") {
                while !counts.ends.load(ordering: .relaxed) {
                    guard readers.enter(within: .seconds(3600)) else { continue }
                    counts.inside.add(1, ordering: .sequentiallyConsistent)
                    counts.reads.add(1, ordering: .sequentiallyConsistent)
                    counts.inside.subtract(1, ordering: .sequentiallyConsistent)
                    readers.leave()
                    counts.moved.wake()
                }
            }
        }
        for _ in 0..<100 {
            #expect(gate.shut(within: .seconds(3600)))
            let before = counts.reads.load(ordering: .sequentiallyConsistent)
            for _ in 0..<10 { #expect(counts.inside.load(ordering: .sequentiallyConsistent) == 0) }
            #expect(counts.reads.load(ordering: .sequentiallyConsistent) == before)
            gate.open()
            // Somebody reads between one time and the next.
            #expect(counts.moved.wait(until: .after(.seconds(3600))) { counts.reads.load(ordering: .sequentiallyConsistent) > before })
        }
        counts.ends.store(true, ordering: .relaxed)
        for thread in threads { thread.join() }
    }
}
