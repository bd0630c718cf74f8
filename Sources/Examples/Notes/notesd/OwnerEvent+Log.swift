import Foundation
import NotesCommand
import Storekeeper
import Synchronization

extension EventLog {
    /// Makes the function that writes what an owner does.
    static func owner(_ log: EventLog) -> @Sendable (OwnerEvent) -> Void {
        let progress = StageProgress()
        return { event in
            switch event {
            case .opening(let epoch):
                log.write(
                    "opening", "as owner \(epoch) of this store, pid \(getpid())",
                    [("epoch", .number(epoch)), ("pid", .number(Int64(getpid())))])
            case .migrating(let from, let to, let stages):
                log.write(
                    "migrating", "\(from) to \(to) in \(stages) \(stages == 1 ? "stage" : "stages")",
                    [("from", .text("\(from)")), ("to", .text("\(to)")), ("stages", .number(Int64(stages)))])
            case .stage(let number, let count, let name):
                progress.begin("stage \(number) of \(count), \(name)")
                log.write(
                    "stage", "\(number) of \(count): \(name)",
                    [("stage", .number(Int64(number))), ("stages", .number(Int64(count))), ("name", .text(name))])
            case .progress(let stage, let stages, let done, let total):
                log.progress(
                    line: progress.line(done: done, total: total),
                    [
                        ("stage", .number(Int64(stage))), ("stages", .number(Int64(stages))), ("rowsDone", .number(done)),
                        ("rowsTotal", total.map { .number($0) } ?? .null),
                    ])
            case .published(let version, let generation):
                log.write(
                    "published", "\(version), generation \(generation)",
                    [("version", .text("\(version)")), ("generation", .number(generation))])
            case .failed(let reason): log.write("failed", reason, [("reason", .text(reason))])
            case .serving: log.write("serving", "until SIGTERM or SIGINT")
            case .reader(let pid, let joined):
                log.write("reader", "\(pid) \(joined ? "came" : "left")", [("pid", .number(Int64(pid))), ("joined", .flag(joined))])
            case .warning(let text): log.write("warning", text, [("reason", .text(text))])
            case .working: break
            case .closing: log.write("closing", "the store is whole")
            }
        }
    }
}

/// The progress of the stage that runs, for whatever thread tells of it.
private final class StageProgress: Sendable {
    private let text = Mutex(ProgressText("migrating"))

    func begin(_ label: String) { text.withLock { $0 = ProgressText(label) } }

    func line(done: Int64, total: Int64?) -> String { text.withLock { $0(done: done, total: total) } }
}
