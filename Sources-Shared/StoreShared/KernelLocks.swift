/// One line of `/proc/locks`.
package struct KernelLock: Hashable, Sendable {
    package var isOpenFileDescription: Bool
    package var isWrite: Bool
    /// -1 for locks of open file descriptions, which belong to no process.
    package var pid: Int32
    /// Of the file system, as stat(2) numbers it.
    package var device: UInt64
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
        let holders = read().filter { $0.isOn(facts) && $0.pid > 0 && $0.end >= 123 && $0.start <= 127 }
        return Set(holders.map(\.pid)).sorted()
    }

    /// `1: OFDLCK ADVISORY  WRITE -1 fe:01:1234 0 0`, the range's end `EOF` where it has none; lines of waiters have `->`.
    static func parse(_ text: String) -> [KernelLock] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            // flock(2) and leases keep nobody from a lock of ours.
            guard words.count == 8, words[1] == "OFDLCK" || words[1] == "POSIX", let pid = Int32(words[4]), let file = file(words[5]),
                let start = UInt64(words[6])
            else { return nil }
            return KernelLock(
                isOpenFileDescription: words[1] == "OFDLCK", isWrite: words[3] == "WRITE", pid: pid, device: file.device,
                inode: file.inode, start: start, end: UInt64(words[7]) ?? .max)
        }
    }

    /// `fe:01:1234`: the device's two numbers in hexadecimal, then the inode.
    private static func file(_ text: Substring) -> (device: UInt64, inode: UInt64)? {
        let parts = text.split(separator: ":")
        guard parts.count == 3, let major = UInt64(parts[0], radix: 16), let minor = UInt64(parts[1], radix: 16),
            let inode = UInt64(parts[2])
        else { return nil }
        return (System.device(major: major, minor: minor), inode)
    }
}

extension KernelLock {
    /// Whether it is on that very file: two file systems may give out one inode number.
    ///
    /// File systems without a device of their own (btrfs, overlayfs) tell the kernel's table another number than stat(2); among them the
    /// inode alone decides.
    package func isOn(_ file: FileFacts) -> Bool {
        inode == file.inode && (device == file.device || System.isAnonymous(device) && System.isAnonymous(file.device))
    }
}
