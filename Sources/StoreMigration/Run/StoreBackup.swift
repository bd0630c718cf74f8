import StoreShared
import StoreSQLite

/// The copy of a store that is made before its migration: complete, verified and durable, or absent.
struct StoreBackup {
    let connection: Connection
    let location: StoreLocation
    let progress: MigrationProgress

    private static let suffix = ".store"
    private static let partial = "partial-"
    /// Pages copied in one go, between two looks at the clock.
    private static let pages: Int32 = 2000

    /// Copies the store through SQLite's backup API and keeps the newest `count` copies.
    ///
    /// - Returns: the file of the copy, which is one file without a log beside it.
    /// - Throws: `StoreError` when it cannot be made; nothing of a half-made copy is left.
    func make(of metadata: StoreMetadata, keeping count: Int) throws -> String {
        let moment = Timestamp.now.description.filter { $0 != "-" && $0 != ":" }
        let name = "\(moment)-\(metadata.version)-\(metadata.generation)\(Self.suffix)"
        let temporary = "\(location.backups)/\(Self.partial)\(name)"
        let file = "\(location.backups)/\(name)"
        do {
            try prepareFolder()
            removePartial()
            try copy(to: temporary, metadata)
            try finish(temporary, as: file)
        } catch {
            removePartial()
            if let error = error as? StoreError, error.code == .cancelled { throw error }
            let remedy = (error as? SQLiteError)?.remedy ?? "make room or correct the permissions, or run without a backup"
            throw StoreError(
                .migrationFailed, "the backup \(file) could not be made, so the migration was not begun", remedy: remedy, path: file,
                cause: error)
        }
        prune(keeping: count)
        return file
    }

    private func prepareFolder() throws {
        try location.prepareFolder()
        let mode = try System.stat(location.keeper).permissions
        do {
            try System.makeFolder(location.backups, mode: mode)
        } catch {
            guard error.exists else { throw error }
        }
    }

    private func copy(to path: String, _ metadata: StoreMetadata) throws {
        let copy = try Connection(path: path, access: .create)
        defer { copy.close() }
        copy.onProgress(everySteps: 10_000) { [progress] in progress.tick() }
        // Durable by one fsync at the end instead of one at every step.
        try copy.execute("PRAGMA synchronous = OFF")
        do {
            let backup = try Backup(from: connection, to: copy)
            while try backup.step(pages: Self.pages) {
                try progress.backup(pagesDone: backup.totalPages - backup.remainingPages, pagesTotal: backup.totalPages)
            }
            try progress.backup(pagesDone: backup.totalPages, pagesTotal: backup.totalPages)
        }
        // One file, readable without a log and a shared memory beside it.
        _ = try copy.scalar("PRAGMA journal_mode = DELETE")
        let verdict = try copy.scalar("PRAGMA quick_check(1)")
        guard verdict == "ok" else {
            throw StoreError(
                .unreadable, "the copy is damaged: \(verdict?.text ?? "no answer")", remedy: "check the store and the disk", path: path)
        }
        guard let found = try StoreMetadata.read(copy), found.storeID == metadata.storeID, found.identity == metadata.identity,
            found.generation == metadata.generation
        else { throw StoreError(.unreadable, "the copy is not of the store as it is", remedy: "try again", path: path) }
    }

    private func finish(_ temporary: String, as file: String) throws {
        try System.setMode(temporary, location.fileMode)
        try sync(temporary, [.read])
        try System.rename(temporary, to: file)
        try sync(location.backups, [.read, .folder])
    }

    private func sync(_ path: String, _ access: System.OpenAccess) throws {
        try System.sync(try System.open(path, access), path: path)
    }

    /// Removes what a backup that did not come to its end has left, of this run or of a killed one.
    private func removePartial() {
        for name in (try? System.names(in: location.backups)) ?? [] where name.hasPrefix(Self.partial) {
            try? System.unlink("\(location.backups)/\(name)")
        }
    }

    private func prune(keeping count: Int) {
        // The names begin with the moment, so their order is that of age.
        let names = ((try? System.names(in: location.backups)) ?? []).filter {
            $0.hasSuffix(Self.suffix) && $0.utf8.first.map { (0x30...0x39).contains($0) } == true
        }
        for name in names.sorted(by: SQLName.precedes).dropLast(max(1, count)) { try? System.unlink("\(location.backups)/\(name)") }
    }
}
