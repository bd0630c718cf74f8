import Glibc

/// Room on a file system.
package enum FreeSpace {
    /// Bytes that an ordinary user may still write on the file system of `path`; nil if it cannot be told. The call is statvfs(3).
    package static func bytes(at path: String) -> Int64? {
        var facts = statvfs()
        guard statvfs(path, &facts) == 0 else { return nil }
        let (bytes, overflow) = Int64(clamping: facts.f_bavail).multipliedReportingOverflow(by: Int64(clamping: facts.f_frsize))
        return overflow ? .max : bytes
    }
}
