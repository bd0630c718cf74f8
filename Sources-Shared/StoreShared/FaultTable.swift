#if STORE_FAULTS
import Glibc
import Synchronization

/// Failures that tests have ordered: the call of that name fails with that number, after some successes, for some times.
///
/// An order holds for the thread that made it, so that tests that run beside it are left alone, or for all threads.
package final class FaultTable: Sendable {
    private struct Order {
        var number: Int32
        /// Nil for all threads.
        var thread: pthread_t?
        var successes: Int
        var times: Int
    }
    private let orders = Mutex<[String: Order]>([:])
    private let interceptions = Mutex<[String: (after: Int, body: @Sendable () -> Void)]>([:])

    package init() {}

    package func fail(_ call: String, with number: Int32, after successes: Int = 0, times: Int = 1, onEveryThread: Bool = false) {
        let thread = onEveryThread ? nil : pthread_self()
        orders.withLock { $0[call] = Order(number: number, thread: thread, successes: successes, times: times) }
    }

    /// Does something once before a call of that name, on whatever thread, after some that pass: what another process might do just then.
    package func intercept(_ call: String, after passes: Int = 0, _ body: @escaping @Sendable () -> Void) {
        interceptions.withLock { $0[call] = (passes, body) }
    }

    private func interception(_ call: String) -> (@Sendable () -> Void)? {
        interceptions.withLock { interceptions in
            guard let found = interceptions[call] else { return nil }
            interceptions[call] = found.after > 0 ? (found.after - 1, found.body) : nil
            return found.after > 0 ? nil : found.body
        }
    }

    private let clock = Atomic<Int64>(0)

    /// Seconds by which the wall clock is wrong.
    package func setClock(_ seconds: Int64) {
        clock.store(seconds, ordering: .relaxed)
    }

    var clockError: Int64 { clock.load(ordering: .relaxed) }

    package func clear() {
        interceptions.withLock { $0 = [:] }
        orders.withLock { $0 = [:] }
    }

    private let counts = Mutex<[String: Int]>([:])

    /// How often this process has made, or been about to make, a call of that name.
    package func count(of call: String) -> Int {
        counts.withLock { $0[call] ?? 0 }
    }

    func next(_ call: String) -> Int32? {
        counts.withLock { $0[call, default: 0] += 1 }
        interception(call)?()
        return ordered(call)
    }

    private func ordered(_ call: String) -> Int32? {
        orders.withLock { orders in
            guard var order = orders[call], order.thread == nil || order.thread == pthread_self() else { return nil }
            defer { orders[call] = order.times > 0 ? order : nil }
            if order.successes > 0 {
                order.successes -= 1
                return nil
            }
            order.times -= 1
            return order.number
        }
    }
}
#endif
