import StoreSQLite
import StoreShared

/// A plan that is written in SQL: a folder for each version, with its whole schema and what else leads to it.
///
/// Everything that can be known without a store is checked when it is read, on every machine.
package struct SQLPlan: Sendable {
    /// From the oldest to the newest.
    package let versions: [SchemaSnapshot]
    private let stages: [PlannedStage]
    private let seeds: [SchemaVersion: PlannedStage.Script]

    /// Reads a plan and tries its scripts on empty databases in memory.
    ///
    /// - Throws: `StoreError.planRefused` naming the file, and in SQL the line and the statement.
    package init(folder path: String) throws {
        let folder = try PlanFolder(path: path)
        var versions: [SchemaSnapshot] = []
        var stages: [PlannedStage] = []
        var seeds: [SchemaVersion: PlannedStage.Script] = [:]
        for files in folder.versions {
            let description = try files.stage.map { try StageDescription($0) } ?? StageDescription()
            let snapshot = try Self.snapshot(files, description)
            if let seed = files.seed.map(PlanScript.init(file:)) {
                try PlanTrial(snapshot).check(seed)
                seeds[snapshot.version] = seed.lastCode
            }
            // What leads to the lowest version was for stores that are older than this plan.
            if let before = versions.last {
                stages.append(try PlanStageReader(files, description, from: before, to: snapshot, earlier: versions).stage())
            }
            versions.append(snapshot)
        }
        self.versions = versions
        self.stages = stages
        self.seeds = seeds
        _ = try migrationPlan()
    }

    /// The plan as the engine takes it.
    ///
    /// - Parameters:
    ///   - target: the version to reach; the highest if nil.
    ///   - allowsReverse: whether a store above the target is brought back to it.
    /// - Throws: `StoreError.planRefused` for an unknown target or two versions of one fingerprint.
    package func migrationPlan(to target: SchemaVersion? = nil, allowsReverse: Bool = false) throws -> MigrationPlan {
        try MigrationPlan(versions: versions, stages: stages, target: target, seeds: seeds, allowsReverse: allowsReverse)
    }

    /// Whether the plan has a version of this number.
    package func has(_ version: SchemaVersion) -> Bool {
        versions.contains { $0.version == version }
    }

    private static func snapshot(_ files: PlanFolder.Version, _ description: StageDescription) throws -> SchemaSnapshot {
        let statements = try SchemaScript(files.schema).statements
        do {
            return try SchemaSnapshot(
                version: files.version, frontEnd: .sql, statements: statements,
                annotations: description.hashModifier.map { ["hashModifier": $0] } ?? [:])
        } catch let error as StoreError {
            throw files.schema.refusal(error.message, remedy: error.remedy, cause: error.cause)
        }
    }
}
