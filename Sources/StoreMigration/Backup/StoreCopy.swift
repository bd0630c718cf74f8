import StoreShared
import StoreSQLite

/// A copy of a store as one file: complete, verified and durable under its name, or absent.
///
/// It is made under a temporary name, through SQLite's backup API. The source is copied from the snapshot of its open transaction where
/// it has one: then no writer can make the copy begin anew.
package struct StoreCopy {
    /// The name that the copy gets when it is complete.
    package let file: String
    private let temporary: String
    private let folder: String
    private let name: String

    /// Unmistakable: files with such names are removed, also from folders that are not ours.
    package static let partial = "storekeeper-partial-"
    /// What SQLite may put beside a file while it is written.
    private static let suffixes = ["", "-journal", "-wal", "-shm"]
    /// Pages copied in one go, between two looks at the clock.
    #if STORE_FAULTS
    // So that a small store takes several steps, between which a test can come.
    private static let pages: Int32 = 20
    #else
    private static let pages: Int32 = 2000
    #endif

    package init(to file: String) {
        self.file = file
        let slash = file.lastIndex(of: "/")
        folder = slash.map { String(file[..<$0]) } ?? "."
        name = slash.map { String(file[file.index(after: $0)...]) } ?? file
        temporary = "\(folder.isEmpty ? "/" : folder)/\(Self.partial)\(Worker.current)-\(name)"
    }

    /// Copies, verifies and renames.
    ///
    /// - Parameters:
    ///   - metadata: what the store is; the copy must be exactly that. Nil for a damaged store, which is copied as it is.
    ///   - mode: permission bits of the copy.
    ///   - tick: called often while it works; false stops it.
    ///   - progress: called after each step with pages done and pages in all; may throw to stop.
    /// - Returns: what rows of the copy break of what their tables declare, as they do in the store.
    /// - Throws: `SQLiteError`, `SystemError`, `StoreError.unreadable` for a damaged copy. Nothing of a half-made copy is left.
    @discardableResult
    package func make(
        from source: Connection, of metadata: StoreMetadata?, mode: UInt32, tick: @escaping () -> Bool,
        progress: (_ pagesDone: Int, _ pagesTotal: Int) throws -> Void
    ) throws -> [String] {
        // What killed processes left, and one of our own number of this very copy.
        for name in Self.leftovers(in: folder, ofOthers: true) { try? System.unlink("\(folder)/\(name)") }
        for suffix in Self.suffixes { try? System.unlink(temporary + suffix) }
        var brokenRules: [String] = []
        do {
            try Self.copy(source, to: temporary, tick: tick, progress: progress) { copy in
                if let metadata { brokenRules = try Self.verify(copy, is: metadata) }
            }
            try System.setMode(temporary, mode)
            try sync(temporary, [.read])
            // A log that lies there would be replayed into the copy.
            for name in [file, file + "-wal", file + "-journal"] where (try? System.linkStat(name)) != nil { throw Self.exists(name) }
            try System.rename(temporary, to: file)
            try sync(folder.isEmpty ? "/" : folder, [.read, .folder])
        } catch {
            for suffix in Self.suffixes { try? System.unlink(temporary + suffix) }
            throw error
        }
        return brokenRules
    }

    /// A raw copy for private use, neither durable nor verified.
    ///
    /// - Parameter finishing: called with the copy while it is still open.
    package static func copy(
        _ source: Connection, to path: String, tick: @escaping () -> Bool, progress: (Int, Int) throws -> Void,
        finishing: (Connection) throws -> Void = { _ in }
    ) throws {
        let copy = try Connection(path: path, access: .create)
        defer { copy.close() }
        copy.onProgress(everySteps: 10_000, tick)
        // Durable by one fsync at the end instead of one at every step.
        try copy.execute("PRAGMA synchronous = OFF")
        do {
            let backup = try Backup(from: source, to: copy)
            while try backup.step(pages: Self.pages) {
                try progress(backup.totalPages - backup.remainingPages, backup.totalPages)
            }
            try progress(backup.totalPages, backup.totalPages)
        }
        // One file, readable without a log and a shared memory beside it.
        _ = try copy.scalar("PRAGMA journal_mode = DELETE")
        try finishing(copy)
    }

    private static func verify(_ copy: Connection, is metadata: StoreMetadata) throws -> [String] {
        // A CHECK may need a function that this process does not have.
        try copy.execute("PRAGMA ignore_check_constraints = ON")
        let check = try IntegrityCheck(copy, isQuick: true)
        if let damage = check.damage.first {
            throw StoreError(
                .unreadable, "the copy is damaged: \(damage)", remedy: "check the store and the disk", path: copy.path)
        }
        guard let found = try StoreMetadata.read(copy), found.storeID == metadata.storeID, found.identity == metadata.identity,
            found.generation == metadata.generation
        else { throw StoreError(.unreadable, "the copy is not of the store as it is", remedy: "try again", path: copy.path) }
        return check.brokenRules
    }

    package static func exists(_ path: String) -> StoreError {
        StoreError(.unsuitablePlace, "\(path) exists already", remedy: "choose another name, or move it away", path: path)
    }

    private func sync(_ path: String, _ access: System.OpenAccess) throws {
        try System.sync(try System.open(path, access), path: path)
    }

    /// The name of a private file for work beside a store. It is removed with the leftovers when the process is gone.
    package static func privateName(_ purpose: String, in folder: String) -> String {
        "\(folder)/\(partial)\(Worker.current)-\(purpose)"
    }

    /// Files in a folder that copies of processes which are gone have left half-made; of another container nothing can be told.
    ///
    /// - Parameter ofOthers: leaves out those with the number of this process, which may be at work on them.
    package static func leftovers(in folder: String, ofOthers: Bool = false) -> [String] {
        ((try? System.names(in: folder)) ?? []).filter { name in
            guard name.hasPrefix(partial), let worker = Worker(String(name.dropFirst(partial.count).prefix { $0 != "-" })) else {
                return false
            }
            return worker == .current ? !ofOthers : worker.isGone
        }
    }

    /// Removes them, and those of this process: for one that makes one copy at a time.
    package static func removeLeftovers(in folder: String) {
        for name in leftovers(in: folder) { try? System.unlink("\(folder)/\(name)") }
    }
}
