import StoreShared

/// How far an owner has come, for one who waits.
public struct StoreProgress: Hashable, Sendable {
    public let verdict: Verdict
    /// The version that the store has now.
    public let storeVersion: SchemaVersion?
    /// Where the migration leads.
    public let target: SchemaVersion?
    /// The stage that runs, from 1.
    public let stage: Int?
    public let stages: Int?
    public let stageName: String?
    public let rowsDone: Int64?
    public let rowsTotal: Int64?
    /// The process that owns the store; nil when none does.
    public let ownerPID: Int32?
    /// Whether any process owns the store.
    public let isOwned: Bool
}

extension StoreProgress {
    package init(_ judgement: Judgement) {
        verdict = judgement.verdict
        storeVersion = judgement.metadata?.version
        isOwned = judgement.facts.owner == .alive
        let record = judgement.record.record
        ownerPID = isOwned ? record?.owner.pid : nil
        let works = judgement.verdict == .migrating ? record : nil
        target = works?.target
        stage = works?.stage
        stages = works?.stages
        stageName = works?.stageName
        rowsDone = works?.rowsDone
        rowsTotal = works?.rowsTotal
    }
}

extension StoreProgress: CustomStringConvertible {
    /// `stage 2 of 3, 2.0.0 to 3.0.0, 120000 of 1000000 rows`.
    public var description: String {
        guard verdict == .migrating else { return verdict.rawValue }
        var parts: [String] = []
        if let stage, let stages { parts.append("stage \(stage) of \(stages)") }
        if let stageName {
            parts.append(stageName)
        } else if let storeVersion, let target {
            parts.append("\(storeVersion) to \(target)")
        }
        if let rowsDone {
            parts.append(rowsTotal.map { "\(rowsDone) of \($0) rows" } ?? "\(rowsDone) rows")
        }
        return parts.isEmpty ? "opening" : parts.joined(separator: ", ")
    }
}
