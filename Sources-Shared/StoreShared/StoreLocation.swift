/// Where a store and what belongs to it lie.
///
/// Links are resolved first, so that two names of one store are one location; the store itself need not exist yet.
public struct StoreLocation: Hashable, Sendable {
    /// The database: opened by SQLite alone, never with a descriptor of ours.
    public let store: String

    /// Resolves the path.
    ///
    /// - Throws: `StoreError.unsuitablePlace` when the folder is missing or cannot be entered.
    public init(path: String) throws {
        guard !path.isEmpty else { throw StoreError(.misuse, "the path of the store is empty", remedy: "name a file") }
        do {
            store = try Self.resolved(path)
        } catch let error as SystemError {
            throw Self.noFolder(path, error)
        }
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

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = String(path[..<slash])
        return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
    }

    private static func noFolder(_ path: String, _ error: SystemError) -> StoreError {
        let remedy = error.isDenied ? "ask for permission to enter the folder" : "make the folder first, or correct the path"
        return StoreError(.unsuitablePlace, "the folder of the store \(path) cannot be reached", remedy: remedy, path: path, cause: error)
    }
}
