#if STORE_FAULTS
import StoreShared

/// The store's files, for tests that look at them or change them while no process has them open.
extension ScheduleRun {
    package func isAlive(_ name: String) -> Bool { actors[name]?.isAlive == true }

    package func lastAnswer(_ name: String) -> String { actors[name]?.lastAnswer ?? "" }

    package func processID(_ name: String) -> Int32? { actors[name]?.pid }

    private static let suffixes = ["", "-wal", "-shm"]

    package func copyStore(to name: String) throws {
        for suffix in Self.suffixes where (try? System.stat(location.store + suffix)) != nil {
            try copy(location.store + suffix, to: folder + "/" + name + suffix)
        }
    }

    package func copyStore(from name: String) throws {
        for suffix in Self.suffixes {
            removeTree(location.store + suffix)
            if (try? System.stat(folder + "/" + name + suffix)) != nil {
                try copy(folder + "/" + name + suffix, to: location.store + suffix)
            }
        }
    }

    /// The bytes of the store and of its log.
    package func contentsOfFiles() throws -> [[UInt8]] {
        try ["", "-wal"].map { suffix in
            guard let file = try? System.open(location.store + suffix, .read) else { return [] }
            return try System.readAll(file, path: location.store + suffix, limit: 1 << 30)
        }
    }

    /// Changes the bytes of one of the files.
    package func rewrite(_ suffix: String, _ change: (inout [UInt8]) -> Void) throws {
        let path = location.store + suffix
        let file = try System.open(path, .readWrite)
        var bytes = try System.readAll(file, path: path, limit: 1 << 30)
        change(&bytes)
        let target = try System.open(path, .readWrite)
        try System.truncate(target, to: 0, path: path)
        try System.writeAll(target, bytes, path: path)
    }

    /// Smashes the index of the log in place, as a stray program would: what has it mapped sees that.
    package func rewriteIndex(headerOnly: Bool) throws {
        let path = location.store + "-shm"
        let file = try System.open(path, .write)
        try System.writeAll(file, (0..<(headerOnly ? 96 : 32768)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }, path: path)
    }

    /// The test has brought the store back itself: it may be at an earlier generation than was published.
    package func forgetGenerations() {
        expected.generation = 0
        expected.epoch = 0
    }
}
#endif
