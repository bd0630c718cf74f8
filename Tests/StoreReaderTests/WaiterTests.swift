import StoreSQLite
import StoreShared
import Synchronization
import Testing

@testable import StoreReader

@Suite struct WaiterTests {
    private let store: SampleStore

    init() throws { store = try SampleStore() }

    /// Waits on a thread of its own; tells when it has begun to wait, and how it ended.
    private final class Wait: Sendable {
        let outcome = Mutex<StoreWaiter.Outcome?>(nil)
        let progress = Mutex<[StoreProgress]>([])
        private let begun: Descriptor
        private let ended: Descriptor

        init(_ location: StoreLocation, for wanted: SchemaIdentity, timeout: Duration = .seconds(20)) throws {
            begun = try System.eventCounter()
            ended = try System.eventCounter()
            try WorkerThread("wait") { [self] in
                let waiter = StoreWaiter(location, for: wanted)
                let tell = { (progress: StoreProgress) in
                    self.progress.withLock { $0.append(progress) }
                    System.signal(self.begun)
                }
                let found = try? waiter.wait(until: .after(timeout), onProgress: tell)
                outcome.withLock { $0 = found }
                System.signal(ended)
            }.detach()
        }

        func waitForProgress(_ isSeen: (StoreProgress) -> Bool) throws {
            let deadline = Deadline.after(.seconds(10))
            while !progress.withLock({ seen in seen.contains(where: isSeen) }) {
                try #require(!deadline.hasPassed)
                _ = try System.poll([begun.raw], until: min(deadline, .after(.milliseconds(20))))
                System.clear(begun)
            }
        }

        func end() throws -> StoreWaiter.Outcome {
            _ = try System.poll([ended.raw], until: .after(.seconds(20)))
            return try #require(outcome.withLock { $0 })
        }
    }

    @Test func aWaitForNoStoreEndsWhenTheStoreIsMade() throws {
        let wait = try Wait(store.location, for: SampleStore.one)
        try wait.waitForProgress { $0.verdict == .absent }
        let connection = try store.make()
        try store.publish(.ready, connection)
        let judgement = try wait.end().judgement
        #expect(judgement.verdict == .ready, "\(String(describing: judgement.error))")
    }

    @Test func withoutASocketThePublicationWakes() throws {
        let connection = try store.make()
        let wait = try Wait(store.location, for: SampleStore.two)
        try wait.waitForProgress { $0.verdict == .outdated }
        try store.own()
        try store.publish(.migrating, connection, target: SampleStore.two.version)
        try wait.waitForProgress { $0.verdict == .migrating }
        try store.migrate(connection)
        try store.publish(.ready, connection)
        let outcome = try wait.end()
        #expect(outcome.judgement.verdict == .ready)
        #expect(!outcome.timedOut)
    }

    @Test func aBroadcastWakesAndASilentOwnerDoesNotHold() throws {
        let connection = try store.make()
        try store.own()
        try store.publish(.migrating, connection, target: SampleStore.two.version)
        let handler = LineServer.Handler { _, line in
            LineServer.Answer(lines: [line], subscribe: true)
        }
        let server = try LineServer(listener: try UnixSocket.listen(store.location, epoch: 1), handler: handler)
        let wait = try Wait(store.location, for: SampleStore.two)
        try wait.waitForProgress { $0.verdict == .migrating }
        try store.migrate(connection)
        // Nothing is published: the event alone wakes, since the safety tick takes 5 seconds.
        let began = Deadline.after(.seconds(2))
        server.broadcast(Array(#"{"event":"published"}"#.utf8))
        #expect(try wait.end().judgement.verdict == .ready)
        #expect(!began.hasPassed)
        server.close()
    }

    @Test func aSocketThatAcceptsAndNeverAnswersCostsASecondOnly() throws {
        try store.make()
        try store.own()
        let listener = try UnixSocket.listen(store.location, epoch: 1)
        let deadline = Deadline.after(.seconds(4))
        let outcome = try StoreWaiter(store.location, for: SampleStore.two).wait(until: .after(.milliseconds(1500)))
        #expect(outcome.timedOut)
        #expect(!deadline.hasPassed)
        withExtendedLifetime(listener) {}
    }

    @Test func whatWaitingCannotHelpEndsAtOnce() throws {
        let connection = try store.make()
        try store.migrate(connection)
        let outcome = try StoreWaiter(store.location, for: SampleStore.one).wait(until: .never)
        #expect(outcome.judgement.verdict == .tooNew)
        try store.publish(.failed, connection, target: SchemaVersion(3, 0, 0), reason: "no")
        let failed = try StoreWaiter(store.location, for: SchemaIdentity(version: SchemaVersion(3, 0, 0))).wait(until: .never)
        #expect(failed.judgement.verdict == .failed)
    }

    @Test func aDeadlineEndsItAndARequiredOwnerIsRequired() throws {
        try store.make()
        let late = try StoreWaiter(store.location, for: SampleStore.two).wait(until: .after(.milliseconds(100)))
        #expect(late.timedOut)
        #expect(late.judgement.verdict == .outdated)
        let alone = try StoreWaiter(store.location, for: SampleStore.two).wait(until: .never, requiresOwner: true)
        #expect(!alone.timedOut)
        #expect(alone.judgement.verdict == .outdated)
    }

    @Test func openingWaitsByPolicyAndCanBeCancelled() async throws {
        try store.make()
        let path = store.location.store
        let error = #expect(throws: StoreError.self) { try StoreReader.open(at: path, identity: SampleStore.two) }
        #expect(error?.code == .outdated)
        let late = #expect(throws: StoreError.self) {
            try StoreReader.open(at: path, identity: SampleStore.two, wait: .upTo(.milliseconds(50)))
        }
        #expect(late?.code == .timedOut)
        let task = Task { try await StoreReader.open(at: path, identity: SampleStore.two, wait: .forever) }
        task.cancel()
        let cancelled = await #expect(throws: StoreError.self) { try await task.value }
        #expect(cancelled?.code == .cancelled)
    }

    @Test func aReaderIsListedByTheOwnerAndSaysGoodbye() throws {
        let connection = try store.make()
        try store.own()
        try store.publish(.ready, connection)
        let lines = Mutex<[String]>([])
        let bell = try System.eventCounter()
        let handler = LineServer.Handler(
            line: { _, line in
                lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
                System.signal(bell)
                return LineServer.Answer(lines: [line], subscribe: true)
            },
            closed: { _ in
                lines.withLock { $0.append("closed") }
                System.signal(bell)
            })
        let server = try LineServer(listener: try UnixSocket.listen(store.location, epoch: 1), handler: handler)
        func wait(for text: String) throws {
            let deadline = Deadline.after(.seconds(10))
            while !lines.withLock({ lines in lines.contains { $0.contains(text) } }) {
                try #require(!deadline.hasPassed, "\(text)")
                _ = try System.poll([bell.raw], until: min(deadline, .after(.milliseconds(100))))
                System.clear(bell)
            }
        }
        let reader = try StoreReader.open(at: store.location.store, identity: SampleStore.one)
        #expect(try reader.rows("SELECT content FROM note WHERE id = ?", 2) == [["b"]])
        try wait(for: #""role":"reader""#)
        server.broadcast(Array(#"{"event":"drain","status":{}}"#.utf8))
        reader.close()
        try wait(for: #""request":"bye""#)
        try wait(for: "closed")
        #expect(throws: StoreError.self) { try reader.rows("SELECT 1") }
        server.close()
    }

    /// A dying owner's socket accepts and closes: the next owner's is found at once all the same.
    @Test func aReaderWhoseOwnerClosesAtOnceComesToTheNext() throws {
        let connection = try store.make()
        try store.own()
        try store.publish(.ready, connection)
        let hellos = Mutex(0)
        let bell = try System.eventCounter()
        let refusing = LineServer.Handler { _, _ in .close }
        let welcoming = LineServer.Handler { _, line in
            hellos.withLock { $0 += 1 }
            System.signal(bell)
            return LineServer.Answer(lines: [line], subscribe: true)
        }
        let first = try LineServer(listener: try UnixSocket.listen(store.location, epoch: 1), handler: refusing)
        let reader = try StoreReader.open(at: store.location.store, identity: SampleStore.one)
        let second = try LineServer(listener: try UnixSocket.listen(store.location, epoch: 1), handler: welcoming)
        // A pause of five seconds, as a stopped owner's socket gets, would be over after this.
        let deadline = Deadline.after(.seconds(4))
        while hellos.withLock({ $0 }) < 2, !deadline.hasPassed {
            _ = try System.poll([bell.raw], until: deadline)
            System.clear(bell)
        }
        #expect(hellos.withLock { $0 } >= 2)
        reader.close()
        first.close()
        second.close()
    }

    /// One judgement serves whoever asked before it began, and nobody who asked later.
    @Test func waitersOfOneProcessShareTheirJudgements() throws {
        try store.make()
        let judging = SharedJudging.of(store.location, for: SampleStore.one, strict: false)
        #expect(judging === SharedJudging.of(store.location, for: SampleStore.one, strict: false))
        #expect(judging !== SharedJudging.of(store.location, for: SampleStore.two, strict: false))
        // Nothing that happened before the question is missed.
        let connection = try store.writer()
        #expect(try judging.judgement().verdict == .ready)
        try store.migrate(connection)
        #expect(try judging.judgement().verdict == .tooNew)
    }

    @Test func aTransactionThatEscapedThrows() throws {
        try store.make()
        let reader = try StoreReader.open(at: store.location.store, identity: SampleStore.one)
        let escaped = try reader.transaction { $0 }
        #expect(throws: StoreError.self) { try escaped.rows("SELECT 1") }
    }
}

#if STORE_FAULTS
@Suite struct WaiterFaultTests {
    @Test func withoutAnInotifyInstanceTicksWake() throws {
        let store = try SampleStore()
        let connection = try store.make()
        // EMFILE: 128 instances a user.
        System.faults.fail("inotify_init1", with: 24, times: 1000)
        defer { System.faults.clear() }
        let migrates = try System.eventCounter()
        let handed = Mutex(false)
        let path = store.location.store
        try WorkerThread("owner") {
            _ = try? System.poll([migrates.raw], until: .after(.seconds(10)))
            guard let connection = try? Connection(path: path, access: .readWrite) else { return }
            try? connection.execute("PRAGMA user_version = 2; UPDATE storekeeper_metadata SET value = '2.0.0' WHERE key = 'version'")
            handed.withLock { $0 = true }
        }.detach()
        connection.close()
        let deadline = Deadline.after(.seconds(2))
        let outcome = try StoreWaiter(store.location, for: SchemaIdentity(version: SchemaVersion(2, 0, 0))).wait(
            until: .after(.seconds(10)), onProgress: { _ in System.signal(migrates) })
        #expect(outcome.judgement.verdict == .ready)
        #expect(!deadline.hasPassed)
        #expect(handed.withLock { $0 })
    }
}
#endif
