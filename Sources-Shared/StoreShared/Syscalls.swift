import CStoreSystem
import Glibc

#if STORE_FAULTS
import StoreSQLite
#endif

/// A system call that failed: which, on what, with which error number.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    package let call: String
    package let path: String
    package let number: Int32

    package init(call: String, path: String, number: Int32) {
        (self.call, self.path, self.number) = (call, path, number)
    }

    package var description: String { "\(call)\(path.isEmpty ? "" : " " + path): \(String(cString: strerror(number)))" }

    /// What a person can do about it; nil where that depends on what was to be done.
    package var remedy: String? {
        switch number {
        case ENOSPC: "make room on the file system: bytes, or files where it has no inode left"
        case EDQUOT: "make room within the user's quota"
        case EFBIG: "raise the limit of the size of files"
        case EMFILE, ENFILE: "raise the limit of open files"
        case ENOMEM: "make memory free"
        case EROFS: "the file system is mounted read-only: mount it for writing"
        case EIO: "check the disk"
        case ELOOP, EISDIR, ENXIO, ENOTDIR: "move away what stands there instead, while no owner runs"
        case EACCES, EPERM: "check the permissions of it and of every folder above it"
        default: nil
        }
    }

    package var isMissing: Bool { number == ENOENT || number == ENOTDIR }
    package var isDenied: Bool { number == EACCES || number == EPERM }
    package var isFull: Bool { number == ENOSPC || number == EDQUOT || number == EFBIG }
    package var isExhausted: Bool { number == EMFILE || number == ENFILE }
    package var wouldBlock: Bool { number == EAGAIN }
    /// Of the machine as it is now, and not of what was asked of it.
    package var isOfTheMoment: Bool {
        isFull || isExhausted || isDenied || wouldBlock || number == EIO || number == ENOMEM || number == EROFS
    }
    /// A symbolic link or a folder where a file was to be.
    package var isOfWrongKind: Bool { number == ELOOP || number == EISDIR || number == ENXIO }
    package var exists: Bool { number == EEXIST }
    /// A name that is not UTF-8.
    package var isNoText: Bool { number == EILSEQ }
    /// Whoever listened at the socket ended in the middle.
    package var isBrokenOff: Bool { number == ECONNRESET || number == EPIPE }
    /// Nobody listens at the socket.
    package var isRefused: Bool { number == ECONNREFUSED || number == ECONNRESET || number == EPIPE || number == EPROTOTYPE }
}

/// A file descriptor that is closed when the last reference to it goes.
package final class Descriptor: Sendable {
    package let raw: Int32

    package init(_ raw: Int32) {
        self.raw = raw
    }

    deinit {
        // Never repeated: after EINTR the descriptor is gone on Linux.
        _ = close(raw)
    }
}

/// What stat(2) says that we ask for.
package struct FileFacts: Hashable, Sendable {
    package enum Kind: Sendable { case regular, folder, socket, link, other }
    package let device: UInt64
    package let inode: UInt64
    package let mode: UInt32
    package let links: UInt64
    package let owner: UInt32
    package let group: UInt32
    /// Bytes.
    package let size: Int64

    package var kind: Kind {
        switch mode & UInt32(S_IFMT) {
        case UInt32(S_IFREG): .regular
        case UInt32(S_IFDIR): .folder
        case UInt32(S_IFSOCK): .socket
        case UInt32(S_IFLNK): .link
        default: .other
        }
    }
    /// The permission bits, 0o777 at most.
    package var permissions: UInt32 { mode & 0o777 }
}

/// Every system call of the package below the models: thin, EINTR repeated, failure thrown with its path.
package enum System {
    #if STORE_FAULTS
    /// Tests put failures here; release builds do not have it.
    package static let faults = FaultTable()
    #endif

    /// Runs a call that returns a negative number on failure, again while a signal interrupts it.
    @discardableResult
    static func run<Result: SignedInteger>(_ call: StaticString, _ path: @autoclosure () -> String, _ body: () -> Result)
        throws(SystemError) -> Result
    {
        while true {
            #if STORE_FAULTS
            if let number = faults.next("\(call)") {
                if number == EINTR { continue }
                throw SystemError(call: "\(call)", path: path(), number: number)
            }
            defer { FailPoint.pass("\(call) \(path())") }
            #endif
            let result = body()
            if result >= 0 { return result }
            let number = errno
            if number != EINTR { throw SystemError(call: "\(call)", path: path(), number: number) }
        }
    }

    /// As `run`, for a call that returns a null pointer on failure.
    private static func runPointer<Pointer>(_ call: StaticString, _ path: @autoclosure () -> String, _ body: () -> Pointer?)
        throws(SystemError) -> Pointer
    {
        var found: Pointer?
        while true {
            try run(call, path()) {
                found = body()
                return found == nil ? -1 : 0
            }
            if let found { return found }
        }
    }

    /// open(2), always close-on-exec, never following a link at the end of the path.
    package static func open(_ path: String, _ access: OpenAccess, mode: UInt32 = 0) throws(SystemError) -> Descriptor {
        let flags = access.rawValue | O_CLOEXEC | O_NOFOLLOW
        return Descriptor(try run("open", path) { Glibc.open(path, flags, mode_t(mode)) })
    }

    package struct OpenAccess: OptionSet, Sendable {
        package let rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }
        package static let read = OpenAccess([])
        package static let write = OpenAccess(rawValue: O_WRONLY)
        package static let readWrite = OpenAccess(rawValue: O_RDWR)
        package static let create = OpenAccess(rawValue: O_CREAT)
        package static let exclusive = OpenAccess(rawValue: O_EXCL)
        package static let folder = OpenAccess(rawValue: O_DIRECTORY)
        package static let nonBlocking = OpenAccess(rawValue: O_NONBLOCK)
        /// Only names the file; needs no permission on it. O_PATH, which Glibc's module lacks.
        package static let pathOnly = OpenAccess(rawValue: 0o10000000)
    }

    package static func stat(_ path: String) throws(SystemError) -> FileFacts {
        var found = Glibc.stat()
        try run("stat", path) { statByPath(path, &found) }
        return FileFacts(found)
    }

    /// Does not follow a link at the end of the path.
    package static func linkStat(_ path: String) throws(SystemError) -> FileFacts {
        var found = Glibc.stat()
        try run("lstat", path) { Glibc.lstat(path, &found) }
        return FileFacts(found)
    }

    package static func stat(_ file: Descriptor, path: String) throws(SystemError) -> FileFacts {
        var found = Glibc.stat()
        try run("fstat", path) { Glibc.fstat(file.raw, &found) }
        return FileFacts(found)
    }

    /// Reads to the end, or to `limit` bytes.
    package static func readAll(_ file: Descriptor, path: String, limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16384)
        while bytes.count < limit {
            let wanted = min(buffer.count, limit - bytes.count)
            let count = try run("read", path) { Glibc.read(file.raw, &buffer, wanted) }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }

    /// What there is to read now.
    ///
    /// - Throws: `SystemError` of EAGAIN when there is nothing.
    static func readSome(_ file: Descriptor) throws(SystemError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 16384)
        let count = try run("read", "") { Glibc.read(file.raw, &buffer, buffer.count) }
        return Array(buffer[..<count])
    }

    /// Writes everything.
    package static func writeAll(_ file: Descriptor, _ bytes: [UInt8], path: String) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            done += try run("write", path) {
                bytes.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress! + done, $0.count - done) }
            }
        }
    }

    package static func sync(_ file: Descriptor, path: String) throws(SystemError) {
        try run("fsync", path) { fsync(file.raw) }
    }

    package static func truncate(_ file: Descriptor, to length: Int64, path: String) throws(SystemError) {
        try run("ftruncate", path) { ftruncate(file.raw, off_t(length)) }
    }

    package static func allocate(_ file: Descriptor, length: Int64, path: String) throws(SystemError) {
        try run("fallocate", path) { store_allocate(file.raw, off_t(length)) }
    }

    package static func setMode(_ file: Descriptor, _ mode: UInt32, path: String) throws(SystemError) {
        try run("fchmod", path) { fchmod(file.raw, mode_t(mode)) }
    }

    package static func setOwner(_ file: Descriptor, user: UInt32, group: UInt32, path: String) throws(SystemError) {
        try run("fchown", path) { fchown(file.raw, uid_t(user), gid_t(group)) }
    }

    package static func setMode(_ path: String, _ mode: UInt32) throws(SystemError) {
        try run("chmod", path) { chmod(path, mode_t(mode)) }
    }

    package static func rename(_ old: String, to new: String) throws(SystemError) {
        try run("rename", "\(old) to \(new)") { Glibc.rename(old, new) }
    }

    package static func unlink(_ path: String) throws(SystemError) {
        try run("unlink", path) { Glibc.unlink(path) }
    }

    package static func makeFolder(_ path: String, mode: UInt32) throws(SystemError) {
        try run("mkdir", path) { mkdir(path, mode_t(mode)) }
    }

    /// The path with every link resolved.
    package static func realPath(_ path: String) throws(SystemError) -> String {
        let resolved = try runPointer("realpath", path) { realpath(path, nil) }
        defer { free(resolved) }
        return try text(resolved, of: "realpath", path)
    }

    /// The target of a symbolic link.
    package static func readLink(_ path: String) throws(SystemError) -> String {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = try run("readlink", path) {
            buffer.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
        }
        guard let target = String(validating: buffer[..<count], as: UTF8.self) else {
            throw SystemError(call: "readlink", path: path, number: EILSEQ)
        }
        return target
    }

    package static func currentFolder() throws(SystemError) -> String {
        let found = try runPointer("getcwd", ".") { getcwd(nil, 0) }
        defer { free(found) }
        return try text(found, of: "getcwd", ".")
    }

    /// A path that the kernel gave, as text: repaired it would be that of another file.
    private static func text(_ bytes: UnsafePointer<CChar>, of call: String, _ path: String) throws(SystemError) -> String {
        guard let text = String(validatingCString: bytes) else { throw SystemError(call: call, path: path, number: EILSEQ) }
        return text
    }

    /// A system call's number for a file system, as in statfs(2).
    package static func fileSystemType(_ path: String) throws(SystemError) -> Int64 {
        try run("statfs", path) { store_file_system_type(path) }
    }

    /// Bytes that an ordinary user may still write on the file system of `path`. The call is statvfs(3).
    package static func freeSpace(at path: String) throws(SystemError) -> Int64 {
        var facts = Glibc.statvfs()
        try run("statvfs", path) { fileSystemByPath(path, &facts) }
        let (bytes, overflow) = Int64(clamping: facts.f_bavail).multipliedReportingOverflow(by: Int64(clamping: facts.f_frsize))
        return overflow ? .max : bytes
    }

    /// Files that an ordinary user may still make on the file system of `path`; nil where it knows no such limit. The call is statvfs(3).
    package static func freeFiles(at path: String) throws(SystemError) -> Int64? {
        var facts = Glibc.statvfs()
        try run("statvfs", path) { fileSystemByPath(path, &facts) }
        return facts.f_files == 0 ? nil : Int64(clamping: facts.f_favail)
    }

    /// Gives a file to a group. The call is chown(2).
    static func setGroup(_ path: String, _ group: UInt32) throws(SystemError) {
        try run("chown", path) { chown(path, uid_t.max, gid_t(group)) }
    }

    package enum Lock: Sendable { case shared, exclusive, none }

    /// Sets or clears an open-file-description lock on one byte. False when another holds it.
    package static func setLock(_ file: Descriptor, _ lock: Lock, byte: Int64, path: String) throws(SystemError) -> Bool {
        let type =
            switch lock {
            case .shared: Int16(F_RDLCK)
            case .exclusive: Int16(F_WRLCK)
            case .none: Int16(F_UNLCK)
            }
        do {
            try run("fcntl(F_OFD_SETLK)", path) { store_lock_set(file.raw, type, off_t(byte), 1) }
            return true
        } catch {
            if error.number == EAGAIN || error.number == EACCES { return false }
            throw error
        }
    }

    /// Whether somebody else's exclusive lock lies on that byte; takes nothing.
    package static func isLocked(_ file: Descriptor, byte: Int64, path: String) throws(SystemError) -> Bool {
        var type = Int16(F_RDLCK)
        try run("fcntl(F_OFD_GETLK)", path) { store_lock_get(file.raw, &type, off_t(byte), 1) }
        return type != Int16(F_UNLCK)
    }

    /// Waits for one of some descriptors to have something to read or an end. The ones that have.
    package static func poll(_ descriptors: [Int32], until deadline: Deadline) throws(SystemError) -> [Int32] {
        try poll(descriptors, events: Int16(POLLIN), until: deadline)
    }

    /// Waits until a socket takes more.
    ///
    /// - Throws: `SystemError` of EAGAIN when it did not in time.
    static func waitUntilWritable(_ socket: Descriptor, until deadline: Deadline) throws(SystemError) {
        let ready = try poll([socket.raw], events: Int16(POLLOUT), until: deadline)
        if ready.isEmpty { throw SystemError(call: "send", path: "", number: EAGAIN) }
    }

    private static func poll(_ descriptors: [Int32], events: Int16, until deadline: Deadline) throws(SystemError) -> [Int32] {
        var asked = descriptors.map { pollfd(fd: $0, events: events, revents: 0) }
        // After EINTR the time that is left is counted anew.
        let count = try run("poll", "") { Glibc.poll(&asked, nfds_t(asked.count), deadline.milliseconds) }
        return count == 0 ? [] : asked.filter { $0.revents != 0 }.map(\.fd)
    }

    /// Lets the calling thread sleep.
    package static func sleep(_ duration: Duration) {
        let nanoseconds = max(0, duration.nanoseconds)
        var wanted = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        var left = timespec()
        while nanosleep(&wanted, &left) != 0, errno == EINTR { wanted = left }
    }

    // MARK: Sockets

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

    // MARK: Events

    /// A counter to wake a thread that waits in poll or epoll.
    package static func eventCounter() throws(SystemError) -> Descriptor {
        Descriptor(try run("eventfd", "") { store_eventfd() })
    }

    package static func signal(_ counter: Descriptor) {
        var one: UInt64 = 1
        _ = Glibc.write(counter.raw, &one, 8)
    }

    package static func clear(_ counter: Descriptor) {
        var count: UInt64 = 0
        _ = Glibc.read(counter.raw, &count, 8)
    }

    static func epoll() throws(SystemError) -> Descriptor {
        Descriptor(try run("epoll_create1", "") { store_epoll_create() })
    }

    enum EpollOperation: Int32 { case add = 1, remove = 2, change = 3 }

    static func control(
        _ epoll: Descriptor, _ operation: EpollOperation, _ file: Descriptor, readable: Bool = true, writable: Bool = false, token: UInt64
    ) throws(SystemError) {
        // EPOLLIN with EPOLLRDHUP, EPOLLOUT
        let events: UInt32 = (readable ? 0x2001 : 0) | (writable ? 0x004 : 0)
        try run("epoll_ctl", "") { store_epoll_control(epoll.raw, operation.rawValue, file.raw, events, token) }
    }

    /// The tokens of descriptors that are ready, each with whether it can be read (or has ended) and written.
    static func wait(_ epoll: Descriptor, milliseconds: Int32) throws(SystemError) -> [(token: UInt64, readable: Bool, writable: Bool)] {
        var tokens = [UInt64](repeating: 0, count: 512)
        var events = [UInt32](repeating: 0, count: 512)
        let count = try run("epoll_wait", "") { store_epoll_wait(epoll.raw, &tokens, &events, 512, milliseconds) }
        return (0..<Int(count)).map { (tokens[$0], events[$0] & ~0x004 != 0, events[$0] & 0x004 != 0) }
    }

    /// An inotify instance with one watch on a folder for entries that are renamed into it or removed, and on the folder itself.
    ///
    /// - Parameter creations: also for entries that are made there.
    static func watch(folder: String, creations: Bool) throws(SystemError) -> Descriptor {
        let file = Descriptor(try run("inotify_init1", folder) { inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)) })
        let events =
            (creations ? IN_CREATE : 0) | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | Int32(bitPattern: UInt32(IN_ONLYDIR))
        try run("inotify_add_watch", folder) { inotify_add_watch(file.raw, folder, UInt32(bitPattern: events)) }
        return file
    }

    // MARK: Process

    /// The descriptors that this process may have open, 2^20 at most.
    static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(min(limit.rlim_cur, 1 << 20))
    }

    package static var processID: Int32 { getpid() }
    package static var userID: UInt32 { geteuid() }

    /// Writes a text to standard output or standard error; false when nobody takes it.
    @discardableResult
    package static func print(_ text: String, toError: Bool = false) -> Bool {
        let bytes = Array(text.utf8)
        let file: Int32 = toError ? 2 : 1
        var done = 0
        while done < bytes.count {
            let rest = done
            guard
                let count = try? run("write", "", { bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress! + rest, $0.count - rest) } })
            else { return false }
            done += count
        }
        return true
    }

    /// Whether a descriptor of this process is a terminal: somebody may be there to answer.
    package static func isTerminal(_ file: Int32) -> Bool { isatty(file) == 1 }

    /// Ends the process without running anything more.
    package static func end(_ status: Int32) -> Never {
        _exit(status)
    }

    /// Random bytes from the kernel.
    package static func random(_ count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        try run("getrandom", "") { bytes.withUnsafeMutableBytes { store_random($0.baseAddress!, $0.count) } }
        return bytes
    }

    /// The names in a folder, without `.` and `..`.
    package static func names(in folder: String) throws(SystemError) -> [String] {
        let opened = try runPointer("opendir", folder) { opendir(folder) }
        defer { closedir(opened) }
        var names: [String] = []
        while let entry = readdir(opened) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}

/// Who is at the other end of a socket, as the kernel vouches.
package struct PeerCredentials: Hashable, Sendable {
    package let pid: Int32
    package let uid: UInt32
    package let gid: UInt32
}

extension FileFacts {
    init(_ found: stat) {
        self.init(
            device: UInt64(found.st_dev), inode: UInt64(found.st_ino), mode: UInt32(found.st_mode), links: UInt64(found.st_nlink),
            owner: UInt32(found.st_uid), group: UInt32(found.st_gid), size: Int64(found.st_size))
    }
}

/// stat(2) under another name: inside `System` its own is the method.
private func statByPath(_ path: String, _ found: inout stat) -> Int32 { stat(path, &found) }

/// statvfs(3), whose name is a type's too.
private func fileSystemByPath(_ path: String, _ found: inout statvfs) -> Int32 { statvfs(path, &found) }

func monotonicNanoseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// Seconds since 1970 of the wall clock; for people only.
func wallClock() -> (seconds: Int64, nanoseconds: Int64) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    #if STORE_FAULTS
    now.tv_sec += Int(System.faults.clockError)
    #endif
    return (Int64(now.tv_sec), Int64(now.tv_nsec))
}
