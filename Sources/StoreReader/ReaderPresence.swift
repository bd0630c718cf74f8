import StoreShared
import Synchronization

/// Keeps a reader known to whichever owner lives, and hears what the owner asks of its readers, on a thread of its own.
final class ReaderPresence: Sendable {
    private let bell: Descriptor
    private let hasEnded: Ended
    private let thread: WorkerThread

    private final class Ended: Sendable {
        private let flag = Mutex(false)
        var isSet: Bool { flag.withLock { $0 } }
        /// True for the first call.
        func set() -> Bool {
            flag.withLock { flag in
                defer { flag = true }
                return !flag
            }
        }
    }

    /// A subscription is used by one thread at a time: this one takes it over from the thread that waited.
    private struct Handover: @unchecked Sendable {
        let subscription: Subscription?
    }

    /// Nil when the system has no thread or descriptor left: the reader reads as well without being listed.
    ///
    /// - Parameter subscription: the one by which the reader waited for the store, not used by anybody else from now on.
    init?(
        _ location: StoreLocation, _ identity: SchemaIdentity, _ pool: SnapshotPool, _ changes: ChangeBoard,
        listeningBy subscription: Subscription?
    ) {
        guard let bell = try? System.eventCounter() else { return nil }
        let hasEnded = Ended()
        let hello = Hello(role: .reader, wanted: identity)
        let handover = Handover(subscription: subscription)
        let started = try? WorkerThread("storekeeper-rd") { [weak pool] in
            let subscription = handover.subscription ?? Subscription(location, hello: hello)
            if handover.subscription != nil { subscription.become(hello) }
            var connections = subscription.connections
            while !hasEnded.isSet {
                subscription.refresh(until: .never)
                if subscription.connections != connections {
                    connections = subscription.connections
                    changes.begin(after: subscription.token)
                }
                var drains = false
                do {
                    // Nothing is judged here: as long as the connection lives there is no reason to look up.
                    try subscription.wait(until: .never, bell: bell, ticks: false) { event, line in
                        drains = drains || event == .drain
                        if event == .changed { changes.note(line) }
                        if event == .report { subscription.send(Request(.report, age: pool?.oldestRead?.seconds)) }
                        if event == nil, let token = Subscription.token(in: line) { changes.begin(after: token) }
                    }
                } catch {
                    System.sleep(Pace.of(.seconds(1)))
                }
                if drains, let pool { drain(pool, subscription) }
            }
            subscription.send(Request(.bye))
        }
        guard let started else { return nil }
        self.bell = bell
        self.hasEnded = hasEnded
        thread = started
    }

    /// Says good-bye. The thread ends by itself: nobody waits for an owner that does not answer.
    func end() {
        guard hasEnded.set() else { return }
        System.signal(bell)
        thread.detach()
    }
}

/// Old snapshots are correct and cost only log: reads get a moment to end, then are interrupted.
private func drain(_ pool: SnapshotPool, _ subscription: Subscription) {
    let grace = Deadline.after(Pace.of(.seconds(1)))
    while pool.running > 0, !grace.hasPassed { System.sleep(.milliseconds(5)) }
    pool.interrupt()
    subscription.send(Request(.drained))
}
