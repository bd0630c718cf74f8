/// The sidecar folder and its permissions, which follow the store's.
extension StoreLocation {
    /// Permission bits of a file beside the store: whoever may read the store may read it, the owner may write.
    package var fileMode: UInt32 {
        guard let facts = try? System.stat(store) else { return 0o666 & ~Self.mask }
        return facts.permissions & 0o444 | 0o600
    }

    /// Permission bits of the socket: whoever may read the store may connect, which takes write permission.
    package var socketMode: UInt32 {
        let readable = fileMode & 0o444
        return readable | readable >> 1
    }

    /// Makes the sidecar folder where it is missing and gives it the permissions that follow from the store's.
    ///
    /// - Throws: `StoreError.unsuitablePlace`.
    package func prepareFolder() throws {
        let mode = folderMode
        do {
            try makeFolder(mode: mode)
        } catch {
            throw StoreError(
                .unsuitablePlace, "the folder \(keeper) cannot be made or used",
                remedy: error.isDenied
                    ? "give the owner's user permission to write in \(folder)" : error.remedy ?? "move what is there out of the way",
                path: keeper, cause: error)
        }
    }

    /// Removes what killed owners left of the temporary files of their record and socket. For the holder of the owner lock alone.
    package func removeLeftovers() {
        for path in leftovers { try? System.unlink(path) }
    }

    /// The temporary files of a record or a socket that are there: of an owner at work, or of one that was killed.
    package var leftovers: [String] {
        let names = (try? System.names(in: keeper)) ?? []
        return names.filter { ($0.hasPrefix(".record.") || $0.hasPrefix(".socket.")) && $0.hasSuffix(".tmp") }.map { "\(keeper)/\($0)" }
    }

    /// The name in the folder of what an owner is about to rename to `name`. No other owner uses it, also where two have one process number
    /// in different containers.
    func temporaryName(for name: String, epoch: Int64) -> String { ".\(name).\(Worker.current).\(epoch).tmp" }

    /// Gives what root has made beside the store to the store's own user, who would be locked out otherwise. By descriptor, and never
    /// a file of several names: the folder is not root's.
    package func giveToStoreOwner(_ file: Descriptor, path: String) throws(SystemError) {
        guard System.userID == 0, let store = try? System.stat(store), store.owner != 0 else { return }
        let facts = try System.stat(file, path: path)
        guard facts.kind == .folder || facts.kind == .regular && facts.links == 1 else { return }
        guard facts.owner != store.owner || facts.group != store.group && facts.mode & 0o2000 == 0 else { return }
        try System.setOwner(file, user: store.owner, group: store.group, path: path)
    }

    private func makeFolder(mode: UInt32) throws(SystemError) {
        do {
            try System.makeFolder(keeper, mode: mode)
        } catch {
            // Opened as a folder below: something else of that name fails there.
            guard error.exists else { throw error }
        }
        let opened = try System.open(keeper, [.read, .folder])
        let facts = try System.stat(opened, path: keeper)
        try giveToStoreOwner(opened, path: keeper)
        // A set group of the folder above stays: chmod(2) without the bit would take it away.
        let wanted = mode | facts.mode & 0o2000
        if facts.mode & 0o7777 != wanted, facts.owner == System.userID || System.userID == 0 {
            try System.setMode(opened, wanted, path: keeper)
        }
    }

    private var folderMode: UInt32 {
        guard let facts = try? System.stat(store) else { return 0o777 & ~Self.mask }
        let readable = facts.permissions & 0o444
        return readable | readable >> 2 | 0o700
    }

    /// The process's mask for new files, read without changing it.
    private static let mask: UInt32 = {
        guard let status = ProcessIdentity.text("/proc/self/status"),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("Umask:") }),
            let value = UInt32(line.dropFirst(6).drop { $0.isWhitespace }, radix: 8)
        else { return 0o022 }
        return value
    }()
}
