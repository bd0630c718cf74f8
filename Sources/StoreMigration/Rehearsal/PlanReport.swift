import StoreSQLite
import StoreShared

/// What an owner would do with a store for a plan, what it costs, and what it would refuse. Nothing is changed.
package struct PlanReport: Sendable {
    /// One stage, as far as it can be known beforehand.
    package struct Stage: Sendable {
        package var from: SchemaVersion
        package var to: SchemaVersion
        package var name: String
        /// `lightweight`, `custom`, `mapped`, `batches`, `reverse` or `edited`.
        package var kind: String
        /// The steps in their order, in SQL or in words.
        package var changes: [String] = []
        /// The tables that are rebuilt, each with the reason.
        package var rebuilds: [(table: String, reason: String)] = []
        /// Tables and columns whose data goes.
        package var losses: [String] = []
        /// Rows that are copied.
        package var rows: Int64 = 0
        /// Bytes of the tables that are rebuilt or rewritten, with their indexes.
        package var bytes: Int64 = 0
        /// Bytes by which the log grows, at least.
        package var walBytes: Int64 = 0
        /// Versions whose readers may read the store after it.
        package var readableBy: [SchemaVersion] = []
        /// What cannot be checked before it runs.
        package var unchecked: [String] = []
    }

    package let from: SchemaVersion
    package let to: SchemaVersion
    package private(set) var stages: [Stage] = []
    package private(set) var refusals: [Refusal] = []
    /// Bytes of the backup before.
    package private(set) var backupBytes: Int64 = 0
    /// What a person should know, and that stops nobody.
    package private(set) var warnings: [String] = []

    /// Judges and looks, within the read transaction of the caller.
    ///
    /// - Throws: `StoreError` for a store that the plan may not touch at all.
    package init(_ connection: Connection, at location: StoreLocation, _ plan: MigrationPlan, allowsLoss: Bool = false) throws {
        guard let metadata = try StoreMetadata.read(connection) else {
            throw StoreError(
                .foreign, "\(location.store) is a database, but no store of Storekeeper", remedy: "check the path, or adopt the database",
                path: location.store)
        }
        from = metadata.version
        to = plan.target.version
        let pageSize = try connection.scalar("PRAGMA page_size")?.integer ?? 4096
        backupBytes = (try connection.scalar("PRAGMA page_count")?.integer ?? 0) * pageSize
        if let skipped = try SkippedVersions.find(plan, metadata, connection) {
            let text = skipped.description(of: metadata, at: location.store)
            if let refusal = skipped.refusal(of: metadata, at: location.store) {
                refusals.append(Refusal(object: location.store, reason: refusal.message, remedy: refusal.remedy))
            } else {
                warnings.append(text)
            }
        }
        guard let journey = try Journey.find(connection, plan) else { return }
        let preflight = Preflight(journey, connection, at: location, losses: allowsLoss ? .allowed : nil, withBackup: true)
        let surveys = try preflight.surveys()
        var readers = metadata.readableBy
        let space = SpaceNeed(connection: connection)
        for index in surveys.indices {
            readers = Self.readers(readers, preflight.stageRun(index, .silent), journey, index)
            var stage = try Self.stage(surveys[index], readers, isFirst: index == 0, connection, space)
            stage.unchecked += Self.searches(surveys[index], journey.snapshots[index].schema)
            stage.unchecked += try preflight.openQuestions([surveys[index]]).map { "whether the plan's code sees to this: \($0)" }
            stages.append(stage)
        }
        refusals += try preflight.refusals(surveys, isDeep: true)
    }

    private static func readers(
        _ before: [SchemaIdentity], _ run: StageRun, _ journey: Journey, _ index: Int
    ) -> [SchemaIdentity] {
        // A stage that no store can take leaves no readers of the versions before it.
        let others =
            try? run.stage.batches == nil ? run.readers(before, from: journey.snapshots[index].schema) : run.stage.statedReaders(before)
        return (others ?? []) + [journey.snapshots[index + 1].identity]
    }

    private static func stage(
        _ survey: Preflight.Survey, _ readers: [SchemaIdentity], isFirst: Bool, _ connection: Connection, _ space: SpaceNeed
    ) throws -> Stage {
        var stage = Stage(from: survey.stage.from, to: survey.stage.to, name: survey.stage.name, kind: kind(of: survey.stage))
        stage.readableBy = readers.map(\.version)
        var copied: Set<String> = []
        var rewritten: Set<String> = []
        if let change = survey.change {
            stage.changes = change.steps.map(\.description)
            stage.losses = change.losses.map { loss in "table \(loss.table)" + (loss.column.map { ", column \($0)" } ?? "") }
            for step in change.steps {
                if case .rebuild(let rebuild) = step {
                    stage.rebuilds.append((rebuild.table, rebuild.reason))
                    copied.insert(change.oldName(of: rebuild.table))
                }
                if case .dropColumn(let table, _) = step { rewritten.insert(change.oldName(of: table)) }
            }
        }
        if let mapped = survey.mapped {
            stage.changes = mapped.tables.map { "table \($0.target.name) exists in its old and its new form while the plan's code runs" }
            stage.rebuilds = mapped.tables.filter { $0.oldName != nil }.map { ($0.target.name, "the plan's code maps it") }
            copied = Set(mapped.tables.compactMap(\.oldName))
        }
        for table in copied where try connection.scalar("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE", .text(table)) != nil {
            stage.rows += try connection.scalar("SELECT count(*) FROM \(SQLName.quoted(table))")?.integer ?? 0
        }
        let (copiedBytes, rewrittenBytes) = (try space.bytes(of: copied) ?? 0, try space.bytes(of: rewritten) ?? 0)
        stage.bytes = copiedBytes + rewrittenBytes
        // The copy, and the pages that become free, which are overwritten.
        stage.walBytes = 2 * copiedBytes + rewrittenBytes
        if survey.stage.hasCode { stage.unchecked.append("what the plan's code does, and the rows after it") }
        if !isFirst { stage.unchecked.append("the rows after the stages before") }
        return stage
    }

    /// The searches that the stage asks whether they are in step, which needs the right to write.
    private static func searches(_ survey: Preflight.Survey, _ schema: RelationalSchema) -> [String] {
        let names: Set<String>? = if survey.stage.hasCode { survey.stage.written } else { [] }
        let touched = names?.union(survey.change?.rewritten ?? [])
        return schema.searches(touchedBy: touched).map { "whether the search \($0.name) finds what its rows say" }
    }

    private static func kind(of stage: PlannedStage) -> String {
        if stage.isReverse { return "reverse" }
        if stage.from == stage.to { return "edited" }
        if stage.batches != nil { return "batches" }
        return switch stage.kind {
        case .lightweight: "lightweight"
        case .custom: "custom"
        case .mapped: "mapped"
        }
    }
}
