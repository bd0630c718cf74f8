import NotesCommand
import Storekeeper
import Synchronization

extension EventLog {
    /// Makes the function that writes what a reader waits for: an event when that changes, and progress in between.
    static func waiting(_ log: EventLog) -> @Sendable (StoreProgress) -> Void {
        let last = Mutex<String?>(nil)
        return { progress in
            let text = reason(progress)
            let isNew = last.withLock { last in
                defer { last = text }
                return last != text
            }
            var fields: [(String, Field)] = [("verdict", .text(progress.verdict.rawValue))]
            fields.append(("storeVersion", progress.storeVersion.map { .text("\($0)") } ?? .null))
            fields.append(("ownerPID", progress.ownerPID.map { .number(Int64($0)) } ?? .null))
            fields.append(("stage", progress.stage.map { .number(Int64($0)) } ?? .null))
            fields.append(("stages", progress.stages.map { .number(Int64($0)) } ?? .null))
            if isNew {
                log.write("waiting", text, fields)
            } else if let done = progress.rowsDone {
                fields.append(("rowsDone", .number(done)))
                fields.append(("rowsTotal", progress.rowsTotal.map { .number($0) } ?? .null))
                log.progress(line: ProgressText("waiting: \(text)")(done: done, total: progress.rowsTotal), fields)
            }
        }
    }
}

/// What a reader waits for, for people; it changes when the owner or the stage does, not with every row.
private func reason(_ progress: StoreProgress) -> String {
    let owner = progress.ownerPID.map { "owner \($0)" } ?? "the owner"
    switch progress.verdict {
    case .absent: return progress.isOwned ? "\(owner) is making the store" : "there is no store yet"
    case .migrating:
        var text = "\(owner) is migrating"
        if let target = progress.target { text += " to \(target)" }
        if let stage = progress.stage, let stages = progress.stages { text += ", stage \(stage) of \(stages)" }
        return text
    case .outdated:
        let version = progress.storeVersion.map { "at \($0)" } ?? "at an older version"
        return progress.isOwned
            ? "the store is \(version), and \(owner) is not migrating it" : "the store is \(version), and nobody owns it"
    default: return progress.description
    }
}
