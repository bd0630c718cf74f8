import CStoreSystem
import Glibc

/// What a service asks of the system.
extension System {
    /// A variable of the environment; nil where it is not set. Read it before other threads are started.
    package static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Makes writing to a pipe whose reader has left an error instead of the end of the process.
    package static func ignoreBrokenPipes() {
        _ = Glibc.signal(SIGPIPE, SIG_IGN)
    }

    /// A Unix datagram socket that is connected to a path, or to an abstract name after `@`. Never blocks.
    package static func datagramSocket(to path: String) throws(SystemError) -> Descriptor {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        guard !bytes.isEmpty, bytes.count <= socketPathLimit else { throw SystemError(call: "connect", path: path, number: ENAMETOOLONG) }
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // The length counts: an abstract name goes to its end, not to a zero byte.
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (bytes[0] == 0 ? 0 : 1))
        let file = Descriptor(
            try run("socket", path) { socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0) })
        try run("connect", path) {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(file.raw, $0, length) }
            }
        }
        return file
    }

    /// Sends one datagram; false when it could not be taken at once.
    @discardableResult
    package static func sendDatagram(_ file: Descriptor, _ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return (try? run("send", "") { bytes.withUnsafeBytes { store_send(file.raw, $0.baseAddress, $0.count) } }) != nil
    }
}
