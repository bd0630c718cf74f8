import Foundation
import StoreOwner
import StoreShared

/// The place of a configuration's store.
extension ModelConfiguration {
    /// Moves the store that lies at another place to this one, with its backups: a program that has joined a group moves its store into the
    /// group's folder before it makes the container.
    ///
    ///     let configuration = ModelConfiguration(groupContainer: .identifier("notes"))
    ///     try configuration.moveStore(from: ModelConfiguration().url)
    ///
    /// It may be called at every start: where nothing lies at the old place, nothing is done. A process that is killed in the middle loses nothing, and
    /// the next call goes on. How that is made sure of is said at `StoreOwner.move(from:to:allowsAnyFileSystem:)`.
    ///
    /// - Returns: whether anything was moved.
    /// - Throws: `StoreError`, which names both paths: `.ownedByAnother` while an owner lives at either place, `.unsuitablePlace` where both have a store or
    ///   the new place cannot be written; `SwiftDataError` for a place that no store can have. The store is where it was then.
    @discardableResult
    public func moveStore(from old: URL) throws -> Bool {
        guard !isStoredInMemoryOnly, old.isFileURL else {
            throw StoreError(
                .misuse, "the store \(old.path) cannot be moved to \(debugDescription)", remedy: "name two files", path: old.path)
        }
        let isThere = [old.path, old.path + ".keeper"].contains { FileManager.default.fileExists(atPath: $0) }
        guard isThere else { return false }
        try makeDefaultFolder()
        do {
            return try StoreOwner.move(from: old.path, to: path())
        } catch let error as StoreError where error.code == .absent {
            return false
        }
    }

    /// The path of the store's file.
    ///
    /// - Throws: `SwiftDataError` for a URL of no file, or a name that leaves no room for those beside it.
    func path() throws -> String {
        guard url.isFileURL else {
            throw SwiftDataError.load("\(url) is not the URL of a file", remedy: "make it with URL(fileURLWithPath:)")
        }
        let name = url.lastPathComponent
        guard name.utf8.count <= Self.longestName else {
            throw SwiftDataError(
                .configurationFileNameTooLong,
                "the name of the file \(name.prefix(40))… has \(name.utf8.count) bytes, but only \(Self.longestName) have a place beside it "
                    + "for the files that belong to it", remedy: "give the store a shorter name")
        }
        return url.path
    }

    /// A name has at most 255 bytes, and the longest of a store's is that of SQLite's journal.
    private static let longestName = 255 - "-journal".utf8.count

    /// The folder of a store that has no place of its own; that of another must be there.
    func makeDefaultFolder() throws {
        guard hasDefaultPlace else { return }
        let folder = url.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw StoreError(
                .unsuitablePlace, "the folder \(folder.path) for stores without a place of their own cannot be made",
                remedy: "make it, or give the configuration a url", path: folder.path, cause: error)
        }
    }
}
