/// One line of `/proc/locks`.
package struct KernelLock: Hashable, Sendable {
    package var isOpenFileDescription: Bool
    package var isWrite: Bool
    /// -1 for locks of open file descriptions, which belong to no process.
    package var pid: Int32
    package var inode: UInt64
    package var start: UInt64
    /// Inclusive; the greatest number for a lock to the end of the file.
    package var end: UInt64
}

/// The kernel's table of file locks: tells who pins a snapshot without speaking the protocol, and who owns a lock file that we
/// may not open.
package enum KernelLocks {
    package static func read() -> [KernelLock] {
        parse(ProcessIdentity.text("/proc/locks", limit: 16 << 20) ?? "")
    }

    /// The processes that hold a read mark on the index of a store's WAL, by its inode; bytes 123 to 127 are the marks.
    package static func snapshotHolders(of location: StoreLocation) -> [Int32] {
        guard let facts = try? System.stat(location.store + "-shm") else { return [] }
        let holders = read().filter { $0.inode == facts.inode && $0.pid > 0 && $0.end >= 123 && $0.start <= 127 }
        return Set(holders.map(\.pid)).sorted()
    }

    /// `1: OFDLCK ADVISORY  WRITE -1 fe:01:1234 0 0`, the range's end `EOF` where it has none; lines of waiters have `->`.
    static func parse(_ text: String) -> [KernelLock] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 8, let pid = Int32(words[4]), let inode = words[5].split(separator: ":").last.flatMap({ UInt64($0) }),
                let start = UInt64(words[6])
            else { return nil }
            return KernelLock(
                isOpenFileDescription: words[1] == "OFDLCK", isWrite: words[3] == "WRITE", pid: pid, inode: inode, start: start,
                end: UInt64(words[7]) ?? .max)
        }
    }
}
