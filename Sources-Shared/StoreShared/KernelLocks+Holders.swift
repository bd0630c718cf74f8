/// Who holds a lock on a file, by process.
extension KernelLocks {
    /// The processes that hold a lock on some of these bytes of a file, in ascending order.
    ///
    /// The kernel's table gives no process for the lock of an open file description; whoever has that description open tells of it in
    /// `/proc/PID/fdinfo`, which is open to the process's own user and to root. So the answer may be empty although a lock is held.
    ///
    /// - Parameter writersOnly: leaves out shared locks.
    package static func holders(of path: String, bytes: ClosedRange<UInt64>, writersOnly: Bool = false) -> [Int32] {
        guard let file = try? System.linkStat(path) else { return [] }
        func counts(_ lock: KernelLock) -> Bool {
            lock.isOn(file) && lock.end >= bytes.lowerBound && lock.start <= bytes.upperBound && (lock.isWrite || !writersOnly)
        }
        let held = read().filter(counts)
        var found = Set(held.map(\.pid).filter { $0 > 0 })
        if held.contains(where: \.isOpenFileDescription) {
            for pid in processes where hasOpen(file, pid, counts) { found.insert(pid) }
        }
        return found.sorted()
    }

    /// The processes that keep an owner from having a store without readers: they hold its turnstile or its gate. Our own is left out.
    package static func gateHolders(of location: StoreLocation) -> [Int32] {
        holders(of: location.gateLock, bytes: 0...1).filter { $0 != System.processID }
    }

    /// Every process of this namespace.
    private static var processes: [Int32] {
        ((try? System.names(in: "/proc")) ?? []).compactMap { Int32($0) }
    }

    /// Whether a process has a description of that file with such a lock.
    private static func hasOpen(_ file: FileFacts, _ pid: Int32, _ counts: (KernelLock) -> Bool) -> Bool {
        let names = (try? System.names(in: "/proc/\(pid)/fdinfo")) ?? []
        return names.contains { name in
            guard let facts = try? System.stat("/proc/\(pid)/fd/\(name)"), facts.inode == file.inode, facts.device == file.device,
                let text = ProcessIdentity.text("/proc/\(pid)/fdinfo/\(name)")
            else { return false }
            let locks = text.split(separator: "\n").filter { $0.hasPrefix(lockMark) }.map { $0.dropFirst(lockMark.count) }
            return parse(locks.joined(separator: "\n")).contains(where: counts)
        }
    }

    /// What stands before the locks of a description in its `fdinfo`; the rest of such a line is one of `/proc/locks`.
    private static let lockMark = "lock:"
}
