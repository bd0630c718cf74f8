import StoreShared
import Testing

@Suite struct LockTests {
    private let folder: TemporaryFolder
    private let location: StoreLocation

    init() throws {
        folder = try TemporaryFolder()
        location = try folder.location()
    }

    @Test func oneOwnerAtATime() throws {
        #expect(OwnerLock.probe(location) == .dead)
        var first = try OwnerLock.take(location)
        #expect(first != nil)
        #expect(OwnerLock.probe(location) == .alive)
        #expect(try OwnerLock.take(location) == nil)
        first = nil
        #expect(OwnerLock.probe(location) == .dead)
        let second = try #require(try OwnerLock.take(location))
        second.release()
        #expect(OwnerLock.probe(location) == .dead)
        #expect(try System.stat(location.ownerLock).permissions == 0o600)
    }

    @Test func closingAnotherDescriptorOfTheFileDoesNotFreeTheLock() throws {
        let lock = try #require(try OwnerLock.take(location))
        _ = try System.open(location.ownerLock, .read)
        #expect(OwnerLock.probe(location) == .alive)
        #expect(lock.stillNamesThePath())
    }

    @Test func anOwnerNoticesThatItsLockFileWasReplaced() throws {
        let lock = try #require(try OwnerLock.take(location))
        try System.unlink(location.ownerLock)
        #expect(!lock.stillNamesThePath())
        let other = try #require(try OwnerLock.take(location))
        #expect(!lock.stillNamesThePath())
        #expect(other.stillNamesThePath())
        #expect(other.inode != lock.inode || other.device != lock.device)
    }

    @Test func theKernelNamesTheLock() throws {
        let lock = try #require(try OwnerLock.take(location))
        #expect(KernelLocks.read().contains { $0.isOpenFileDescription && $0.isWrite && $0.inode == lock.inode })
        withExtendedLifetime(lock) {}
    }

    @Test("whoever holds a lock on some bytes of a file is named, by the kind of lock and by the bytes")
    func holdersAreNamed() throws {
        let path = folder.path + "/locked"
        try folder.write([1, 2, 3], to: path)
        #expect(KernelLocks.holders(of: path, bytes: 0...1) == [])
        let (reading, writing) = (try System.open(path, .readWrite), try System.open(path, .readWrite))
        #expect(try System.setLock(reading, .shared, byte: 1, path: path))
        #expect(KernelLocks.holders(of: path, bytes: 0...1) == [System.processID])
        #expect(KernelLocks.holders(of: path, bytes: 0...1, writersOnly: true) == [])
        #expect(KernelLocks.holders(of: path, bytes: 2...9) == [])
        #expect(try System.setLock(writing, .exclusive, byte: 0, path: path))
        #expect(KernelLocks.holders(of: path, bytes: 0...0, writersOnly: true) == [System.processID])
        withExtendedLifetime((reading, writing)) {}
        #expect(KernelLocks.holders(of: folder.path + "/none", bytes: 0...1) == [])
    }

    @Test func aReaderPassesAnOpenGateAndWaitsAtAShutOne() throws {
        try location.prepareFolder()
        #expect(Gate(reader: location) == nil)
        let owner = try Gate(owner: location)
        let readers = try (0..<3).map { _ in try #require(Gate(reader: location)) }
        for reader in readers { #expect(reader.enter()) }
        #expect(!owner.shut(within: .milliseconds(20)))
        // Given up: newcomers pass again.
        let late = try #require(Gate(reader: location))
        #expect(late.enter())
        for reader in readers + [late] { reader.leave() }
        #expect(owner.shut(within: .milliseconds(20)))
        #expect(!readers[0].enter(within: .milliseconds(20)))
        owner.open()
        #expect(readers[0].enter())
    }

    @Test func anOwnerIsNotStarvedByOverlappingReaders() throws {
        try location.prepareFolder()
        let owner = try Gate(owner: location)
        let location = location
        let stop = try Collected<Bool>()
        let passed = try Collected<Bool>()
        let threads = try (0..<4).map { number in
            try WorkerThread("reader \(number)") {
                guard let gate = Gate(reader: location) else { return }
                while stop.all.isEmpty {
                    if gate.enter(within: .seconds(5)) { passed.add(true) }
                    System.sleep(.milliseconds(3 + number))
                    gate.leave()
                }
            }
        }
        _ = try passed.wait(for: 8)
        for _ in 0..<5 {
            #expect(owner.shut(within: .seconds(2)))
            owner.open()
        }
        stop.add(true)
        for thread in threads { thread.join() }
    }
}
