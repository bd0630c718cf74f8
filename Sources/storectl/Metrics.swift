import StoreReader
import StoreShared

/// `storectl metrics`: the state in the text format of Prometheus.
extension Command {
    func printMetrics() throws -> Int32 {
        try answering { location in
            let judgement = try judge(location, for: nil)
            if let problem = judgement.problem { explain(problem.description) }
            let metrics = StoreMetrics(judgement, readers: Self.readers(of: location).count)
            tell(metrics, metrics.text)
            return judgement.verdict == .absent || judgement.verdict == .unreadable ? judgement.verdict.exitCode : 0
        }
    }
}

/// Figures of one store. Those that do not apply are left out.
private struct StoreMetrics: Encodable {
    private struct Figure: Encodable {
        let name: String
        let help: String
        var labels: [String: String] = [:]
        let value: Double
    }

    private var metrics: [Figure] = []
    private let path: String

    private enum CodingKeys: String, CodingKey { case metrics }

    init(_ judgement: Judgement, readers: Int) {
        let status = judgement.status
        path = status.store.path
        for verdict in Verdict.allCases {
            add(
                "verdict", "1 for the verdict of the store, 0 for the others", judgement.verdict == verdict ? 1 : 0,
                ["verdict": verdict.rawValue])
        }
        if let version = status.store.version {
            add("info", "the version of the store", 1, ["version": version, "fingerprint": status.store.fingerprint ?? ""])
        }
        add("generation", "grows with each change of the schema", status.store.generation.map(Double.init))
        add("owner_up", "whether an owner lives", status.owner.alive.map { $0 ? 1 : 0 })
        add("owner_epoch", "grows with each owner", status.owner.epoch.map(Double.init))
        add("record_believed", "whether the published record says what the store is", status.record.believed ? 1 : 0)
        add("readers", "processes that read", Double(readers))
        add("migration_rows_done", "rows of the stage that are done", status.migration?.rowsDone.map(Double.init))
        add("migration_rows_total", "rows of the stage in all", status.migration?.rowsTotal.map(Double.init))
        add("migration_stage", "the stage that runs, from 1", status.migration?.stage.map(Double.init))
        add("migration_failed", "whether the last migration failed", status.failure == nil ? 0 : 1)
        for (name, suffix) in [("bytes", ""), ("wal_bytes", "-wal")] {
            add(
                name, "size of \(suffix.isEmpty ? "the store" : "its write-ahead log")",
                (try? System.stat(path + suffix)).map { Double($0.size) })
        }
    }

    private mutating func add(_ name: String, _ help: String, _ value: Double?, _ labels: [String: String] = [:]) {
        guard let value else { return }
        metrics.append(
            Figure(name: "storekeeper_\(name)", help: help, labels: labels.merging(["store": path]) { own, _ in own }, value: value))
    }

    var text: String {
        var text = ""
        var told: Set<String> = []
        for figure in metrics {
            if told.insert(figure.name).inserted { text += "# HELP \(figure.name) \(figure.help)\n# TYPE \(figure.name) gauge\n" }
            let labels = figure.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            let value = figure.value == figure.value.rounded() ? String(Int64(figure.value)) : String(figure.value)
            text += "\(figure.name){\(labels)} \(value)\n"
        }
        return text
    }

    /// In a label's value a backslash, a quote and a line end are escaped.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
        return result
    }
}
