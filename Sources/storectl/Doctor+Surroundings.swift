import StoreMigration
import StoreReader
import StoreShared

/// What lies beside the store, and the processes that hold it.
extension DoctorReport {
    /// Each backup as if it were to be restored.
    mutating func checkBackups() {
        let backups = BackupExamination(location, storeID: judgement.metadata?.storeID ?? judgement.record.record?.storeID)
        add(backups.findings)
        note("\(backups.count) backups in \(location.backups)" + (backups.newest.map { ", the newest of \($0)" } ?? ""))
    }

    /// What stands where one of our files should be and is something else.
    mutating func checkKinds() {
        let wanted: [(path: String, kind: FileFacts.Kind, what: String)] = [
            (location.keeper, .folder, "a folder"), (location.backups, .folder, "a folder"), (location.record, .regular, "a plain file"),
            (location.ownerLock, .regular, "a plain file"), (location.gateLock, .regular, "a plain file"),
            (location.socket, .socket, "a socket"),
        ]
        for (path, kind, what) in wanted {
            guard let facts = try? System.linkStat(path) else { continue }
            if facts.kind != kind {
                add(
                    path, "it is \(Self.name(of: facts.kind)), where \(what) should be",
                    "move it away while no owner runs; the next owner makes it")
            } else if kind == .regular, facts.links > 1 {
                add(path, "it has \(facts.links) hard links", "remove the other names while no owner runs")
            }
        }
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

    /// Processes that live and do nothing: an owner that nobody can take over from, a reader whose snapshot keeps the log.
    mutating func checkProcesses() {
        if judgement.facts.owner == .alive, let holder = OwnerLock.holder(location) ?? judgement.record.record?.owner,
            ProcessIdentity.isStopped(holder.pid)
        {
            add(
                location.store, "its owner, process \(holder.pid), is stopped: nobody migrates, serves or takes over",
                "let it go on by kill -CONT \(holder.pid), or end it")
        }
        for pid in KernelLocks.snapshotHolders(of: location) where ProcessIdentity.isStopped(pid) {
            add(
                location.store + "-wal", "process \(pid) is stopped and holds a snapshot: the log cannot be emptied",
                "let it go on by kill -CONT \(pid), or end it")
        }
    }
}
