/// One connection to an owner, used by one thread: sends lines, receives lines, always with a deadline.
package final class LineClient {
    private let socket: Descriptor
    private var buffer = LineBuffer()
    private var hasEnded = false

    /// Connects.
    ///
    /// - Throws: `SystemError`: missing, refused, denied, or EAGAIN when the owner's queue stayed full.
    package init(_ location: StoreLocation, until deadline: Deadline) throws(SystemError) {
        socket = try UnixSocket.connect(location, until: deadline)
    }

    /// For poll(2): readable when a line or the end may be there.
    package var descriptor: Int32 { socket.raw }

    /// Sends one line; its end is added, unless it is only a part of a line.
    package func send(_ line: [UInt8], until deadline: Deadline, endsLine: Bool = true) throws(SystemError) {
        var rest = endsLine ? (line + [UInt8(ascii: "\n")])[...] : line[...]
        while !rest.isEmpty {
            let count = try System.send(socket, rest)
            rest = rest.dropFirst(count)
            if count == 0 { try System.waitUntilWritable(socket, until: deadline) }
        }
    }

    package enum Received: Sendable {
        case line([UInt8])
        /// Nothing came before the deadline.
        case nothing
        /// The owner closed the connection, or sent what is no line.
        case ended
    }

    /// The next line. A deadline that has passed only asks for what is there.
    package func receive(until deadline: Deadline) -> Received {
        while true {
            do {
                if let line = try buffer.next() { return .line(line) }
                if hasEnded { return .ended }
                if let bytes = try System.receive(socket) {
                    hasEnded = bytes.isEmpty
                    buffer.append(bytes)
                } else if deadline.hasPassed {
                    return .nothing
                } else {
                    _ = try System.poll([socket.raw], until: deadline)
                }
            } catch {
                hasEnded = true
                return .ended
            }
        }
    }
}
