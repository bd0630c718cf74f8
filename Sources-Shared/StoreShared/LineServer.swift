import Synchronization

/// The owner's side of the socket: accepts, reads lines, answers from a closure and broadcasts, on a thread of its own.
///
/// No client can hold up another, or make the owner grow. Each is heard a few lines at a time, and not while an answer waits for it: to be
/// taken, or to be found. Of the events that a slow client has not taken only the newest is kept, and one that takes nothing for 10 seconds
/// is dropped, and so is one that needs longer for a line. A broken or oversized line closes that client alone. Connections leave the
/// process a quarter of its descriptors, and one user leaves the others a quarter of the connections, with 4096 at most.
package final class LineServer: Sendable {
    /// One connection.
    package struct Client: Hashable, Sendable {
        package let id: UInt64
        /// As the kernel vouches.
        package let peer: PeerCredentials
    }

    /// What to do about a line.
    package struct Answer: Sendable {
        package var lines: [[UInt8]]
        /// Whether the client hears broadcasts from now on.
        package var subscribe: Bool
        package var close: Bool
        /// Whether the answer comes later, by `answer(_:to:)`; until then nothing more is heard of the client.
        package var comesLater: Bool

        package init(lines: [[UInt8]] = [], subscribe: Bool = false, close: Bool = false, comesLater: Bool = false) {
            self.lines = lines
            self.subscribe = subscribe
            self.close = close
            self.comesLater = comesLater
        }

        /// Closes the client, as a broken line asks for.
        package static let close = Answer(close: true)
        package static let later = Answer(comesLater: true)
    }

    /// Called on the server's thread: must answer from memory and never wait.
    package struct Handler: Sendable {
        package var accepts: @Sendable (PeerCredentials) -> Bool
        package var line: @Sendable (Client, [UInt8]) -> Answer
        package var closed: @Sendable (Client) -> Void

        package init(
            accepts: @escaping @Sendable (PeerCredentials) -> Bool = { _ in true },
            line: @escaping @Sendable (Client, [UInt8]) -> Answer, closed: @escaping @Sendable (Client) -> Void = { _ in }
        ) {
            self.accepts = accepts
            self.line = line
            self.closed = closed
        }
    }

    /// What the loop does while it goes round: a sign of life that stops when it hangs.
    package struct Pulse: Sendable {
        package var interval: Duration
        package var beat: @Sendable () -> Void

        package init(every interval: Duration, _ beat: @escaping @Sendable () -> Void) {
            self.interval = interval
            self.beat = beat
        }
    }

    private let mailbox: LineServerMailbox
    private let thread: WorkerThread

    /// Starts to serve on a socket that listens.
    ///
    /// - Parameters:
    ///   - patience: a client that takes nothing, or has not finished a line, for so long is dropped.
    ///   - pulse: nil lets the thread sleep until somebody comes.
    ///   - capacity: connections at a time; nil for three quarters of the descriptors that the process may have.
    /// - Throws: `SystemError` when the system has no descriptor or thread left.
    package init(listener: Descriptor, handler: Handler, patience: Duration = .seconds(10), pulse: Pulse? = nil, capacity: Int? = nil)
        throws(SystemError)
    {
        let mailbox = LineServerMailbox(bell: try System.eventCounter())
        // The loop is handed to its thread, which alone uses it from then on.
        nonisolated(unsafe) let loop = try LineServerLoop(
            listener: listener, mailbox: mailbox, handler: handler, patience: patience, pulse: pulse,
            capacity: capacity ?? System.descriptorLimit / 4 * 3)
        self.mailbox = mailbox
        thread = try WorkerThread("storekeeper-io") { loop.run() }
    }

    deinit {
        if mailbox.close() { thread.detach() }
    }

    /// Sends a line to every client that subscribed; returns at once.
    package func broadcast(_ line: [UInt8]) {
        mailbox.put(line)
    }

    /// Sends a line to one client, if it is still there; returns at once.
    package func send(_ line: [UInt8], to client: Client) {
        mailbox.put(line, for: client.id, isAnswer: false)
    }

    /// Gives a client the answer that was to come later; returns at once.
    package func answer(_ line: [UInt8], to client: Client) {
        mailbox.put(line, for: client.id, isAnswer: true)
    }

    /// Delivers what was broadcast so far as far as clients take it within 200 ms, closes every client and ends the thread.
    package func close() {
        if mailbox.close() { thread.join() }
    }
}

/// What other threads leave for the server's.
final class LineServerMailbox: Sendable {
    struct Mail {
        var broadcasts: [[UInt8]] = []
        /// Lines for single clients.
        var letters: [(client: UInt64, line: [UInt8], isAnswer: Bool)] = []
        var closes = false
    }

    private let mail = Mutex(Mail())
    let bell: Descriptor

    init(bell: Descriptor) {
        self.bell = bell
    }

    func put(_ broadcast: [UInt8]) {
        mail.withLock { mail in
            mail.broadcasts.append(broadcast)
            // Every event carries the whole state.
            if mail.broadcasts.count > 64 { mail.broadcasts.removeFirst() }
        }
        System.signal(bell)
    }

    func put(_ line: [UInt8], for client: UInt64, isAnswer: Bool) {
        mail.withLock { $0.letters.append((client, line, isAnswer)) }
        System.signal(bell)
    }

    /// True for the first call.
    func close() -> Bool {
        let isFirst = mail.withLock { mail in
            defer { mail.closes = true }
            return !mail.closes
        }
        System.signal(bell)
        return isFirst
    }

    func take() -> Mail {
        System.clear(bell)
        return mail.withLock { mail in
            defer { mail = Mail(closes: mail.closes) }
            return mail
        }
    }
}
