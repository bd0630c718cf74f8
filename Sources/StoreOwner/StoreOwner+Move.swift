import StoreShared

extension StoreOwner {
    /// Moves a whole store: the database with what its log holds, its record and its backups.
    ///
    /// It is copied, verified and renamed at the new place, and only then removed where it was. A process that is killed in the middle loses
    /// nothing: until the old store is removed it is the store, and the next call begins anew or removes the rest. Readers of the old place keep
    /// their snapshots, and find no store there afterwards. Of the old folder `.keeper` its `owner.lock` stays, since somebody may be waiting for it.
    ///
    /// - Parameters:
    ///   - old: the path of the store; nobody may own it.
    ///   - new: where it is to lie. The folder must be there, and no store.
    ///   - allowsAnyFileSystem: allows a file system that is not known to be safe for a write-ahead log.
    /// - Returns: whether anything had to be moved; false where it lies there already and nothing is left at the old place.
    /// - Throws: `StoreError`, which names both paths: `.ownedByAnother` with the pid; `.unsuitablePlace` where something lies at the new place,
    ///   or it cannot be written; `.absent`, `.foreign`. The store is where it was then.
    @discardableResult
    public static func move(from old: String, to new: String, allowsAnyFileSystem: Bool = false) throws -> Bool {
        try move(from: old, to: new, allowsAnyFileSystem: allowsAnyFileSystem) { _ in }
    }

    /// As above, told of each step that has become durable.
    package static func move(
        from old: String, to new: String, allowsAnyFileSystem: Bool = false, done: @escaping (StoreMoveStep) -> Void
    ) throws -> Bool {
        try StoreMove(
            from: StoreLocation(path: old), to: StoreLocation(path: new), allowsAnyFileSystem: allowsAnyFileSystem, done: done
        ).run()
    }
}
