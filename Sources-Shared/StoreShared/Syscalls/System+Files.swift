import CStoreSystem
import Glibc

/// Files: what stands at a path, and what is in it.
extension System {
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

    /// Gives a file to a group. The call is chown(2).
    static func setGroup(_ path: String, _ group: UInt32) throws(SystemError) {
        try run("chown", path) { chown(path, uid_t.max, gid_t(group)) }
    }
}

/// stat(2) under another name: inside `System` its own is the method.
private func statByPath(_ path: String, _ found: inout stat) -> Int32 { stat(path, &found) }
