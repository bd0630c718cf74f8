import CStoreSystem
import Glibc

/// Folders, links, and the file systems that they lie on.
extension System {
    package static func makeFolder(_ path: String, mode: UInt32) throws(SystemError) {
        try run("mkdir", path) { mkdir(path, mode_t(mode)) }
    }

    /// Removes a folder with nothing in it. The call is rmdir(2).
    package static func removeFolder(_ path: String) throws(SystemError) {
        try run("rmdir", path) { rmdir(path) }
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
}

/// statvfs(3), whose name is a type's too.
private func fileSystemByPath(_ path: String, _ found: inout statvfs) -> Int32 { statvfs(path, &found) }
