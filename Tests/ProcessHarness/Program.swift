import Foundation
import Synchronization

/// How a program ended.
package enum Ending: Equatable, Sendable, CustomStringConvertible {
    case exit(Int32)
    case signal(Int32)

    package var description: String {
        switch self {
        case .exit(let status): "exit \(status)"
        case .signal(let number): "signal \(number)"
        }
    }
}

/// A product of this package, running as a process of its own.
///
/// Letting go of it kills the process if it still runs, so a failed test leaves nobody behind.
package final class Program: Sendable {
    package let name: String
    package let output: LineBuffer
    package let errors: LineBuffer

    private let child: Child

    /// Starts a product with the given arguments. Its standard input is empty.
    package convenience init(_ product: Product, _ arguments: String...) throws {
        try self.init(product, arguments)
    }

    /// Starts a product, or a launcher that becomes it.
    ///
    /// - Parameters:
    ///   - launcher: a command that takes the product and its arguments as its last arguments, and becomes it.
    ///   - input: what it has as standard input; nil is nothing.
    package init(_ product: Product, _ arguments: [String], launcher: [String] = [], input: Int32? = nil) throws {
        let command = launcher + [try product.path] + arguments
        let output = try PipeEnds()
        let errors = try PipeEnds()
        name = ([product.rawValue] + arguments).joined(separator: " ")
        child = Child(pid: try spawn(command, input: input, output: output.writing, errors: errors.writing))
        close(output.writing)
        close(errors.writing)
        self.output = LineBuffer(reading: output.reading)
        self.errors = LineBuffer(reading: errors.reading)
    }

    deinit {
        child.send(SIGKILL)
    }

    package var pid: Int32 { child.pid }

    /// Sends a signal to it, unless it has ended.
    package func send(_ signal: Int32) { child.send(signal) }

    /// How it ended, if it does within `seconds`; nil while it runs.
    package func ending(within seconds: Double) -> Ending? { child.wait(within: seconds) }

    /// Waits for its end and for all that it wrote; throws, and kills it, when that takes longer.
    @discardableResult
    package func wait(within seconds: Double = 60) throws -> Ending {
        guard let ending = child.wait(within: seconds) else {
            send(SIGKILL)
            throw HarnessError("\(name) still ran after \(seconds) s; it wrote:\n\(transcript)")
        }
        _ = output.waitForEnd(within: 5)
        _ = errors.waitForEnd(within: 5)
        return ending
    }

    /// The first line of its output that contains `text`; throws when it does not come in time.
    @discardableResult
    package func line(containing text: String, within seconds: Double = 60) throws -> String {
        guard let line = output.first(within: seconds, where: { $0.contains(text) }) else {
            throw HarnessError("\(name) did not write '\(text)' in \(seconds) s; it wrote:\n\(transcript)")
        }
        return line
    }

    /// All that it wrote until now, for messages of tests.
    package var transcript: String {
        (output.lines.map { "  | " + $0 } + errors.lines.map { "  ! " + $0 }).joined(separator: "\n")
    }
}

/// A child process. It is reaped by a thread of its own, so that a signal can never reach another process of the same number.
private final class Child: Sendable {
    let pid: Int32
    private let ending = Mutex<Ending?>(nil)
    private let ended = Condition()

    init(pid: Int32) {
        self.pid = pid
        Thread.detachNewThread { [self] in
            // Until it is reaped nobody else can have its process id.
            var information = siginfo_t()
            while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            reap()
            ended.broadcast()
        }
    }

    func send(_ signal: Int32) {
        ending.withLock { ending in
            if ending == nil { _ = kill(pid, signal) }
        }
    }

    func wait(within seconds: Double) -> Ending? {
        ended.wait(within: seconds) { ending.withLock { $0 } }
    }

    private func reap() {
        ending.withLock { ending in
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7f
            ending = signal == 0 ? .exit((status >> 8) & 0xff) : .signal(signal)
        }
    }
}
