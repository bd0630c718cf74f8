import StoreSQLite

/// Where a store and what belongs to it lie.
///
/// Links are resolved first, so that two names of one store are one location; the store itself need not exist yet.
public struct StoreLocation: Hashable, Sendable {
    /// The database: opened by SQLite alone, never with a descriptor of ours.
    public let store: String

    /// To the kernel a path is bytes.
    public static func == (first: StoreLocation, second: StoreLocation) -> Bool {
        ExactText(first.store) == ExactText(second.store)
    }

    public func hash(into hasher: inout Hasher) {
        ExactText(store).hash(into: &hasher)
    }

    /// Resolves the path.
    ///
    /// - Throws: `StoreError.unsuitablePlace` when the folder is missing or cannot be entered, or the name or the path is too long.
    public init(path: String) throws {
        guard !path.isEmpty else { throw StoreError(.misuse, "the path of the store is empty", remedy: "name a file") }
        do {
            store = try Self.resolved(path)
            try Self.checkLinks(of: path, to: store)
            try checkLength()
        } catch let error as SystemError {
            throw Self.noFolder(path, error)
        }
    }

    /// Resolves the path of a store whose folder may yet be made by its owner.
    ///
    /// - Parameter isCancelled: asked every 250 ms; true ends the wait.
    /// - Throws: as the other form when the folder is not there in time; `StoreError.cancelled`.
    package init(path: String, until deadline: Deadline, isCancelled: () -> Bool = { false }) throws {
        while true {
            do {
                self = try StoreLocation(path: path)
                return
            } catch let error as StoreError {
                guard (error.cause as? SystemError)?.isMissing == true, !deadline.hasPassed else { throw error }
                if isCancelled() { throw StoreError(.cancelled, "the wait for \(path) was cancelled", path: path) }
                System.sleep(min(.milliseconds(250), deadline.left ?? .milliseconds(250)))
            }
        }
    }

    /// Bytes of the longest name that stands behind the store's: of SQLite's `-journal`; ours, `.keeper`, is shorter.
    private static let suffixLength = 8
    /// Bytes of the longest path that SQLite opens.
    private static let pathLimit = 512

    /// Refuses a name that leaves no room for those of the files beside the store, in the system or in SQLite.
    private func checkLength() throws {
        let name = Self.split(store).name.utf8.count
        let limit = 255 - Self.suffixLength
        if name > limit {
            throw StoreError(
                .unsuitablePlace,
                "the name of the store \(store) has \(name) bytes; with \(Self.suffixLength) more, which the files beside it need, it is too long",
                remedy: "use a name of at most \(limit) bytes", path: store)
        }
        let whole = store.utf8.count
        guard whole + Self.suffixLength > Self.pathLimit else { return }
        throw StoreError(
            .unsuitablePlace,
            "the path of the store \(store) has \(whole) bytes; with \(Self.suffixLength) more, which the files beside it need, SQLite opens none",
            remedy: "move the store to where its path has at most \(Self.pathLimit - Self.suffixLength) bytes", path: store)
    }

    /// The sidecar folder.
    public var keeper: String { store + ".keeper" }
    /// The published record.
    public var record: String { keeper + "/record" }
    /// The file whose lock makes an owner.
    public var ownerLock: String { keeper + "/owner.lock" }
    /// The turnstile and the gate.
    public var gateLock: String { keeper + "/gate.lock" }
    /// The owner's Unix socket.
    public var socket: String { keeper + "/socket" }
    /// Backups made before migrations.
    public var backups: String { keeper + "/backups" }

    /// The folder that holds the store.
    package var folder: String { Self.split(store).folder }

    private static func resolved(_ path: String) throws -> String {
        do {
            return try System.realPath(path)
        } catch {
            // The store may not exist yet, or its last part may be a link to one that does not.
            guard error.isMissing else { throw error }
        }
        var path = path.hasPrefix("/") ? path : try System.currentFolder() + "/" + path
        for _ in 0..<40 {
            while path.count > 1, path.hasSuffix("/") { path.removeLast() }
            let (folder, name) = split(path)
            let real = try System.realPath(folder)
            let joined = real == "/" ? "/" + name : real + "/" + name
            guard let facts = try? System.linkStat(joined), facts.kind == .link else { return joined }
            let target = try System.readLink(joined)
            path = target.hasPrefix("/") ? target : real + "/" + target
        }
        throw StoreError(.unsuitablePlace, "too many symbolic links", remedy: "name the file itself", path: path)
    }

    /// Refuses a path that leads through a link which another user has put into a folder where every user may make files: it would have
    /// this process open, or make, a file of that user's choice. The kernel has the same rule for what it follows itself
    /// (`protected_symlinks`, proc_sys_fs(5)).
    ///
    /// - Parameter real: the path with every link resolved.
    private static func checkLinks(of path: String, to real: String) throws {
        let whole = path.utf8.first == slash ? path : try System.currentFolder() + "/" + path
        if ExactText(whole) == ExactText(real) { return }
        var folder = "/"
        var rest = parts(of: whole)[...]
        var followed = 0
        while let part = rest.popFirst() {
            if part == ".." { folder = split(folder).folder }
            if part == "." || part == ".." { continue }
            let entry = folder == "/" ? "/" + part : folder + "/" + part
            guard let link = try? System.linkStat(entry), link.kind == .link, followed < 40 else {
                folder = entry
                continue
            }
            followed += 1
            let around = try System.stat(folder)
            if around.isOpenToAll, ![0, System.userID, around.owner].contains(link.owner) {
                throw StoreError(
                    .unsuitablePlace,
                    "\(entry) is a symbolic link of the user \(link.owner) in \(folder), where every user may make files: it is not followed",
                    remedy: "name the store itself: \(real)", path: path)
            }
            let target = try System.readLink(entry)
            if target.utf8.first == slash { folder = "/" }
            rest = (parts(of: target) + rest)[...]
        }
    }

    private static let slash = UInt8(ascii: "/")

    /// The names in a path, by bytes: a mark that combines with a slash before it is part of a name.
    private static func parts(of path: String) -> [String] {
        path.utf8.split(separator: slash).map { String(Substring($0)) }
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = String(path[..<slash])
        return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
    }

    private static func noFolder(_ path: String, _ error: SystemError) -> StoreError {
        if error.isNoText {
            return StoreError(
                .unsuitablePlace, "the store \(path) lies in a folder whose name is not UTF-8", remedy: "use names that are UTF-8",
                path: path, cause: error)
        }
        let remedy =
            switch error {
            case _ where error.isDenied: "ask for permission to enter the folder"
            case _ where error.isMissing: "make the folder first, or correct the path"
            default: error.remedy ?? "correct the path"
            }
        return StoreError(.unsuitablePlace, "the folder of the store \(path) cannot be reached", remedy: remedy, path: path, cause: error)
    }
}
