import Synchronization

/// The gate for those who read in the owner's own process: two counters, where the others pay four calls of the kernel for each read.
///
/// There is one for a store in a process. Whoever shuts the gate as the owner shuts this one first.
package final class OwnReaders: Sendable {
    private let inside = Atomic<Int>(0)
    /// How many want nobody to come in.
    private let shutters = Atomic<Int>(0)

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
        while !deadline.hasPassed {
            System.sleep(.milliseconds(1))
            if pass() { return true }
        }
        return false
    }

    private func pass() -> Bool {
        // In this order: whoever shuts the gate looks at the two in the other.
        inside.add(1, ordering: .sequentiallyConsistent)
        if shutters.load(ordering: .sequentiallyConsistent) == 0 { return true }
        leave()
        return false
    }

    package func leave() { inside.subtract(1, ordering: .releasing) }

    func stopNewcomers() { shutters.add(1, ordering: .sequentiallyConsistent) }

    func letIn() { shutters.subtract(1, ordering: .sequentiallyConsistent) }

    var areOut: Bool { inside.load(ordering: .sequentiallyConsistent) == 0 }
}
