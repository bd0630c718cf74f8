import StoreMigration
import StoreReader
import StoreShared

/// What lies beside the store: backups, and files that must be of one kind, owner and mode.
extension DoctorReport {
    /// Each backup as if it were to be restored.
    mutating func checkBackups() {
        let backups = BackupExamination(location, storeID: judgement.metadata?.storeID ?? judgement.record.record?.storeID)
        add(backups.findings)
        note("\(backups.count) backups in \(location.backups)" + (backups.newest.map { ", the newest of \($0)" } ?? ""))
    }

    /// What must be true of one file beside the store, where there is one.
    private struct Place {
        let path: String
        let kind: FileFacts.Kind
        /// Permission bits that it must have; nil where they are the user's affair.
        var mode: UInt32?
        /// Whether it may have no others.
        var isExact = true
        var remedy = "move it away while no owner runs; the next owner makes it"
    }

    private var places: [Place] {
        let sqlites = "end whoever has the store open, then move it away"
        return [
            Place(path: location.keeper, kind: .folder), Place(path: location.backups, kind: .folder),
            Place(path: location.record, kind: .regular, mode: location.fileMode),
            Place(path: location.ownerLock, kind: .regular, mode: 0o600),
            Place(path: location.gateLock, kind: .regular, mode: location.fileMode),
            // A group that the owner was told to let in has more.
            Place(path: location.socket, kind: .socket, mode: location.socketMode, isExact: false),
            Place(path: location.store + "-wal", kind: .regular, remedy: sqlites),
            Place(path: location.store + "-shm", kind: .regular, remedy: sqlites),
            Place(path: location.store + "-journal", kind: .regular, remedy: sqlites),
        ]
    }

    /// What stands where one of the store's files should be and is something else, or is not as an owner makes it.
    ///
    /// The kind decides first: nobody is told to change the mode of what a link may lead to.
    mutating func checkPlaces() {
        let store = try? System.stat(location.store)
        for place in places {
            guard let facts = try? System.linkStat(place.path) else { continue }
            if facts.kind != place.kind {
                add(place.path, "it is \(Self.name(of: facts.kind)), where \(Self.name(of: place.kind)) should be", place.remedy)
                continue
            }
            if place.kind == .regular, facts.links > 1 {
                add(place.path, "it has \(facts.links) hard links", "remove the other names while no owner runs")
                continue
            }
            // That of the folder has been said with what others could do there.
            if place.path != location.keeper, let store, facts.owner != store.owner, facts.owner != 0 {
                add(
                    place.path, "it belongs to the user \(facts.owner), and the store to \(store.owner)",
                    "give it to the user \(store.owner) while no owner runs")
            }
            checkMode(facts, of: place)
        }
    }

    private mutating func checkMode(_ facts: FileFacts, of place: Place) {
        guard let wanted = place.mode else { return }
        let isRight = place.isExact ? facts.permissions == wanted : facts.permissions & wanted == wanted
        if isRight { return }
        add(
            place.path, "its permissions are \(String(facts.permissions, radix: 8)), not \(String(wanted, radix: 8))",
            "start the owner again, or set them")
    }

    private static func name(of kind: FileFacts.Kind) -> String {
        switch kind {
        case .regular: "a plain file"
        case .folder: "a folder"
        case .socket: "a socket"
        case .link: "a symbolic link"
        case .other: "a device or a pipe"
        }
    }

    /// Files that an owner makes at once: the record's and the socket's temporary ones, the log with its index, a backup with its own.
    private static let filesNeeded: Int64 = 8

    /// Files can run out before bytes do.
    mutating func checkFreeFiles() {
        guard let free = try? System.freeFiles(at: location.folder), free < Self.filesNeeded else { return }
        add(
            "file system of \(location.folder)", "it has room for \(free) more files, whatever bytes are free",
            "remove files there, or give it more inodes")
    }
}
