import StoreShared
import StoreSQLite

/// The backups beside a store: one before each migration, of which the newest stay, and those that a person asked for, which all stay.
package struct StoreBackup {
    private let connection: Connection
    private let location: StoreLocation

    private static let suffix = ".store"

    package init(connection: Connection, location: StoreLocation) {
        self.connection = connection
        self.location = location
    }

    /// Copies the store before its migration and keeps the newest `count` of such copies.
    ///
    /// - Returns: the file of the copy, which is one file without a log beside it, and what rows break of what their tables declare.
    /// - Throws: `StoreError` when it cannot be made; nothing of a half-made copy is left.
    func make(of metadata: StoreMetadata, keeping count: Int, progress: MigrationProgress) throws -> (file: String, brokenRules: [String]) {
        let file = "\(location.backups)/\(Self.moment)-\(metadata.version)-\(metadata.generation)\(Self.suffix)"
        let brokenRules: [String]
        do {
            try prepareFolder()
            StoreCopy.removeLeftovers(in: location.backups)
            brokenRules = try StoreCopy(to: file).make(
                from: connection, of: metadata, mode: location.fileMode, tick: { progress.tick() },
                progress: { try progress.backup(pagesDone: $0, pagesTotal: $1) })
            try location.giveToStoreOwner(System.open(file, [.read]), path: file)
        } catch {
            if let error = error as? StoreError, error.code == .cancelled { throw error }
            let remedy =
                (error as? SQLiteError)?.remedy ?? (error as? SystemError)?.remedy
                ?? "make room or correct the permissions, or run without a backup"
            throw StoreError(
                .migrationFailed, "the backup \(file) could not be made, so the migration was not begun", remedy: remedy, path: file,
                cause: error)
        }
        prune(keeping: count)
        return (file, brokenRules)
    }

    /// The file of a copy that a person asks for without naming one. No migration removes it.
    package static func name(for metadata: StoreMetadata, at location: StoreLocation) -> String {
        "\(location.backups)/manual-\(moment)-\(metadata.version)-\(metadata.generation)\(suffix)"
    }

    /// The file in which is kept what a restore replaces although nobody could read it. No migration removes it.
    static func nameOfDamaged(at location: StoreLocation) -> String { "\(location.backups)/damaged-\(moment)\(suffix)" }

    /// The present moment without what a file's name should not hold. Such names sort by age.
    private static var moment: String { Timestamp.now.description.filter { $0 != "-" && $0 != ":" } }

    /// Makes the folder of the backups where it is missing.
    package func prepareFolder() throws { try Self.prepareFolder(at: location) }

    /// Makes the folder of the backups where it is missing.
    package static func prepareFolder(at location: StoreLocation) throws {
        try location.prepareFolder()
        let mode = try System.stat(location.keeper).permissions
        do {
            try System.makeFolder(location.backups, mode: mode)
        } catch {
            guard error.exists else { throw error }
        }
        try location.giveToStoreOwner(System.open(location.backups, [.read, .folder]), path: location.backups)
    }

    private func prune(keeping count: Int) {
        // The names begin with the moment, so their order is that of age.
        let names = ((try? System.names(in: location.backups)) ?? []).filter {
            $0.hasSuffix(Self.suffix) && $0.utf8.first.map { (0x30...0x39).contains($0) } == true
        }
        var kept: Set<Substring> = []
        for name in names.sorted(by: SQLName.precedes).reversed() {
            // Of one version and generation the newest is enough: an owner that fails at every start must not push out the older ones.
            let state = name.drop { $0 != "-" }
            if kept.count < max(1, count), kept.insert(state).inserted { continue }
            try? System.unlink("\(location.backups)/\(name)")
        }
    }
}
