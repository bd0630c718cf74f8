import FoundationEssentials
import StoreOwner
import StoreShared

/// What the owner does, on standard output, one line an event. Nobody waits for one who does not read it.
final class EventLog: Sendable {
    private let form: Settings.Log
    private let output: PatientOutput

    init(_ form: Settings.Log) {
        self.form = form
        output = PatientOutput { count in
            let line = Line(dropped: count)
            return form == .json ? line.json : line.text
        }
    }

    func write(_ event: OwnerEvent) {
        guard form != .none, let line = Line(event) else { return }
        output.write(form == .json ? line.json : line.text)
    }

    /// Gives the last lines a moment; before the process ends.
    func finish() {
        output.finish()
    }
}

/// One event. Keys that do not apply are left out.
private struct Line: Encodable {
    let time = Timestamp.now.description
    var event: String
    var pid: Int32?
    var epoch: Int64?
    var from: String?
    var to: String?
    var stage: Int?
    var stages: Int?
    var stageName: String?
    var rowsDone: Int64?
    var rowsTotal: Int64?
    var version: String?
    var generation: Int64?
    var reason: String?
    var joined: Bool?

    init(dropped count: Int) {
        event = "warning"
        reason = "\(count) lines of this log are missing: nobody read it"
    }

    /// Nil for what is not worth a line.
    init?(_ happening: OwnerEvent) {
        switch happening {
        case .opening(let epoch):
            event = "opening"
            self.epoch = epoch
            pid = System.processID
        case .migrating(let from, let to, let stages):
            event = "migrating"
            self.from = from.description
            self.to = to.description
            self.stages = stages
        case .stage(let number, let count, let name):
            event = "stage"
            stage = number
            stages = count
            stageName = name
        case .progress(let number, let count, let rowsDone, let rowsTotal):
            event = "progress"
            stage = number
            stages = count
            self.rowsDone = rowsDone
            self.rowsTotal = rowsTotal
        case .published(let version, let generation):
            event = "published"
            self.version = version.description
            self.generation = generation
        case .failed(let reason):
            event = "failed"
            self.reason = reason
        case .warning(let text):
            event = "warning"
            reason = text
        case .serving:
            event = "serving"
            pid = System.processID
        case .reader(let pid, let joined):
            event = "reader"
            self.pid = pid
            self.joined = joined
        case .closing:
            event = "closing"
        case .working:
            return nil
        }
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? #"{"time":"\#(time)","event":"\#(event)"}"#
    }

    var text: String {
        var words = [time, event]
        if let from, let to { words.append("\(from) to \(to)") }
        if let stage, let stages { words.append("\(stage) of \(stages)") }
        if let stageName { words.append(stageName) }
        if let rowsDone { words.append("\(rowsDone)\(rowsTotal.map { " of \($0)" } ?? "") rows") }
        if let version { words.append(version) }
        if let generation { words.append("generation \(generation)") }
        if let epoch { words.append("epoch \(epoch)") }
        if let joined { words.append(joined ? "came:" : "left:") }
        if let pid { words.append("pid \(pid)") }
        if let reason { words.append(reason) }
        return words.joined(separator: " ").onOneLine
    }
}
