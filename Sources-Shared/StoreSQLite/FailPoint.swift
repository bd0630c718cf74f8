#if STORE_FAULTS
import Glibc
import Synchronization

/// A place where a process can be ended as by `kill -9`, or a statement be made to fail: the N-th that is passed, in a build for tests.
///
/// Points are counted on the thread that passes the first one: after each statement of SQLite (at its first row and at its end), after each
/// step of a backup, and after each system call below the models. The environment variable `STORE_POINTS` is the number of the point after
/// which the process is killed, or `tell` to have every point told on standard error. Release builds have none of it.
package enum FailPoint {
    private static let order = getenv("STORE_POINTS").map { String(cString: $0) }
    private static let limit = order.flatMap { Int($0) }
    private static let thread = pthread_self()
    private static let passed = Atomic<Int>(0)

    /// Counts a point, and ends the process if it is the one that was ordered. What was passed last is told on standard error.
    package static func pass(_ point: @autoclosure () -> String) {
        guard order != nil, pthread_equal(thread, pthread_self()) != 0 else { return }
        let number = passed.add(1, ordering: .relaxed).newValue
        guard limit == nil || limit == number else { return }
        let text = point().map { $0.isNewline ? " " : $0 }
        let line = Array("point \(number): \(String(text))\n".utf8)
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
        guard limit == number else { return }
        kill(getpid(), SIGKILL)
        // The signal is delivered before the call returns to this thread, or at the latest here.
        while true { pause() }
    }
}

/// Failures of statements that a test has ordered for its own thread.
package enum StatementFaults {
    private struct Order {
        let thread: pthread_t
        var successes: Int
        let code: ResultCode
        /// The statement that failed; nil until then.
        var met: String?
    }
    private static let orders = Mutex<[Order]>([])

    /// Lets a statement of this thread fail with `code` instead of being run, after some that succeed. Statements that end a transaction
    /// are neither counted nor failed: SQLite's own failure of COMMIT is another matter, and a ROLLBACK that failed would hide the first.
    package static func fail(with code: ResultCode, after successes: Int) {
        clear()
        orders.withLock { $0.append(Order(thread: pthread_self(), successes: successes, code: code)) }
    }

    /// Takes the order of this thread back.
    ///
    /// - Returns: the statement that failed; nil if so many were not run.
    @discardableResult
    package static func clear() -> String? {
        let thread = pthread_self()
        return orders.withLock { orders in
            let met = orders.first { pthread_equal($0.thread, thread) != 0 }?.met
            orders.removeAll { pthread_equal($0.thread, thread) != 0 }
            return met
        }
    }

    static func next(_ sql: String) -> ResultCode? {
        let thread = pthread_self()
        return orders.withLock { orders in
            guard let index = orders.firstIndex(where: { pthread_equal($0.thread, thread) != 0 }), orders[index].met == nil,
                !["COMMIT", "ROLLBACK", "RELEASE"].contains(where: sql.hasPrefix)
            else { return nil }
            guard orders[index].successes == 0 else {
                orders[index].successes -= 1
                return nil
            }
            orders[index].met = sql
            return orders[index].code
        }
    }
}

/// The statements that one thread prepares, for tests that guard how many they are.
package enum StatementTally {
    private static let tallies = Mutex<[(thread: pthread_t, statements: [String])]>([])

    /// - Returns: the text of every statement that `body` prepared on this thread, on whatever connection, in order.
    package static func prepared(_ body: () throws -> Void) rethrows -> [String] {
        let thread = pthread_self()
        tallies.withLock { $0.append((thread, [])) }
        let taken = {
            tallies.withLock { tallies in
                tallies.lastIndex { pthread_equal($0.thread, thread) != 0 }.map { tallies.remove(at: $0).statements } ?? []
            }
        }
        do {
            try body()
        } catch {
            _ = taken()
            throw error
        }
        return taken()
    }

    static func note(_ sql: String) {
        let thread = pthread_self()
        tallies.withLock { tallies in
            guard let index = tallies.lastIndex(where: { pthread_equal($0.thread, thread) != 0 }) else { return }
            tallies[index].statements.append(sql)
        }
    }
}
#endif
