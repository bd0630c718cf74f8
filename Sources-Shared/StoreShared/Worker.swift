/// The process that works on a file, as the file's name tells: its number, and the namespace of process numbers in which that holds.
/// In another container the same number is another process.
package struct Worker: Hashable, Sendable, LosslessStringConvertible {
    package let pid: Int32
    /// The inode of the namespace.
    package let namespace: UInt64

    /// The calling process.
    package static let current = Worker(pid: System.processID, namespace: (try? System.stat("/proc/self/ns/pid"))?.inode ?? 0)

    private init(pid: Int32, namespace: UInt64) {
        self.pid = pid
        self.namespace = namespace
    }

    package init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let pid = Int32(parts[0]), let namespace = UInt64(parts[1]) else { return nil }
        self.init(pid: pid, namespace: namespace)
    }

    /// `PID.NAMESPACE`.
    package var description: String { "\(pid).\(namespace)" }

    /// Whether it is known to have ended; of another container nothing can be told.
    package var isGone: Bool { namespace == Self.current.namespace && ProcessIdentity.startTime(of: pid) == nil }
}
