import CStoreSystem
import Glibc

/// Unix sockets: unix(7).
extension System {
    /// A Unix stream socket that does not block.
    static func unixSocket() throws(SystemError) -> Descriptor {
        Descriptor(
            try run("socket", "") { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0) })
    }

    static func bind(_ file: Descriptor, _ path: String) throws(SystemError) {
        var address = try socketAddress(path)
        try run("bind", path) {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(file.raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
            }
        }
    }

    static func listen(_ file: Descriptor, path: String) throws(SystemError) {
        try run("listen", path) { Glibc.listen(file.raw, 4096) }
    }

    static func connect(_ file: Descriptor, _ path: String) throws(SystemError) {
        var address = try socketAddress(path)
        try run("connect", path) {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(file.raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }

    /// The next connection, non-blocking; fails with EAGAIN when there is none.
    static func accept(_ listener: Descriptor) throws(SystemError) -> Descriptor {
        Descriptor(try run("accept4", "") { store_accept(listener.raw) })
    }

    /// Who was at the other end when it connected.
    package static func peer(_ file: Descriptor) throws(SystemError) -> PeerCredentials {
        var (process, user, group): (pid_t, uid_t, gid_t) = (0, 0, 0)
        try run("getsockopt(SO_PEERCRED)", "") { store_peer(file.raw, &process, &user, &group) }
        return PeerCredentials(pid: process, uid: user, gid: group)
    }

    /// Bytes sent; 0 when the other side's buffer is full. Never blocks and raises no signal.
    static func send(_ file: Descriptor, _ bytes: ArraySlice<UInt8>) throws(SystemError) -> Int {
        do {
            return try run("send", "") { bytes.withUnsafeBytes { store_send(file.raw, $0.baseAddress, $0.count) } }
        } catch {
            if error.wouldBlock { return 0 }
            throw error
        }
    }

    /// Bytes received; empty at the end; nil when there is nothing yet.
    static func receive(_ file: Descriptor) throws(SystemError) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16384)
        do {
            let count = try run("recv", "") { recv(file.raw, &buffer, buffer.count, Int32(MSG_DONTWAIT)) }
            return Array(buffer[..<count])
        } catch {
            if error.wouldBlock { return nil }
            throw error
        }
    }

    /// Bytes of a path that a socket's address has room for.
    static let socketPathLimit = 107

    private static func socketAddress(_ path: String) throws(SystemError) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count <= socketPathLimit else { throw SystemError(call: "connect", path: path, number: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }
}

/// Who is at the other end of a socket, as the kernel vouches.
package struct PeerCredentials: Hashable, Sendable {
    package let pid: Int32
    package let uid: UInt32
    package let gid: UInt32
}
