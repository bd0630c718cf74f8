import Foundation
import Synchronization

/// The lines that a program writes to a pipe, read on a thread of its own, for tests to wait on.
package final class LineBuffer: Sendable {
    private struct State {
        var lines: [String] = []
        var isAtEnd = false
    }

    private let state = Mutex(State())
    private let changed = Condition()

    /// Reads `descriptor` to its end, and closes it.
    package init(reading descriptor: Int32) {
        Thread.detachNewThread { [self] in
            var rest: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = read(descriptor, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                rest += chunk[..<count]
                var lines: [String] = []
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.append(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
                guard !lines.isEmpty else { continue }
                state.withLock { $0.lines += lines }
                changed.broadcast()
            }
            close(descriptor)
            state.withLock { state in
                if !rest.isEmpty { state.lines.append(String(decoding: rest, as: UTF8.self)) }
                state.isAtEnd = true
            }
            changed.broadcast()
        }
    }

    /// The lines until now.
    package var lines: [String] { state.withLock(\.lines) }

    /// The first line that fits, as soon as it is there; nil if the program closes its end first, or after `seconds`.
    package func first(within seconds: Double, where fits: (String) -> Bool) -> String? {
        var seen = 0
        return changed.wait(within: seconds) { () -> String?? in
            let (fresh, isAtEnd) = state.withLock { (Array($0.lines[seen...]), $0.isAtEnd) }
            seen += fresh.count
            if let line = fresh.first(where: fits) { return .some(line) }
            return isAtEnd ? .some(nil) : nil
        } ?? nil
    }

    /// Waits until the program has closed its end.
    package func waitForEnd(within seconds: Double) -> Bool {
        changed.wait(within: seconds) { state.withLock(\.isAtEnd) ? true : nil } ?? false
    }
}

/// Lets threads wait for something that other threads change, with a deadline.
final class Condition: Sendable {
    private let condition = NSCondition()

    /// Tells everyone who waits to look again.
    func broadcast() {
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }

    /// Asks `result` now and after each broadcast; its first answer, or nil after `seconds`.
    func wait<T>(within seconds: Double, for result: () -> T?) -> T? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let answer = result() { return answer }
            if !condition.wait(until: deadline) { return result() }
        }
    }
}
