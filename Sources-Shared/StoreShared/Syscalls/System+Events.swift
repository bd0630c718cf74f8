import CStoreSystem
import Glibc

/// Waiting for descriptors: poll(2), eventfd(2), epoll(7), inotify(7).
extension System {
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
}
