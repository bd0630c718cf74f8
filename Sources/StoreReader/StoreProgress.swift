import StoreShared

/// How far an owner has come, for one who waits. What nobody has said is nil; nothing here throws or changes by itself.
public struct StoreProgress: Hashable, Sendable {
    /// What the store is for the program that waits.
    public let verdict: Verdict
    /// The version that the store has now.
    public let storeVersion: SchemaVersion?
    /// Where the migration leads; nil while none runs.
    public let target: SchemaVersion?
    /// The stage that runs, from 1; nil while none runs.
    public let stage: Int?
    /// How many stages the migration has in all.
    public let stages: Int?
    /// The stage for people: `1.0.0 to 2.0.0` unless the plan names it.
    public let stageName: String?
    /// Rows of the stage that have been copied or changed, half a second old at most.
    public let rowsDone: Int64?
    /// Rows of the stage in all, as far as it is known; it may grow while the stage runs.
    public let rowsTotal: Int64?
    /// The process that owns the store; nil when none does, and while a new owner has not said who it is.
    public let ownerPID: Int32?
    /// Whether any process owns the store.
    public let isOwned: Bool
}

extension StoreProgress {
    package init(_ judgement: Judgement) {
        verdict = judgement.verdict
        storeVersion = judgement.metadata?.version
        let isOwned = judgement.facts.owner == .alive
        self.isOwned = isOwned
        // What a dead owner published says nothing of the one that lives.
        let record = judgement.record.record.flatMap { isOwned && $0.owner.end() == nil ? $0 : nil }
        ownerPID = isOwned ? record?.owner.pid ?? OwnerLock.holder(judgement.location)?.pid : nil
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
