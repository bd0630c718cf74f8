import StoreShared
import Synchronization

/// The owner's thread for what must happen in time but not at once: the heartbeat of a migration, a record that a full disk
/// refused, the checkpoint that a reader held up. It sleeps while nothing is due.
final class Housekeeper: Sendable {
    private struct Mailbox {
        var ends = false
        var thread: WorkerThread?
    }

    private let bell: Descriptor
    private let mailbox = Mutex(Mailbox())

    /// How often it looks while something is due.
    private static let tick = Pace.of(.milliseconds(250))

    /// - Parameter round: does what is due now; says whether to come again in time without being woken.
    init(_ round: @escaping @Sendable () -> Bool) throws {
        bell = try System.eventCounter()
        let thread = try WorkerThread("storekeeper-due") { [self] in
            while true {
                if mailbox.withLock({ $0.ends }) { return }
                let comesAgain = round()
                _ = try? System.poll([bell.raw], until: comesAgain ? .after(Self.tick) : .never)
                System.clear(bell)
            }
        }
        mailbox.withLock { $0.thread = thread }
    }

    /// Has it look now.
    func wake() {
        System.signal(bell)
    }

    /// Ends the thread and waits for it.
    func close() {
        let thread = mailbox.withLock { mailbox in
            mailbox.ends = true
            defer { mailbox.thread = nil }
            return mailbox.thread
        }
        System.signal(bell)
        thread?.join()
    }
}
