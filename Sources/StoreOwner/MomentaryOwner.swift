import StoreMigration
import StoreSQLite
import StoreShared

/// Owns a store for the time of one act, without a plan: for restoring and adopting while nobody else owns it.
package enum MomentaryOwner {
    /// Takes the lock, lets `body` work with the one writing connection, publishes what the store is then, and leaves.
    ///
    /// - Parameters:
    ///   - makes: whether the file is made where it is missing.
    ///   - preparing: runs under the lock, before the store is opened.
    ///   - warn: gets what a person should know of an act that was done all the same.
    ///   - body: gets the connection, outside of a transaction, and the record that was there. It commits; what it gives is published.
    /// - Throws: `StoreError`: `.ownedByAnother` with the pid; `.absent`, `.unsuitablePlace`; what `body` throws.
    package static func act(
        at location: StoreLocation, makes: Bool = false, allowsAnyFileSystem: Bool = false, preparing: () throws -> Void = {},
        warn: (String) -> Void = { _ in }, _ body: (Connection, PublishedRecord?) throws -> StoreMetadata
    ) throws -> StoreMetadata {
        try location.checkLinks()
        if let problem = location.unfinishedMove { throw problem }
        if !allowsAnyFileSystem { try location.checkFileSystem() }
        try location.checkFolders()
        if !makes { try checkFile(location) }
        guard let lock = try OwnerLock.take(location) else { throw OwnerOpening.ownedByAnother(location) }
        defer { lock.release() }
        let before = PublishedRecord.read(from: location).record
        try preparing()
        let connection = try open(location)
        let writer = WritingConnection(connection, at: location, lock: lock)
        defer { writer.close(epoch: nil) }
        location.removeLeftovers()
        try WritingConnection.switchToWriteAheadLog(connection, until: .after(.seconds(10)))
        let metadata = try body(connection, before)
        do {
            try PublishedRecord(closed: metadata).publish(to: location) { () throws(StoreError) in try lock.checkPath(of: location) }
        } catch {
            // The store is the truth, and it has been committed.
            warn("it was done, but could not be published: \(error)")
        }
        return metadata
    }

    private static func checkFile(_ location: StoreLocation) throws {
        if let facts = try? System.stat(location.store), facts.size > 0 { return }
        throw StoreError(
            .absent, "there is no store at \(location.store)", remedy: "start its owner, or correct the path", path: location.store)
    }

    /// The one writing connection of a store that must be there, for one who holds the lock.
    static func open(_ location: StoreLocation) throws -> Connection {
        do {
            return try WritingConnection.open(location)
        } catch let error as SQLiteError {
            throw StoreError(
                .unreadable, "\(location.store) cannot be opened as a store", remedy: error.remedy, path: location.store, cause: error)
        }
    }

    /// Restores a backup into a store that nobody owns, that is damaged, or that is missing. What cannot be read any more is kept.
    ///
    /// - Parameter warn: gets what a person should know: where something is kept, what could not be published.
    package static func restore(
        _ location: StoreLocation, from file: String, allowsAnyFileSystem: Bool = false, warn: (String) -> Void = { _ in }
    ) throws -> StoreMetadata {
        // What is refused must leave no empty store behind, which the next owner would take for a new one.
        try PreparedRestore.check(file)
        // A file that never was a store is not moved away.
        let wasStore = (try? System.stat(location.ownerLock)) != nil
        var aside: (file: String, mode: UInt32)?
        return try act(
            at: location, makes: true, allowsAnyFileSystem: allowsAnyFileSystem,
            preparing: {
                guard wasStore else { return }
                try StoreBackup.prepareFolder(at: location)
                aside = try DamagedFile.setAside(location)
            }, warn: warn
        ) { connection, record in
            if let aside {
                try? System.setMode(location.store, aside.mode)
                warn("\(location.store) was no database any more; it is kept in \(aside.file)")
            }
            let prepared = try PreparedRestore(
                from: file, for: connection, at: location, record: record, owner: OwnerOpening.description)
            if let kept = prepared.kept { warn("what \(location.store) held could not be read; it is kept in \(kept)") }
            try prepared.apply(to: connection)
            return prepared.metadata
        }
    }

    /// Makes a database a store at the version of a plan that it has, or takes over what somebody changed by hand.
    ///
    /// - Returns: what was found, before anything was changed if the store was that version already.
    package static func adopt(
        _ location: StoreLocation, _ plan: MigrationPlan, as version: SchemaVersion?, allowsExtra: Bool, allowsAnyFileSystem: Bool = false
    ) throws -> Adoption {
        try location.checkLinks()
        try checkFile(location)
        // Before anything is made beside a database that this plan does not know.
        let found = try look(location, plan, as: version, allowsExtra: allowsExtra)
        if found.isDone { return found }
        _ = try act(at: location, allowsAnyFileSystem: allowsAnyFileSystem) { connection, record in
            try connection.writing {
                let adoption = try Adoption.find(connection, plan, as: version, allowsExtra: allowsExtra)
                return try adoption.apply(connection, record: record, owner: OwnerOpening.description)
            }
        }
        return found
    }

    private static func look(
        _ location: StoreLocation, _ plan: MigrationPlan, as version: SchemaVersion?, allowsExtra: Bool
    ) throws -> Adoption {
        do {
            let connection = try Connection(path: location.store, access: .readOnly)
            defer { connection.close() }
            return try connection.reading { try Adoption.find(connection, plan, as: version, allowsExtra: allowsExtra) }
        } catch let error as SQLiteError {
            throw StoreError(
                .unreadable, "\(location.store) cannot be read as a database", remedy: error.remedy, path: location.store, cause: error)
        }
    }
}

extension PublishedRecord {
    /// What the next owner would publish of a store that nobody owns.
    init(closed metadata: StoreMetadata) {
        self.init(
            storeID: metadata.storeID, state: .closed, version: metadata.version, fingerprint: metadata.fingerprint,
            generation: metadata.generation, readableBy: metadata.readableBy, epoch: metadata.epoch, owner: .current(), ownerSince: .now)
    }
}
