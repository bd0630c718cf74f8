import Foundation
import Synchronization

/// The socket of a service manager that takes down what it is told.
package final class NotificationSocket: Sendable {
    package let path: String
    private let file: Int32
    private let messages = Mutex<[String]>([])
    private let changed = Condition()

    package init(at path: String) throws {
        self.path = path
        file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let bound = withUnixAddress(path) { bind(file, $0, $1) }
        guard bound == 0 else { throw HarnessError("\(path) cannot be bound: \(String(cString: strerror(errno)))") }
        // The kernel keeps ten datagrams for one that does not read.
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let count = recv(file, &buffer, buffer.count, 0), count > 0 {
                let text = String(decoding: buffer[..<count], as: UTF8.self)
                messages.withLock { $0.append(text) }
                changed.broadcast()
            }
        }
    }

    /// The assignments until now, in their order.
    package var lines: [String] { messages.withLock { $0.flatMap { $0.split(separator: "\n").map(String.init) } } }

    /// Waits until so many assignments with this beginning have come.
    ///
    /// - Throws: `HarnessError` when they do not come in time.
    package func wait(for count: Int = 1, _ beginning: String, within seconds: Double = 60) throws {
        let found = changed.wait(within: seconds) { lines.count { $0.hasPrefix(beginning) } >= count ? true : nil }
        if found == nil { throw HarnessError("\(count) times \(beginning) did not come, but \(lines)") }
    }
}
