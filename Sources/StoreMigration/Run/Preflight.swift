import StoreShared
import StoreSQLite

/// Everything that can be known of a migration before its first write.
struct Preflight {
    /// What one stage does, and what stands in its way.
    struct Survey {
        let stage: PlannedStage
        /// Nil for a mapped stage, for one whose change cannot be planned, and for one whose schema has been changed before.
        let change: SchemaChange?
        let mapped: MappedChange?
        /// Structural reasons against it, whatever the rows.
        let refusals: [Refusal]
        /// Questions to the rows of the store as it is; empty where code or another stage comes before.
        let checks: [DataCheck]
        /// Questions whether they break what their tables have declared all along, each of which reads every value.
        var deepChecks: [DataCheck] = []
        /// Questions to them whose answer the code of the stage may change: a person is told, and nothing stops.
        var openChecks: [DataCheck] = []
    }

    let connection: Connection
    let location: StoreLocation
    let journey: Journey
    let losses: LossPolicy?
    let withBackup: Bool
    private let isInUse: Bool
    private let plans: PlannedChanges

    /// - Parameters:
    ///   - losses: what every stage may lose; nil for what each says itself.
    ///   - isInUse: whether somebody uses the version that the store has.
    ///   - plans: what has been planned before.
    init(
        _ journey: Journey, _ connection: Connection, at location: StoreLocation, losses: LossPolicy?, withBackup: Bool,
        isInUse: Bool = false, plans: PlannedChanges = PlannedChanges()
    ) {
        self.plans = plans
        self.journey = journey
        self.connection = connection
        self.location = location
        self.losses = losses
        self.withBackup = withBackup
        self.isInUse = isInUse
    }

    /// The stage at an index, as the runner carries it out.
    func stageRun(_ index: Int, _ progress: MigrationProgress) -> StageRun {
        let stage = journey.path[index]
        return StageRun(
            connection: connection, stage: stage, old: journey.snapshots[index], new: journey.snapshots[index + 1],
            losses: losses ?? stage.losses, progress: progress, isInUse: isInUse, plans: plans)
    }

    /// Looks at every stage, from the schemas and without asking the rows; within the read transaction of the caller.
    func surveys() throws -> [Survey] {
        try journey.path.indices.map { try survey($0) }
    }

    private func survey(_ index: Int) throws -> Survey {
        let run = stageRun(index, .silent)
        var refusals: [Refusal] = []
        if let batches = run.stage.batches {
            if index == 0 { refusals += try BatchRun.refusals(batches, connection) }
            // The schema of a pending stage has been changed before.
            if index == 0, journey.isPending {
                return Survey(stage: run.stage, change: nil, mapped: nil, refusals: refusals, checks: [])
            }
        }
        let schema = index == 0 ? try RelationalSchema.read(connection) : journey.snapshots[index].schema
        do {
            if let mapped = try run.mappedChange(from: schema) {
                return Survey(
                    stage: run.stage, change: nil, mapped: mapped, refusals: refusals + mapped.refusals,
                    checks: index == 0 ? mapped.checks : [], deepChecks: index == 0 ? mapped.deepChecks : [],
                    openChecks: index == 0 ? mapped.openChecks : [])
            }
            let change = try run.change(from: schema)
            return Survey(
                stage: run.stage, change: change, mapped: nil, refusals: refusals + change.refusals,
                checks: index == 0 && !run.stage.changesRowsFirst ? change.checks : [],
                deepChecks: index == 0 && !run.stage.changesRowsFirst ? change.deepChecks : [])
        } catch let refusal as MigrationRefusal {
            return Survey(stage: run.stage, change: nil, mapped: nil, refusals: refusals + refusal.refusals, checks: [])
        }
    }

    /// The room that all stages together need.
    func space(_ surveys: [Survey]) -> SpaceNeed {
        var space = SpaceNeed(connection: connection)
        for survey in surveys {
            if let mapped = survey.mapped { space.add(copied: mapped.tables.compactMap(\.oldName)) }
            if let change = survey.change { space.add(change) }
        }
        return space
    }

    /// What would stop the migration if the code of its stages did not see to it, one line each.
    func openQuestions(_ surveys: [Survey]) throws -> [String] {
        try surveys.flatMap(\.openChecks).compactMap { try $0.refusal(connection)?.summary }
    }

    /// Every reason to refuse, by object and row.
    ///
    /// - Parameter isDeep: asks every value whether it is what its table declares, too. An owner learns it from its backup, or from the copy.
    func refusals(_ surveys: [Survey], isDeep: Bool = false) throws -> [Refusal] {
        var refusals = surveys.flatMap(\.refusals)
        if refusals.isEmpty {
            let checks = surveys.flatMap(\.checks) + (isDeep ? surveys.flatMap(\.deepChecks) : [])
            refusals += try checks.compactMap { try $0.refusal(connection) }
        }
        let free = FreeSpace.bytes(at: location.folder)
        if let refusal = try space(surveys).refusal(in: location.folder, free: free, withBackup: withBackup) { refusals.append(refusal) }
        return refusals
    }
}
