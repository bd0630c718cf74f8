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

    /// Makes writing beyond the limit of a file's size (`ulimit -f`) an error instead of the end of the process.
    package static func ignoreFileSizeLimit() {
        _ = Glibc.signal(SIGXFSZ, SIG_IGN)
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

    /// A socket that this process was started with; from here on it is close-on-exec and does not block.
    package static func inheritedSocket(_ number: Int32) throws(SystemError) -> Descriptor {
        let path = "descriptor \(number)"
        let flags = try run("fcntl(F_GETFD)", path) { fcntl(number, F_GETFD) }
        try run("fcntl(F_SETFD)", path) { fcntl(number, F_SETFD, flags | FD_CLOEXEC) }
        let status = try run("fcntl(F_GETFL)", path) { fcntl(number, F_GETFL) }
        try run("fcntl(F_SETFL)", path) { fcntl(number, F_SETFL, status | O_NONBLOCK) }
        return Descriptor(number)
    }

    /// The path of a Unix stream socket that listens; nil for any other descriptor.
    package static func listeningPath(_ file: Descriptor) -> String? {
        guard option(file, SO_ACCEPTCONN) == 1, option(file, SO_TYPE) == Int32(SOCK_STREAM.rawValue) else { return nil }
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let named = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(file.raw, $0, &length) }
        }
        let start = MemoryLayout<sa_family_t>.size
        guard named == 0, address.sun_family == sa_family_t(AF_UNIX), Int(length) > start else { return nil }
        let path = withUnsafeBytes(of: address.sun_path) { Array($0.prefix(Int(length) - start).prefix { $0 != 0 }) }
        return path.isEmpty ? nil : String(decoding: path, as: UTF8.self)
    }

    private static func option(_ file: Descriptor, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(file.raw, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }

    /// Sends one datagram; false when it could not be taken at once.
    @discardableResult
    package static func sendDatagram(_ file: Descriptor, _ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return (try? run("send", "") { bytes.withUnsafeBytes { store_send(file.raw, $0.baseAddress, $0.count) } }) != nil
    }

    /// Bytes that poll(2) promises room for when it calls a pipe writable: one page.
    private static let pipePage = 4096

    /// Writes some of the bytes if that needs no waiting, also to a pipe that others share and that therefore stays in its blocking mode.
    ///
    /// - Returns: bytes written; nil when there is no room now. What cannot be written at all, since nobody is left to read it, counts as
    ///   written.
    static func writeWithoutWaiting(_ file: Int32, _ bytes: ArraySlice<UInt8>) -> Int? {
        guard waitForRoom(file, until: .now) else { return nil }
        let part = bytes.prefix(pipePage)
        do {
            return Int(try run("write", "", { part.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } }))
        } catch {
            return error.wouldBlock ? nil : bytes.count
        }
    }

    /// Whether something can be written, or writing fails at once; false when the deadline passed.
    static func waitForRoom(_ file: Int32, until deadline: Deadline) -> Bool {
        var asked = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        let count = try? run("poll", "", { Glibc.poll(&asked, 1, deadline.milliseconds) })
        return count != 0
    }

    /// Keeps SIGTERM and SIGINT from ending the process: they are blocked in the calling thread and in every thread that it starts.
    package static func blockTermination() {
        var signals = termination
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Waits for SIGTERM or SIGINT, which must be blocked.
    package static func waitForTermination() {
        var signals = termination
        var signal: Int32 = 0
        while sigwait(&signals, &signal) != 0 {}
    }

    private static var termination: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        return signals
    }

    /// The number of a device as stat(2) gives it. The function is makedev(3).
    static func device(major: UInt64, minor: UInt64) -> UInt64 {
        (major & 0xFFF) << 8 | minor & 0xFF | (minor & ~0xFF) << 12 | (major & ~0xFFF) << 32
    }

    /// Whether no device lies beneath: the kernel gives such file systems numbers under the major 0.
    static func isAnonymous(_ device: UInt64) -> Bool { device >> 8 & 0xFFF == 0 && device >> 44 == 0 }
}
