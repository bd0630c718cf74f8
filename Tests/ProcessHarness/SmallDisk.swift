import Foundation

/// A small file system in memory, for tests that fill it. Needs root; unmounted when the test lets go of it.
package final class SmallDisk {
    package let path: String
    private let folder: TemporaryFolder

    /// Whether this process may mount: root outside of a container that forbids it.
    package static let canMount: Bool = getuid() == 0 && (try? SmallDisk(megabytes: 1)) != nil

    package init(megabytes: Int) throws {
        folder = try TemporaryFolder()
        path = folder("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        _ = try secondsToRun(["/usr/bin/mount", "-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path])
    }

    deinit {
        _ = try? secondsToRun(["/usr/bin/umount", path])
    }

    /// Puts a file on it that leaves only so many bytes.
    package func fill(leaving bytes: Int64) throws {
        let free = try FileManager.default.attributesOfFileSystem(forPath: path)[.systemFreeSize] as? Int64 ?? 0
        let ballast = Data(count: Int(max(0, free - bytes)))
        try ballast.write(to: URL(fileURLWithPath: "\(path)/ballast"))
    }

    /// Gives it more room.
    package func grow(toMegabytes megabytes: Int) throws {
        _ = try secondsToRun(["/usr/bin/mount", "-o", "remount,size=\(megabytes)m", path])
    }
}
