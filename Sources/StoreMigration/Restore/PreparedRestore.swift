import StoreSQLite
import StoreShared

/// A backup made ready, on a private copy, to take the place of what a store holds.
///
/// Nothing is adjusted in the live store: the copy already has the live history, the raised generation and epoch and the row
/// `restored`, and comes into the store by one atomic backup. The file of the store is never replaced: a log left beside it would be
/// replayed into the new one.
package final class PreparedRestore {
    /// What the store is afterwards.
    package let metadata: StoreMetadata
    /// Where is kept what nobody could read; nil where the store was whole.
    package let kept: String?
    private let copy: PrivateCopy

    /// Copies the backup, checks it and gives it what the live store must not lose.
    ///
    /// - Parameters:
    ///   - file: the backup.
    ///   - live: the one writing connection of the store, outside of a transaction; nothing is written through it.
    ///   - record: the published record, where there is one.
    ///   - owner: who does it, for the history.
    /// - Throws: `StoreError.planRefused` naming what is wrong with the backup, or of which store it is.
    package init(from file: String, for live: Connection, at location: StoreLocation, record: PublishedRecord?, owner: String) throws {
        let started = Timestamp.now
        let found = try live.reading { try LiveStore(live, wasStore: record != nil) }
        let before = found.metadata
        let record = record.flatMap { found.storeID == nil || $0.storeID == found.storeID ? $0 : nil }
        if let own = try? System.stat(location.store), let other = try? System.stat(file), own.inode == other.inode,
            own.device == other.device
        {
            throw StoreError(.planRefused, "\(file) is the store itself", remedy: "name a backup of it", path: file)
        }
        try StoreBackup(connection: live, location: location).prepareFolder()
        let copy = try PrivateCopy(of: file, in: location.backups)
        let backup = try copy.check(storeID: found.storeID ?? record?.storeID)
        if let pageSize = try live.scalar("PRAGMA page_size")?.integer { try copy.convert(to: pageSize) }
        let kept = try found.damage.map { _ in try Self.keep(live, at: location) }
        var metadata = backup
        // The last there is has nothing above it, wherever it came from.
        let published = [record?.generation ?? 0, backup.generation].filter { $0 < StoreMetadata.generations.upperBound - 1 }
        metadata.generation = max(found.usableGeneration, published.max() ?? 0) + 1
        metadata.epoch = max(found.epoch, record?.epoch ?? 0, backup.epoch) + 1
        let entry = HistoryEntry(
            from: before?.version, to: metadata.version, outcome: .restored,
            reason: found.damage.map { "what was there could not be read (\($0)) and is kept in \(kept ?? "")" }, startedAt: started,
            seconds: started.seconds(), rows: 0, epoch: metadata.epoch,
            owner: owner, backup: file, fingerprintBefore: before?.fingerprint, fingerprintAfter: metadata.fingerprint)
        let connection = copy.connection
        try connection.writing {
            if before != nil || found.damage != nil { try Self.takeOver(live, to: connection) }
            // What a damaged store says could leave no number for the next row.
            if before != nil, found.damage == nil { try Self.raiseMarks(live, to: connection) }
            try entry.insert(connection)
            try metadata.write(connection)
        }
        self.kept = kept
        self.metadata = metadata
        self.copy = copy
    }

    /// Refuses what is no backup, before anything is made for it.
    ///
    /// - Throws: `StoreError.planRefused` naming the file.
    package static func check(_ file: String) throws { _ = try look(file) }

    /// What a backup is, after checking it whole.
    ///
    /// - Throws: `StoreError.planRefused` naming the file, for what could not be restored.
    static func look(_ file: String) throws -> StoreMetadata {
        try PrivateCopy.reading(file) { backup in try PrivateCopy.check(backup, file, storeID: nil) }
    }

    /// Puts the copy into the live store, in one transaction: readers see the one or the other.
    ///
    /// - Throws: `SQLiteError`, and the store is as it was.
    package func apply(to live: Connection, until deadline: Deadline = .after(.seconds(10))) throws {
        live.finalizeStatements()
        while true {
            do {
                let backup = try Backup(from: copy.connection, to: live)
                while try backup.step(pages: -1) {}
                live.generation = metadata.generation
                return
            } catch let error as SQLiteError where [.busy, .locked].contains(error.code.primary) && !deadline.hasPassed {
                System.sleep(.milliseconds(20))
            }
        }
    }

    /// Keeps what nobody can read, as it is, before it is replaced.
    private static func keep(_ live: Connection, at location: StoreLocation) throws -> String {
        let file = StoreBackup.nameOfDamaged(at: location)
        do {
            try StoreCopy(to: file).make(from: live, of: nil, mode: location.fileMode, tick: { true }, progress: { _, _ in })
        } catch {
            throw StoreError(
                .unsuitablePlace, "what \(location.store) holds could not be copied to \(file), so nothing was restored",
                remedy: "make room there", path: file, cause: error)
        }
        return file
    }

    /// The history of the live store, which goes on, and the schemas and steps back that it remembers.
    private static func takeOver(_ live: Connection, to copy: Connection) throws {
        let columns =
            "from_version, to_version, outcome, reason, started_at, seconds, rows, epoch, owner, backup, fingerprint_before, fingerprint_after"
        let ask = "SELECT \(columns) FROM storekeeper_history ORDER BY id"
        let (mine, older) = (try LiveStore.rows(live, ask), try copy.rows(ask))
        let known = Set(mine)
        try copy.run("DELETE FROM storekeeper_history")
        let marks = Array(repeating: "?", count: 12).joined(separator: ", ")
        for row in older.filter({ !known.contains($0) }) + mine {
            try insert(row, "INSERT INTO storekeeper_history(\(columns)) VALUES(\(marks))", copy)
        }
        for row in try LiveStore.rows(live, "SELECT version, fingerprint, front_end, kind, name, text FROM storekeeper_schema") {
            try insert(
                row,
                "INSERT OR IGNORE INTO storekeeper_schema(version, fingerprint, front_end, kind, name, text) VALUES(?, ?, ?, ?, ?, ?)",
                copy)
        }
    }

    /// A number that AUTOINCREMENT has given away means that row for ever, also for whoever still knows it after the restore.
    private static func raiseMarks(_ live: Connection, to copy: Connection) throws {
        let ask = "SELECT name, seq FROM sqlite_sequence WHERE typeof(name) = 'text' AND typeof(seq) = 'integer'"
        let exists = "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'"
        guard try live.scalar(exists) != nil, try copy.scalar(exists) != nil else { return }
        for row in try LiveStore.rows(live, ask) {
            try copy.run("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1", row[0], row[1])
            guard copy.changes == 0 else { continue }
            // A table that was empty when the backup was made.
            let table = "SELECT ?1, ?2 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND sql LIKE '%autoincrement%'"
            try copy.run("INSERT INTO sqlite_sequence(name, seq) \(table)", row[0], row[1])
        }
    }

    private static func insert(_ row: [Value], _ sql: String, _ connection: Connection) throws {
        let statement = try connection.statement(sql)
        try statement.bind(row)
        try statement.run()
    }
}

/// The backup's copy that is worked on; its files go with it.
private final class PrivateCopy {
    private(set) var connection: Connection
    private let file: String
    private let path: String
    private let convertedPath: String

    init(of file: String, in folder: String) throws {
        self.file = file
        path = StoreCopy.privateName("restore", in: folder)
        convertedPath = StoreCopy.privateName("restored-pages", in: folder)
        Self.remove([path, convertedPath])
        do {
            let path = path
            connection = try Self.reading(file) { backup in
                try StoreCopy.copy(backup, to: path, tick: { true }, progress: { _, _ in })
                return try Connection(path: path, access: .readWrite)
            }
        } catch {
            Self.remove([path])
            throw error
        }
    }

    /// Lends a connection to a backup that can only read it.
    static func reading<T>(_ file: String, _ body: (Connection) throws -> T) throws -> T {
        do {
            let path = try System.realPath(file)
            // Opening a pipe would wait for somebody to write into it.
            guard try System.stat(path).kind == .regular else {
                throw refused("\(file) is no plain file", "name the file of a backup", file)
            }
            let backup = try Connection(path: path, access: .readOnly)
            defer { backup.close() }
            return try body(backup)
        } catch let error as SystemError {
            throw refused("\(file) cannot be reached", "check its path", file, error)
        } catch let error as SQLiteError {
            throw refused("\(file) cannot be read as a backup", error.remedy, file, error)
        }
    }

    deinit {
        connection.close()
        Self.remove([path, convertedPath])
    }

    private static func remove(_ paths: [String]) {
        for path in paths {
            for suffix in ["", "-journal", "-wal", "-shm"] { try? System.unlink(path + suffix) }
        }
    }

    /// - Throws: for a damaged copy, and for one that is not of the store.
    func check(storeID: String?) throws -> StoreMetadata {
        try Self.check(connection, file, storeID: storeID)
    }

    static func check(_ connection: Connection, _ file: String, storeID: String?) throws -> StoreMetadata {
        let check: IntegrityCheck
        do {
            // A CHECK may need a function that this process does not have.
            try connection.execute("PRAGMA ignore_check_constraints = ON")
            check = try IntegrityCheck(connection, isQuick: false)
        } catch let error as SQLiteError {
            throw Self.refused("\(file) cannot be read as a backup", error.remedy, file, error)
        }
        if let damage = check.damage.first { throw Self.refused("\(file) is damaged: \(damage)", "use another backup", file) }
        let found: StoreMetadata? = try connection.reading {
            let metadata: StoreMetadata?
            do {
                metadata = try StoreMetadata.read(connection, as: file)
                if let metadata { try SchemaDrift.checkMemory(connection, metadata, as: file) }
            } catch let error as StoreError where error.code != .storeTooNew {
                throw refused("\(file) is no sound backup: \(error.message)", "use another backup", file, error)
            }
            return metadata
        }
        guard let found else {
            throw Self.refused(
                "\(file) is a database, but no store of Storekeeper", "use a backup that storectl or an owner made", file)
        }
        if let storeID, storeID != found.storeID {
            throw Self.refused(
                "\(file) is a backup of another store: of \(found.storeID), not of \(storeID)", "use a backup of this store", file)
        }
        return found
    }

    /// Gives it pages of the live store's size: a backup into pages of another size fails, and so does changing that size in WAL mode.
    func convert(to pageSize: Int64) throws {
        guard try connection.scalar("PRAGMA page_size")?.integer != pageSize else { return }
        try connection.execute("PRAGMA page_size = \(pageSize)")
        try connection.run("VACUUM INTO ?", .text(convertedPath))
        connection.close()
        connection = try Connection(path: convertedPath, access: .readWrite)
    }

    private static func refused(_ message: String, _ remedy: String, _ path: String, _ cause: (any Error)? = nil) -> StoreError {
        StoreError(.planRefused, message, remedy: remedy, path: path, cause: cause)
    }
}
