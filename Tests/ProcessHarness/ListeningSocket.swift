import Foundation

/// A Unix stream socket as a service manager makes it, and clients of it that speak lines.
package final class ListeningSocket {
    package let path: String
    package let descriptor: Int32

    package init(at path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard withUnixAddress(path, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 128) == 0 else {
            throw HarnessError("\(path) cannot be listened on: \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Of the file at the path.
    package var inode: UInt64 {
        get throws { try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64 ?? 0 }
    }

    package func connect() throws -> LineSocket { try LineSocket(to: path) }
}

/// A client of a Unix stream socket that is under nobody's control but the test's.
package final class LineSocket {
    package let descriptor: Int32
    private var rest: [UInt8] = []

    package init(to path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, withUnixAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw HarnessError("\(path) cannot be connected to: \(reason)")
        }
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Sends the bytes as they are.
    ///
    /// - Returns: false when the other side has closed.
    @discardableResult
    package func send(bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + done, $0.count - done, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    package func send(_ line: String) throws {
        guard send(bytes: Array((line + "\n").utf8)) else { throw HarnessError("the other side has closed, and does not take \(line)") }
    }

    /// The next line; nil when the other side has closed.
    ///
    /// - Throws: `HarnessError` when neither happens within half a minute.
    package func line() throws -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeSubrange(...end) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            var chunk = [UInt8](repeating: 0, count: 65536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            if count == 0 || count < 0 && errno == ECONNRESET { return nil }
            guard count > 0 else { throw HarnessError("nothing comes: \(String(cString: strerror(errno)))") }
            rest += chunk[..<count]
        }
    }

    /// Sends a line and gives the next that comes; empty when the other side closes.
    package func ask(_ line: String) throws -> String {
        try send(line)
        return try self.line() ?? ""
    }
}

/// Calls with the address of a path of at most 107 bytes.
func withUnixAddress<T>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
}
