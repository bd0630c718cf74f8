import StoreMigration
import StoreReader
import StoreSQLite
import StoreShared

/// `storectl doctor`: every check that is known, and what to do.
extension Command {
    func examine() throws -> Int32 {
        try answering { location in
            let judgement = try judge(location, for: nil, strict: true)
            guard judgement.metadata != nil || isOrWasStore(judgement) else {
                throw judgement.problem
                    ?? StoreError(.unreadable, "\(location.store) cannot be read", remedy: "check the path", path: location.store)
            }
            var report = DoctorReport(judgement)
            try report.checkInside(plan)
            report.checkFiles()
            report.checkBackups()
            report.checkPlaces()
            report.checkFreeFiles()
            report.checkProcesses()
            tell(report, report.text)
            return report.findings.isEmpty ? 0 : 10
        }
    }

    /// Whether what lies there without saying what it is, or cannot be read, has been a store: an owner has locked it, or it has the marks.
    private func isOrWasStore(_ judgement: Judgement) -> Bool {
        guard [.foreign, .unreadable].contains(judgement.facts.store) else { return false }
        if (try? System.linkStat(judgement.location.ownerLock)) != nil { return true }
        return (try? StoreSight.readDatabase(judgement.location) { try StoreMetadata.hasTraces(in: $0) }) == true
    }
}

/// What was found from outside and from inside.
struct DoctorReport: Encodable {
    private(set) var healthy = true
    private(set) var findings: [Finding] = []
    /// What is worth knowing, and no reason to act.
    private(set) var notes: [String] = []

    let location: StoreLocation
    let judgement: Judgement

    private enum CodingKeys: String, CodingKey { case healthy, findings, notes }

    init(_ judgement: Judgement) {
        self.judgement = judgement
        location = judgement.location
        checkLibrary()
        checkRecord()
    }

    mutating func add(_ found: [Finding]) {
        findings += found
        healthy = findings.isEmpty
    }

    mutating func add(_ object: String, _ problem: String, _ remedy: String) {
        // An error that begins with its object says it once.
        let problem = problem.hasPrefix(object + " ") ? String(problem.dropFirst(object.count + 1)) : problem
        add([Finding(object: object, problem: problem, remedy: remedy)])
    }

    mutating func note(_ text: String) { notes.append(text) }

    private mutating func checkLibrary() {
        let number = Connection.libraryVersion
        let version = "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)"
        notes.append(
            Connection.hasWALResetFix
                ? "SQLite \(version) is linked, which has the fix of the WAL-reset bug"
                : "SQLite \(version) is linked, which has the WAL-reset bug: safe as long as the owner is the only one who writes and checkpoints"
        )
    }

    /// Everything that SQLite tells, also of a store that does not say itself what it is.
    mutating func checkInside(_ plan: String?) throws {
        let isReadable = judgement.metadata != nil
        if !isReadable, judgement.facts.store != .foreign, let problem = judgement.problem {
            add(location.store, problem.message + (problem.cause.map { ": \($0)" } ?? ""), problem.remedy)
        }
        do {
            // On a copy, since a snapshot that could not be read is tried again.
            self = try StoreSight.readDatabase(location) { connection in
                var report = self
                try report.examine(connection, isReadable: isReadable, plan)
                return report
            }
        } catch let error as StoreError where !isReadable {
            // It has been said already why it cannot be read.
            note("nothing in the store could be checked: \(error.message)")
        }
    }

    private mutating func examine(_ connection: Connection, isReadable: Bool, _ plan: String?) throws {
        if !isReadable {
            let missing = try StoreMetadata.missingTables(in: connection)
            for table in missing { add(location.store, "it has lost its table \(table)", "restore a backup, or adopt it with its plan") }
            if missing.isEmpty, judgement.facts.store == .foreign {
                add(location.store, "its metadata is empty", "restore a backup, or adopt it with its plan")
            }
        }
        // Of the snapshot that is examined: a migration may have come to its end since the store was judged.
        add(try StoreExamination(connection, isReadable ? StoreMetadata.read(connection) : nil).findings)
        try checkSpace(connection, isReadable ? plan : nil)
    }

    /// What is published against what the store is.
    private mutating func checkRecord() {
        let alive = judgement.facts.owner == .alive
        switch judgement.record {
        case .missing:
            add(location.record, "the record is missing", "start the owner, which publishes what the store is")
        case .broken(let reason):
            add(location.record, "the record is not to be believed: \(reason)", "start the owner, which publishes what the store is")
        case .valid(let record):
            if let metadata = judgement.metadata, record.storeID != metadata.storeID {
                add(location.record, "it is the record of another store, \(record.storeID)", "start the owner, which publishes its own")
            } else if judgement.facts.record == .ahead {
                add(
                    location.store, "the store went back: the record says generation \(record.generation), epoch \(record.epoch)",
                    "find out who put an older file there; restore a backup if rows are missing")
            } else if judgement.metadata != nil, judgement.facts.record != .equal {
                add(location.record, "the record does not say what the store is", "start the owner, which publishes what the store is")
            } else if record.state == .failed {
                add(
                    location.store, "the last migration failed: \(record.reason ?? "no reason was given")",
                    "do what the reason says; the next owner tries again")
            } else if !alive, record.state == .migrating {
                add(
                    location.store, "the owner \(record.owner.pid) ended in the middle of a migration; nothing is lost",
                    "start an owner, which goes on by itself")
            }
        }
        if let metadata = judgement.metadata, let target = metadata.target, !alive {
            add(
                location.store, "it is on its way from \(metadata.version) to \(target.version) in batches, and nobody goes on",
                "start an owner built for \(target.version)")
        }
    }

    /// Names, links, permissions and what was left beside the store.
    mutating func checkFiles() {
        let location = location
        let user = (try? System.stat(location.store))?.owner ?? System.userID
        for check in [location.checkLinks, location.checkFileSystem, { try location.checkFolders(for: user) }] {
            do {
                try check()
            } catch let error as StoreError {
                // SQLite's own files are looked at with the others beside the store.
                if error.path?.hasPrefix(location.store + "-") != true { add(error.path ?? location.store, error.message, error.remedy) }
            } catch {
                add(location.store, "its place cannot be examined: \(error)", "see the cause, then ask again")
            }
        }
        if let facts = try? System.stat(location.store), facts.permissions & 0o002 != 0 {
            add(location.store, "every user may write it", "take that permission away: only the owner may write")
        }
        for suffix in ["-wal", "-shm"] {
            guard let own = try? System.stat(location.store), let other = try? System.linkStat(location.store + suffix),
                other.kind == .regular
            else { continue }
            if other.permissions & 0o666 != own.permissions & 0o666 {
                add(location.store + suffix, "its permissions are not those of the store", "give it the store's, while nobody has it open")
            }
        }
        if judgement.facts.owner == .dead {
            for path in location.leftovers { add(path, "a killed owner left it half-made", "remove it; the next owner does too") }
        }
    }

    /// Room for the next migration: of a plan that is given, else for the worst, which rewrites everything.
    mutating func checkSpace(_ connection: Connection, _ folder: String?) throws {
        if let folder {
            let report = try PlanReport(connection, at: location, SQLPlan(folder: folder).migrationPlan())
            for refusal in report.refusals { add(refusal.object, "the plan would be refused: \(refusal.reason)", refusal.remedy) }
            return
        }
        guard let free = FreeSpace.bytes(at: location.folder) else { return }
        let pages = try connection.scalar("PRAGMA page_count")?.integer ?? 0
        let size = pages * (try connection.scalar("PRAGMA page_size")?.integer ?? 4096)
        let need = 4 * size
        let text = "a migration that rewrites everything needs \(ByteText(need)) with its backup; \(ByteText(free)) are free"
        if free < need {
            add("file system of \(location.folder)", text, "make room before the next release")
        } else {
            notes.append(text)
        }
    }

    var text: String {
        var lines = findings.flatMap { ["\($0.object): \($0.problem)", "    \($0.remedy)"] }
        if findings.isEmpty { lines.append("healthy") }
        lines += notes.map { "note: \($0)" }
        return lines.map(\.onOneLine).joined(separator: "\n") + "\n"
    }
}
