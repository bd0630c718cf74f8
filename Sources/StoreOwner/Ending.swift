import StoreShared
import Synchronization

/// Ends the process when a cancelled migration cannot be undone in time, where the owner asked for that.
final class Ending: Sendable {
    private let status: Int32?
    private let over = Mutex(false)

    /// How long undoing may take.
    private static let grace: Duration = .milliseconds(1500)

    init(status: Int32?) {
        self.status = status
    }

    /// The migration was cancelled: the clock runs.
    func begin() {
        guard let status else { return }
        try? WorkerThread("storekeeper-end") { [self] in
            System.sleep(Self.grace)
            if !over.withLock({ $0 }) { System.end(status) }
        }.detach()
    }

    /// The migration is undone, or done.
    func isOver() {
        over.withLock { $0 = true }
    }
}
