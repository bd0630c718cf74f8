import CStoreSystem
import Glibc

/// This process.
extension System {
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
}
