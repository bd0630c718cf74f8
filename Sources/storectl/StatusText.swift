import StoreShared

/// A status for a person: one line a subject.
struct StatusText: CustomStringConvertible {
    private let status: Status
    private let reading: RecordReading

    init(_ status: Status, _ reading: RecordReading) {
        self.status = status
        self.reading = reading
    }

    var description: String {
        var lines = [("store", status.store.path), ("verdict", status.verdict.rawValue)]
        let store = status.store
        if let version = store.version { lines.append(("version", version)) }
        if let fingerprint = store.fingerprint { lines.append(("fingerprint", fingerprint)) }
        if let generation = store.generation { lines.append(("generation", "\(generation)")) }
        if let readable = store.readableBy { lines.append(("readable by", readable.joined(separator: ", "))) }
        lines.append(("record", record))
        lines.append(("owner", owner))
        if let migration = status.migration { lines.append(("migration", text(migration))) }
        if let failure = status.failure { lines.append(("failure", failure)) }
        if let readers = status.readers { lines.append(("readers", "\(readers)")) }
        return lines.map { name, text in name + String(repeating: " ", count: max(1, 13 - name.count)) + text.onOneLine + "\n" }.joined()
    }

    private var record: String {
        switch reading {
        case .missing: return "none"
        case .broken(let reason): return "not to be told: \(reason)"
        case .valid: break
        }
        guard let state = status.record.state else { return "none that is whole" }
        // Of a store that cannot be read nobody can say whether its record agrees.
        guard status.store.version != nil else { return state + ", as it was published; the store itself cannot be told" }
        return state + (status.record.believed ? "" : ", does not agree with the store")
    }

    private var owner: String {
        let owner = status.owner
        let process = owner.pid.map { "process \($0)" } ?? "a process that has not said who it is"
        switch owner.alive {
        case true?:
            return process + (owner.since.map { ", since \($0)" } ?? "") + (owner.epoch.map { ", epoch \($0)" } ?? "")
        case false?:
            guard owner.pid != nil else { return "none" }
            if reading.record?.livingOwner != nil { return "\(process), which has lost its lock file: see storectl doctor" }
            return "none; the last was \(process)" + (owner.reason.map { " (\($0))" } ?? "")
        case nil:
            return "cannot be told"
        }
    }

    private func text(_ migration: Status.Migration) -> String {
        var parts = ["\(migration.from ?? "nothing") to \(migration.to ?? "?")"]
        if let stage = migration.stage, let stages = migration.stages { parts.append("stage \(stage) of \(stages)") }
        if let name = migration.stageName { parts.append(name) }
        if let done = migration.rowsDone { parts.append("\(done) of \(migration.rowsTotal.map(String.init) ?? "?") rows") }
        if let eta = migration.etaSeconds { parts.append("\(eta) s left") }
        return parts.joined(separator: ", ")
    }
}
