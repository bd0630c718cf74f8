import Synchronization

/// The gate for those who read in the owner's own process: two counters, where the others pay four calls of the kernel for each read.
///
/// There is one for a store in a process. Whoever shuts the gate as the owner shuts this one first.
package final class OwnReaders: Sendable {
    private let inside = Atomic<Int>(0)
    /// How many want nobody to come in.
    private let shutters = Atomic<Int>(0)
    /// Woken when the last one has left whom somebody waits for, and when newcomers are let in again.
    private let turn = ConditionVariable()

    private struct Known: Sendable {
        weak let readers: OwnReaders?
    }

    private static let known = Mutex<[String: Known]>([:])

    /// Those of a store, as long as somebody holds them.
    package static func of(_ location: StoreLocation) -> OwnReaders {
        known.withLock { known in
            if let readers = known[location.gateLock]?.readers { return readers }
            let made = OwnReaders()
            known = known.filter { $0.value.readers != nil }
            known[location.gateLock] = Known(readers: made)
            return made
        }
    }

    private init() {}

    /// Comes in, until `leave`.
    ///
    /// - Returns: false when newcomers were stopped for that long; the caller may go on without, as at the gate.
    package func enter(within duration: Duration) -> Bool {
        if pass() { return true }
        let deadline = Deadline.after(duration)
        repeat {
            guard turn.wait(until: deadline, { shutters.load(ordering: .sequentiallyConsistent) == 0 }) else { return false }
        } while !pass()
        return true
    }

    /// Comes in although newcomers are stopped, until `leave`: who shuts the gate waits for this one, too.
    package func enterUnasked() { inside.add(1, ordering: .sequentiallyConsistent) }

    private func pass() -> Bool {
        // In this order: whoever shuts the gate looks at the two in the other.
        inside.add(1, ordering: .sequentiallyConsistent)
        if shutters.load(ordering: .sequentiallyConsistent) == 0 { return true }
        leave()
        return false
    }

    package func leave() {
        // In this order: who shuts the gate and then finds somebody inside is seen here.
        guard inside.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 else { return }
        if shutters.load(ordering: .sequentiallyConsistent) != 0 { turn.wake() }
    }

    func stopNewcomers() { shutters.add(1, ordering: .sequentiallyConsistent) }

    func letIn() {
        if shutters.subtract(1, ordering: .sequentiallyConsistent).newValue == 0 { turn.wake() }
    }

    /// Waits until nobody is inside; after `stopNewcomers`.
    ///
    /// - Returns: false when somebody still was at the deadline.
    func waitUntilOut(until deadline: Deadline) -> Bool {
        turn.wait(until: deadline) { inside.load(ordering: .sequentiallyConsistent) == 0 }
    }
}
