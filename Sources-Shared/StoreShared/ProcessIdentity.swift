import Synchronization

/// Who a process is, so that a recycled pid is not taken for it. For people; liveness is the lock.
package struct ProcessIdentity: Hashable, Sendable {
    package var pid: Int32
    /// The kernel's id of this boot, without hyphens' meaning: 36 characters.
    package var boot: String
    /// Clock ticks since boot at which the process started.
    package var start: UInt64

    package init(pid: Int32, boot: String, start: UInt64) {
        self.pid = pid
        self.boot = boot
        self.start = start
    }

    /// The calling process.
    package static func current() -> ProcessIdentity {
        if let known = own.withLock({ $0 }) { return known }
        let pid = System.processID
        let (boot, start) = (currentBoot(), startTime(of: pid))
        let found = ProcessIdentity(pid: pid, boot: boot ?? "", start: start ?? 0)
        // Without a descriptor to spare it cannot be told; later it can.
        if boot != nil, start != nil { own.withLock { $0 = found } }
        return found
    }

    /// The calling process, once it has been asked for.
    private static let own = Mutex<ProcessIdentity?>(nil)

    /// What became of a process that is known to own nothing any more.
    package enum End: String, Sendable {
        case exited
        case pidReused = "pid reused"
        case otherBoot = "other boot"
    }

    /// Nil while the very process runs.
    package func end() -> End? {
        // An owner tells its state to every client, and need not ask the kernel whether it runs itself.
        if self == Self.own.withLock({ $0 }) { return nil }
        if let now = Self.currentBoot(), now != boot { return .otherBoot }
        guard let found = Self.startTime(of: pid) else { return .exited }
        return found == start ? nil : .pidReused
    }

    package static func currentBoot() -> String? {
        text("/proc/sys/kernel/random/boot_id").map { String($0.prefix { !$0.isNewline }) }
    }

    /// Clock ticks since boot; nil when there is no such process.
    package static func startTime(of pid: Int32) -> UInt64? {
        // A zombie has ended.
        guard let fields = fields(of: pid), fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
        return UInt64(fields[19])
    }

    /// Whether a signal or a debugger has stopped the process: it lives, and does nothing.
    package static func isStopped(_ pid: Int32) -> Bool {
        fields(of: pid)?.first.map { $0 == "T" || $0 == "t" } ?? false
    }

    /// What `/proc/PID/stat` says behind the name, the state first. The name in parentheses may hold anything, so its end is looked for.
    private static func fields(of pid: Int32) -> [Substring]? {
        guard let text = text("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }

    static func text(_ path: String, limit: Int = 65536) -> String? {
        guard let file = try? System.open(path, .read), let bytes = try? System.readAll(file, path: path, limit: limit) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
