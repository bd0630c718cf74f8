import StoreMigration
import StoreSQLite
import StoreShared

/// What a move has done, in order; the store at the old place is removed only when all before that is durable.
package enum StoreMoveStep: Int, CaseIterable, Codable, Sendable {
    case marked, backupsCopied, storeCopied, published, storeRemoved, removed
}

/// A whole store on its way to another place: copied, verified, renamed, and only then removed where it was.
///
/// Both owner locks are held. Whatever is put at the new place stands behind a mark, `moving`, that names where it comes from and the
/// store's epoch: no owner has touched a copy of that epoch, so that a move which was killed can be begun anew over it. Until the old
/// store is removed, it is the store.
struct StoreMove {
    private let source: StoreLocation
    private let target: StoreLocation
    private let allowsAnyFileSystem: Bool
    private let done: (StoreMoveStep) -> Void

    init(from source: StoreLocation, to target: StoreLocation, allowsAnyFileSystem: Bool, done: @escaping (StoreMoveStep) -> Void) {
        self.source = source
        self.target = target
        self.allowsAnyFileSystem = allowsAnyFileSystem
        self.done = done
    }

    /// - Returns: whether anything had to be done.
    func run() throws -> Bool {
        guard source != target else { return false }
        guard !target.store.hasPrefix(source.keeper + "/") else {
            throw StoreError(.misuse, "\(target.store) lies in the folder of \(source.store) itself", remedy: "choose another place")
        }
        guard Self.isThere(source.store) else { return try finish() }
        try source.checkLinks()
        try target.checkLinks()
        try refuseForeign()
        if !allowsAnyFileSystem { try target.checkFileSystem() }
        for place in [source, target] { try place.checkFolders() }
        if StoreMoveMark.read(at: target) == nil, let name = occupied.first { throw exists(name) }
        let locks = (try take(source), try take(target))
        defer {
            locks.0.release()
            locks.1.release()
        }
        let writer = WritingConnection(try MomentaryOwner.open(source), at: source, lock: locks.0)
        defer { writer.close(epoch: nil) }
        try writer.use { connection in
            guard let metadata = try connection.reading({ try StoreMetadata.read(connection) }) else { throw foreign }
            try clearTarget(for: metadata)
            do {
                try copy(connection, metadata)
                try publish(metadata)
            } catch {
                try? discard()
                throw failure(error)
            }
            guard locks.0.stillNamesThePath(), locks.1.stillNamesThePath(), try StoreMetadata.epoch(of: connection) == metadata.epoch
            else {
                throw StoreError(
                    .fenced, "another owner has come to \(source.store) or \(target.store) while it was moved; both hold the store now",
                    remedy: "see which of them goes on, and remove the other; nobody may delete an owner.lock", path: source.store)
            }
        }
        writer.close(epoch: nil)
        try remove()
        return true
    }

    /// Before anything is made beside a file of somebody else. One whose log is to be recovered first is looked at once more under the locks.
    private func refuseForeign() throws {
        do {
            let connection = try Connection(path: source.store, access: .readOnly)
            defer { connection.close() }
            if try connection.reading({ try StoreMetadata.read(connection) }) == nil { throw foreign }
        } catch let error as SQLiteError where error.code == .readOnlyRollback || error.code == .readOnlyRecovery {
            return
        } catch let error as SQLiteError {
            throw StoreError(
                .unreadable, "\(source.store) cannot be read as a store, and is not moved", remedy: error.remedy, path: source.store,
                cause: error)
        }
    }

    private var foreign: StoreError {
        StoreError(
            .foreign, "\(source.store) is no store of Storekeeper, and is not moved to \(target.store)",
            remedy: "move a database that no program uses by hand, or adopt it first", path: source.store)
    }

    // MARK: At the new place

    private func copy(_ connection: Connection, _ metadata: StoreMetadata) throws {
        try StoreMoveMark(source: source.store, storeID: metadata.storeID, epoch: metadata.epoch).write(at: target)
        done(.marked)
        try copyBackups()
        done(.backupsCopied)
        try connection.reading {
            _ = try StoreCopy(to: target.store).make(
                from: connection, of: metadata, mode: source.fileMode, tick: { true }, progress: { _, _ in })
        }
        done(.storeCopied)
    }

    /// Whole files that nobody has open as databases: copied byte by byte, damaged ones too.
    private func copyBackups() throws {
        let names = backups(of: source)
        guard !names.isEmpty else { return }
        try StoreBackup.prepareFolder(at: target)
        for name in names {
            let (old, new) = ("\(source.backups)/\(name)", "\(target.backups)/\(name)")
            let partial = StoreCopy.privateName(name, in: target.backups)
            try? System.unlink(partial)
            let (from, to) = (try System.open(old, [.read]), try System.open(partial, [.write, .create, .exclusive], mode: 0o600))
            do {
                while case let bytes = try System.readAll(from, path: old, limit: 1 << 20), !bytes.isEmpty {
                    try System.writeAll(to, bytes, path: partial)
                }
                try System.setMode(to, System.stat(from, path: old).permissions, path: partial)
                try System.sync(to, path: partial)
                try System.rename(partial, to: new)
            } catch {
                try? System.unlink(partial)
                throw error
            }
        }
        try Self.sync(target.backups)
    }

    /// The record that the next owner would publish; without one, that owner does. A store moved by root stays its user's.
    private func publish(_ metadata: StoreMetadata) throws {
        if System.userID == 0, let facts = try? System.stat(source.store), facts.owner != 0 {
            try System.setOwner(
                System.open(target.store, [.read]), user: facts.owner, group: facts.group, path: target.store)
        }
        try target.prepareFolder()
        let own = [target.ownerLock, target.backups] + backups(of: target).map { "\(target.backups)/\($0)" }
        for path in own where Self.isThere(path) { try target.giveToStoreOwner(System.open(path, [.read]), path: path) }
        try? PublishedRecord(closed: metadata).publish(to: target)
        done(.published)
    }

    /// Makes sure that nothing is there but what a killed move of this store has left, and removes that.
    private func clearTarget(for metadata: StoreMetadata) throws {
        guard let name = occupied.first else {
            try? System.unlink(StoreMoveMark.path(at: target))
            return
        }
        guard let mark = StoreMoveMark.read(at: target), mark.source == source.store, mark.storeID == metadata.storeID,
            isUntouched(since: mark)
        else { throw exists(name) }
        try discard()
    }

    /// What is there already, of all that a move puts there.
    private var occupied: [String] {
        let paths = Self.suffixes.map { target.store + $0 } + [target.record] + backups(of: target).map { "\(target.backups)/\($0)" }
        return paths.filter(Self.isThere)
    }

    /// Whether no owner has opened the copy: each raises the epoch before it writes anything.
    private func isUntouched(since mark: StoreMoveMark) -> Bool {
        guard Self.isThere(target.store) else { return true }
        let found = try? Connection(path: target.store, access: .readOnly)
        defer { found?.close() }
        guard let found, let metadata = try? found.reading({ try StoreMetadata.read(found) }) else { return false }
        return metadata.storeID == mark.storeID && metadata.epoch == mark.epoch
    }

    /// Removes what a move has put at the new place, the mark last.
    private func discard() throws {
        for path in occupied { try System.unlink(path) }
        try System.unlink(StoreMoveMark.path(at: target))
    }

    // MARK: At the old place

    /// The rest of a move that was killed while the old store was being removed.
    private func finish() throws -> Bool {
        guard Self.isThere(target.store) else {
            throw StoreError(
                .absent, "there is no store at \(source.store), nor at \(target.store)", remedy: "correct the path", path: source.store)
        }
        guard let mark = StoreMoveMark.read(at: target), mark.source == source.store else { return false }
        let lock = try take(source)
        defer { lock.release() }
        // An owner may just have made another one there.
        guard !Self.isThere(source.store) else { throw exists(target.store) }
        try remove()
        return true
    }

    /// The store first: without it the rest is nothing. The lock file stays, since others may be waiting for it.
    private func remove() throws {
        do {
            for suffix in Self.suffixes where Self.isThere(source.store + suffix) {
                try System.unlink(source.store + suffix)
                if suffix.isEmpty { done(.storeRemoved) }
            }
            try Self.sync(source.folder)
            for path in [source.record, source.socket, source.gateLock, source.keeper + "/.record.spare"] where Self.isThere(path) {
                try System.unlink(path)
            }
            source.removeLeftovers()
            for name in backups(of: source) where isCopied(name) { try System.unlink("\(source.backups)/\(name)") }
            try removeEmptyBackups()
            try System.unlink(StoreMoveMark.path(at: target))
            done(.removed)
        } catch {
            throw StoreError(
                .system, "\(source.store) has been moved to \(target.store), but not all that lay beside it could be removed",
                remedy: "see the cause, then move it once more, which removes the rest", path: source.keeper, cause: error)
        }
    }

    /// What is no backup, or has come since, stays with its folder.
    private func removeEmptyBackups() throws(SystemError) {
        do {
            try System.removeFolder(source.backups)
        } catch {
            if !error.isMissing && !error.isNotEmpty { throw error }
        }
    }

    private func isCopied(_ name: String) -> Bool {
        guard let old = try? System.stat("\(source.backups)/\(name)"), let new = try? System.stat("\(target.backups)/\(name)") else {
            return false
        }
        return old.size == new.size
    }

    // MARK: Parts

    private static let suffixes = ["", "-wal", "-shm", "-journal"]

    private static func isThere(_ path: String) -> Bool { (try? System.linkStat(path)) != nil }

    private static func sync(_ folder: String) throws { try System.sync(System.open(folder, [.read, .folder]), path: folder) }

    /// The files in the folder of backups but half-made ones.
    private func backups(of place: StoreLocation) -> [String] {
        ((try? System.names(in: place.backups)) ?? []).filter { name in
            guard !name.hasPrefix(StoreCopy.partial) else { return false }
            return (try? System.linkStat("\(place.backups)/\(name)"))?.kind == .regular
        }
    }

    private func take(_ place: StoreLocation) throws -> OwnerLock {
        if let lock = try OwnerLock.take(place) { return lock }
        var error = OwnerOpening.ownedByAnother(place)
        error.message = "\(source.store) cannot be moved to \(target.store): \(error.message)"
        throw error
    }

    private func exists(_ name: String) -> StoreError {
        StoreError(
            .unsuitablePlace, "\(source.store) cannot be moved to \(target.store): there is \(name) already",
            remedy: "open the one that is to go on, and move the other away with its -wal and its folder .keeper", path: target.store)
    }

    private func failure(_ error: any Error) -> StoreError {
        let isFull = (error as? SystemError)?.isFull == true || (error as? SQLiteError)?.code.primary == .full
        return StoreError(
            .unsuitablePlace, "\(source.store) could not be moved to \(target.store), and is where it was",
            remedy: isFull ? "make room there" : "see the cause", path: target.store, cause: error)
    }
}
