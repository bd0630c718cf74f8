import StoreShared

/// The ordered versions of a schema and the stages between them.
package struct MigrationPlan: Sendable {
    /// From the oldest to the newest.
    package let versions: [SchemaSnapshot]
    package let stages: [PlannedStage]
    /// The version that a store is brought to.
    package let target: SchemaSnapshot
    /// Renames that also hold when a version is edited in place, by version: `originalName` of models.
    package let renamesInPlace: [SchemaVersion: [Rename]]
    /// Of the tables that a version may have been given when it was edited in place.
    let initialValuesInPlace: [SchemaVersion: [InitialValues]]
    /// What fills a store that is made at a version.
    package let seeds: [SchemaVersion: PlannedStage.Script]
    /// Whether a store above the target is brought back to it. What the steps back lose is allowed with it.
    package let allowsReverse: Bool
    /// Whether a store at a lower version that the plan does not have is brought to the target by inference: models without a plan.
    package let infersStages: Bool

    /// Checks the plan as a whole, on every machine and not only where an old store exists.
    ///
    /// - Parameter target: the version to reach; the highest if nil.
    /// - Throws: `StoreError.planRefused` for two versions of one number or one fingerprint (both named), a stage from or to an unknown
    ///   version, a stage from a version to itself, two stages between the same versions, or a version below the target from which no stages lead
    ///   on.
    package init(
        versions: [SchemaSnapshot], stages: [PlannedStage] = [], target: SchemaVersion? = nil,
        renamesInPlace: [SchemaVersion: [Rename]] = [:], initialValuesInPlace: [SchemaVersion: [InitialValues]] = [:],
        seeds: [SchemaVersion: PlannedStage.Script] = [:], allowsReverse: Bool = false,
        infersStages: Bool = false
    ) throws {
        let sorted = versions.sorted { $0.version < $1.version }
        guard let last = sorted.last else { throw Self.refused("the plan has no version", "list at least one") }
        for (index, version) in sorted.enumerated() {
            for other in sorted[..<index] {
                if other.version == version.version {
                    throw Self.refused("the plan has version \(version.version) twice", "give each its own number")
                }
                if other.fingerprint == version.fingerprint {
                    throw Self.refused(
                        "versions \(other.version) and \(version.version) of the plan have the same fingerprint \(version.fingerprint)",
                        "list each version with its own frozen types, or tell them apart by a hash modifier")
                }
            }
        }
        self.versions = sorted
        self.stages = stages
        self.renamesInPlace = renamesInPlace
        self.initialValuesInPlace = initialValuesInPlace
        self.seeds = seeds
        self.allowsReverse = allowsReverse
        self.infersStages = infersStages
        guard let reached = target.map({ number in sorted.first { $0.version == number } }) ?? last else {
            throw Self.refused("the plan has no version \(target.map(\.description) ?? "")", "choose one of its versions")
        }
        self.target = reached
        try checkStages()
    }

    private func checkStages() throws {
        var seen: Set<[SchemaVersion]> = []
        for stage in stages {
            for end in [stage.from, stage.to] where snapshot(end) == nil {
                throw Self.refused(
                    "stage '\(stage.name)' names version \(end), which the plan does not have", "add the version to the plan")
            }
            guard stage.from != stage.to else {
                throw Self.refused("stage '\(stage.name)' leads to the version that it comes from", "name two versions, or leave it out")
            }
            guard seen.insert([stage.from, stage.to]).inserted else {
                throw Self.refused("the plan has two stages from \(stage.from) to \(stage.to)", "keep one")
            }
        }
        for version in versions where version.version < target.version && path(from: version.version) == nil {
            throw Self.refused("no stages lead from version \(version.version) to \(target.version)", "add the missing stage")
        }
    }

    /// The version of this number; nil if the plan does not have it.
    package func snapshot(_ version: SchemaVersion) -> SchemaSnapshot? {
        versions.first { $0.version == version }
    }

    /// The version of this fingerprint; nil if the plan does not have it.
    package func snapshot(_ fingerprint: Fingerprint) -> SchemaSnapshot? {
        versions.first { $0.fingerprint == fingerprint }
    }

    /// The fewest stages from a version to the target, empty for the target itself; nil if there are none.
    ///
    /// A path never turns round: from a version below the target it leads upwards; from one above it downwards, by stages that the plan itself has for
    /// that, and by the steps back where this plan allows them.
    package func path(from version: SchemaVersion) -> [PlannedStage]? {
        if version > target.version {
            let steps = allowsReverse ? stages.compactMap { stage in stage.reverse?.stage(from: stage.to, to: stage.from) } : []
            return Self.path(from: version, to: target.version, by: stages.filter(\.isReverse) + steps) { $0 >= target.version }
        }
        return Self.path(from: version, to: target.version, by: stages.filter { !$0.isReverse }) { $0 <= target.version }
    }

    private static func path(
        from version: SchemaVersion, to target: SchemaVersion, by stages: [PlannedStage], within isWithin: (SchemaVersion) -> Bool
    ) -> [PlannedStage]? {
        var paths: [SchemaVersion: [PlannedStage]] = [version: []]
        var queue = [version]
        while !queue.isEmpty {
            let current = queue.removeFirst()
            if current == target { return paths[current] }
            for stage in stages where stage.from == current && isWithin(stage.to) && paths[stage.to] == nil {
                paths[stage.to] = (paths[current] ?? []) + [stage]
                queue.append(stage.to)
            }
        }
        return nil
    }

    /// The fewest stages from the version of this fingerprint to the target; nil if the plan does not have it.
    package func path(from fingerprint: Fingerprint) -> [PlannedStage]? {
        snapshot(fingerprint).flatMap { path(from: $0.version) }
    }

    private static func refused(_ message: String, _ remedy: String) -> StoreError {
        StoreError(.planRefused, message, remedy: remedy)
    }
}
