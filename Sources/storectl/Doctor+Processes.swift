import StoreReader
import StoreShared

/// The processes that hold the store, and whether they can be reached.
extension DoctorReport {
    /// Processes that live and do nothing, or do not what they seem to: an owner that nobody can reach or take over from, somebody else at
    /// its lock, a reader whose snapshot keeps the log.
    mutating func checkProcesses() {
        // Read and asked again, in this order: an owner may have come or gone since the store was judged. One that goes says so first.
        let living = PublishedRecord.read(from: location).record?.livingOwner
        let lock = OwnerLock.probe(location)
        if lock == .alive {
            note(checkOwner(living) ? "an owner is at home" : "somebody holds the owner's lock")
        } else if lock == .dead, let owner = living {
            add(
                location.ownerLock, "process \(owner.pid) owns the store and has lost this file: another could come beside it",
                "end process \(owner.pid), then start the owner again; nobody may remove the file")
        } else {
            note(lock == .dead ? "nobody owns the store now" : "whether somebody owns the store cannot be told")
        }
        for pid in KernelLocks.snapshotHolders(of: location) where ProcessIdentity.isStopped(pid) {
            add(
                location.store + "-wal", "process \(pid) is stopped and holds a snapshot: the log cannot be emptied",
                "let it go on by kill -CONT \(pid), or end it")
        }
    }

    /// Whoever holds the lock.
    ///
    /// - Parameter published: the owner that the record names, where it lives.
    /// - Returns: whether it is an owner, as far as can be told.
    private mutating func checkOwner(_ published: ProcessIdentity?) -> Bool {
        if let owner = OwnerLock.holder(location) ?? published, ProcessIdentity.isStopped(owner.pid) {
            add(
                location.store, "its owner, process \(owner.pid), is stopped: nobody migrates, serves or takes over",
                "let it go on by kill -CONT \(owner.pid), or end it")
            return true
        }
        let answer = Greeting.probe(location, within: .seconds(5))
        if answer != .alive, !isOwner(published) { return false }
        // Before an owner has published itself its socket may not be there yet.
        guard let published else { return true }
        if answer == .dead, OwnerLock.probe(location) == .alive {
            add(
                location.socket, "nobody answers there, and the owner, process \(published.pid), lives: nobody can ask it or is woken",
                "start the owner again")
        } else if answer == .unknown, [0, (try? System.linkStat(location.socket))?.owner].contains(System.userID) {
            // Who may not connect learns nothing there.
            add(
                location.socket, "the owner, process \(published.pid), does not answer there within 5 s", "start the owner again")
        }
        return true
    }

    /// Somebody at the lock who is no owner: has neither signed the lock file nor published a record.
    ///
    /// - Returns: false after it was named.
    private mutating func isOwner(_ published: ProcessIdentity?) -> Bool {
        let holders = KernelLocks.holders(of: location.ownerLock, bytes: 0...0)
        let owner = OwnerLock.holder(location) ?? published
        if let owner, holders.isEmpty || holders.contains(owner.pid) { return true }
        // It may have gone while it was asked.
        if OwnerLock.probe(location) != .alive { return true }
        let who =
            holders.isEmpty
            ? "a process that only root can name, and that is no owner,"
            : "process \(holders.map(\.description).joined(separator: ", ")), which is no owner,"
        add(location.ownerLock, "\(who) holds a lock on it: no owner can come", "end that process")
        return false
    }
}
