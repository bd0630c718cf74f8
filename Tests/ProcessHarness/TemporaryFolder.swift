import Foundation

/// A folder for one test, removed with everything in it when the test lets go of it.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// Makes it in `parent`, by default in the folder for temporary files.
    package init(in parent: String = NSTemporaryDirectory()) throws {
        let url = URL(fileURLWithPath: parent, isDirectory: true).appendingPathComponent("storekeeper-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        remove()
    }

    /// Removes it now.
    package func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in it.
    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}

/// Copies a store that no process has open, with everything that belongs to it.
package func copyStore(_ source: String, to target: String) throws {
    for suffix in ["", "-wal", "-shm", ".keeper"] where FileManager.default.fileExists(atPath: source + suffix) {
        try FileManager.default.copyItem(atPath: source + suffix, toPath: target + suffix)
    }
    // A socket and a lock belong to the original.
    for name in ["socket", "owner.lock", "gate.lock"] {
        try? FileManager.default.removeItem(atPath: "\(target).keeper/\(name)")
    }
}
