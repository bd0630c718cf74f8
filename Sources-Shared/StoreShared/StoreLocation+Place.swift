extension FileFacts {
    /// Whether it is a folder in which every user may make files, and none may replace another's: that has the sticky bit.
    package var isOpenToAll: Bool { kind == .folder && mode & 0o1002 == 0o1002 }
}

/// Checks of the place where a store lies, before an owner touches it.
extension StoreLocation {
    /// File systems on which SQLite's WAL is safe: local ones with coherent shared memory. The numbers are those of statfs(2).
    private static let allowedFileSystems: [Int64: String] = [
        0xEF53: "ext4", 0x5846_5342: "xfs", 0x9123_683E: "btrfs", 0x0102_1994: "tmpfs", 0x2FC1_2FC1: "zfs", 0xCA45_1A4E: "bcachefs",
        0xF2F5_2010: "f2fs", 0x794C_7630: "overlayfs", 0x8584_58F6: "ramfs",
    ]

    /// Refuses file systems that are not on the allow-list.
    ///
    /// - Throws: `StoreError.unsuitablePlace` with the number of the file system.
    package func checkFileSystem() throws {
        let type: Int64
        do {
            type = try System.fileSystemType(folder)
        } catch {
            throw StoreError(
                .unsuitablePlace, "the file system of \(folder) cannot be told", remedy: error.remedy ?? "see the cause", path: folder,
                cause: error)
        }
        guard Self.allowedFileSystems[type] == nil else { return }
        throw StoreError(
            .unsuitablePlace, "\(store) lies on a file system (0x\(String(type, radix: 16))) on which SQLite's WAL is not known to be safe",
            remedy: "use a local disk, or allow this file system if you know that it keeps shared memory coherent", path: store)
    }

    /// Refuses a folder, or a sidecar folder, in which others may put files in the place of the store's: any user, or the user to whom the
    /// sidecar folder belongs. In a folder where every user may make files and nobody may replace another's, such as `/tmp`, what is there
    /// must be the owner's own or root's: somebody else may have laid it out for the owner.
    ///
    /// - Parameter user: the owner's; the caller's by default.
    /// - Throws: `StoreError.unsuitablePlace`.
    package func checkFolders(for user: UInt32 = System.userID) throws {
        func refuse(_ folder: String, _ message: String, _ remedy: String) throws {
            throw StoreError(.unsuitablePlace, "\(folder) \(message)", remedy: remedy, path: folder)
        }
        if let facts = try? System.stat(folder), facts.mode & 0o002 != 0, facts.mode & 0o1000 == 0 {
            try refuse(folder, "may be written by every user, who could replace the store \(store)", "take that permission away: chmod o-w")
        }
        if let facts = try? System.stat(folder), facts.isOpenToAll {
            for path in [store, store + "-wal", store + "-shm", store + "-journal", keeper] {
                guard let found = try? System.linkStat(path), ![0, user].contains(found.owner) else { continue }
                try refuse(
                    path,
                    "belongs to the user \(found.owner), who may have put it there for others: every user may make files in \(folder)",
                    "run the owner as that user, or use a folder that others may not write")
            }
        }
        guard let facts = try? System.linkStat(keeper), facts.kind == .folder else { return }
        let trusted = [0, user, (try? System.stat(store))?.owner ?? user]
        if !trusted.contains(facts.owner) {
            try refuse(
                keeper, "belongs to the user \(facts.owner), who could replace the record and the lock of \(store)",
                "remove the folder, or give it to the owner's user")
        }
        // Made narrow by an owner that may; another's stays as it is.
        if facts.mode & 0o002 != 0, facts.owner != user, user != 0 {
            try refuse(
                keeper, "may be written by every user, who could replace the record of \(store)", "take that permission away: chmod o-w")
        }
    }

    /// Refuses a store of more than one hard link, for each of whose names SQLite would keep a WAL, and one beside which something else
    /// stands where SQLite's own files should.
    ///
    /// - Throws: `StoreError.unsuitablePlace`, or `.unreadable` for what is no file at all. A missing store is no error.
    package func checkLinks() throws {
        let facts: FileFacts
        do {
            facts = try System.stat(store)
        } catch {
            if error.isMissing { return }
            throw StoreError(
                .unreadable, "\(store) cannot be reached", remedy: error.remedy ?? "check its folder", path: store, cause: error)
        }
        guard facts.kind == .regular else {
            throw StoreError(
                .unreadable, facts.kind == .folder ? "\(store) is a folder" : "\(store) is no plain file",
                remedy: "name a file for the store", path: store)
        }
        guard facts.links <= 1 else {
            throw StoreError(
                .unsuitablePlace, "\(store) has \(facts.links) hard links, and SQLite would keep a WAL for each name",
                remedy: "remove the other names, or copy the store to a file of its own", path: store)
        }
        for path in ["-wal", "-shm", "-journal"].map({ store + $0 }) {
            guard let found = try? System.linkStat(path), found.kind != .regular else { continue }
            throw StoreError(
                .unsuitablePlace, "\(path) is no plain file, and SQLite needs that name for one", remedy: "move it away", path: path)
        }
    }
}
