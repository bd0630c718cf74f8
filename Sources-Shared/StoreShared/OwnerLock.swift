/// The owner lock: whoever holds it owns the store. The kernel frees it when the process ends, however it ends.
///
/// An open-file-description write lock on byte 0 of `owner.lock`, a file of mode 0600 that is never unlinked and never
/// replaced: it survives stray closes, needs write permission, and is probed without being taken.
package final class OwnerLock: Sendable {
    private let file: Descriptor
    private let path: String
    /// Device and inode of the lock file: the key of an owner within a process.
    package let device: UInt64
    package let inode: UInt64

    private init(file: Descriptor, path: String, facts: FileFacts) {
        self.file = file
        self.path = path
        device = facts.device
        inode = facts.inode
    }

    /// Takes the lock without waiting; the folder beside the store is made where it is missing.
    ///
    /// - Returns: nil when another holds it, in this process too.
    /// - Throws: `StoreError` when the lock file cannot be made or is not what it must be.
    package static func take(_ location: StoreLocation) throws -> OwnerLock? {
        try location.prepareFolder()
        let path = location.ownerLock
        do {
            // Again when somebody replaced the file between opening and locking: the lock must be on the path's own inode.
            for _ in 0..<16 {
                let file = try System.open(path, [.readWrite, .create], mode: 0o600)
                let facts = try System.stat(file, path: path)
                guard facts.kind == .regular, facts.links <= 1 else { throw wrongKind(path) }
                if facts.permissions & 0o077 != 0 { try System.setMode(file, 0o600, path: path) }
                try location.giveToStoreOwner(file, path: path)
                guard try System.setLock(file, .exclusive, byte: 0, path: path) else {
                    OwnerState.locking.note(.lockHeld)
                    return nil
                }
                let lock = OwnerLock(file: file, path: path, facts: facts)
                if lock.stillNamesThePath() {
                    lock.signIn()
                    OwnerState.locking.note(.lockTaken)
                    return lock
                }
                OwnerState.locking.note(.lockReplaced)
            }
        } catch let error as SystemError {
            throw StoreError(
                .system, "the owner lock \(path) cannot be taken",
                remedy: error.isDenied ? "run the owner as the user who owns the store's files" : error.remedy ?? "see the cause",
                path: path,
                cause: error)
        }
        throw StoreError(.system, "the owner lock \(path) is replaced again and again", remedy: "stop what removes it", path: path)
    }

    /// Writes into the file who holds the lock, for the one who is kept out. On a full disk it stays unsaid.
    private func signIn() {
        let me = ProcessIdentity.current()
        let line = Array("\(me.pid) \(me.boot) \(me.start)\n".utf8)
        try? System.truncate(file, to: 0, path: path)
        try? System.writeAll(file, line, path: path)
    }

    /// Who holds the lock, as it signed in: a process that runs now. Nil when that cannot be told, and for a moment after the lock was taken.
    package static func holder(_ location: StoreLocation) -> ProcessIdentity? {
        guard let words = ProcessIdentity.text(location.ownerLock, limit: 256)?.split(whereSeparator: \.isWhitespace), words.count == 3,
            let pid = Int32(words[0]), let start = UInt64(words[2])
        else { return nil }
        let identity = ProcessIdentity(pid: pid, boot: String(words[1]), start: start)
        return identity.end() == nil ? identity : nil
    }

    /// Whether the path still leads to the file that is locked. If not, another owner may have come: nothing may be written.
    package func stillNamesThePath() -> Bool {
        guard let facts = try? System.linkStat(path) else { return false }
        return facts.device == device && facts.inode == inode && facts.links == 1
    }

    /// - Throws: `StoreError.fenced` when another owner may have come.
    package func checkPath(of location: StoreLocation) throws(StoreError) {
        if !stillNamesThePath() { throw Self.superseded(at: location) }
    }

    /// That another owner has come, or may have.
    package static func superseded(at location: StoreLocation) -> StoreError {
        StoreError(
            .fenced, "another owner has taken over \(location.store): \(location.ownerLock) was moved or removed",
            remedy: "close this owner, and see what the new one says of the store", path: location.ownerLock)
    }

    /// Gives the lock up. So does the end of the last reference.
    package func release() {
        _ = try? System.setLock(file, .none, byte: 0, path: path)
    }

    private static func wrongKind(_ path: String) -> StoreError {
        StoreError(.unsuitablePlace, "\(path) is no plain file of a single name", remedy: "move it away while no owner runs", path: path)
    }
}

extension OwnerLock {
    /// Whether a process holds the lock; takes nothing and changes nothing.
    ///
    /// A user who may not open the lock file learns it from the kernel's table of locks, and where that names no such lock,
    /// from whether the owner answers on its socket within a second.
    package static func probe(_ location: StoreLocation) -> OwnerLiveness {
        let path = location.ownerLock
        do {
            let file = try System.open(path, [.read, .nonBlocking])
            return try System.isLocked(file, byte: 0, path: path) ? .alive : .dead
        } catch {
            guard error.isDenied else { return error.isMissing ? .dead : .unknown }
        }
        guard let facts = try? System.linkStat(path) else { return .unknown }
        if KernelLocks.read().contains(where: { $0.isOpenFileDescription && $0.isOn(facts) && $0.isWrite }) { return .alive }
        return Greeting.probe(location, within: .seconds(1))
    }
}
