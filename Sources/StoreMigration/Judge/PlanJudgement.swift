import StoreShared
import StoreSQLite

/// What a store is for the one who is to bring it to the target of a plan.
package enum PlanJudgement: Sendable {
    /// There is no schema yet: the store is made at the target.
    case empty
    /// Nothing to do.
    case upToDate(StoreMetadata)
    /// The stages that lead to the target. A stage from a version to itself takes over an edit of that version, by inference.
    case behind(StoreMetadata, path: [PlannedStage])
}

extension PlanJudgement {
    /// Judges from inside a transaction. An up-to-date store costs five statements.
    ///
    /// - Throws: `StoreError` for a store that this plan may not touch: `.foreign`, `.storeTooNew` with both versions, `.drifted` with
    ///   table and column, `.planRefused`; `SQLiteError` for a file that cannot be read.
    package static func judge(_ connection: Connection, for plan: MigrationPlan) throws -> PlanJudgement {
        guard let metadata = try StoreMetadata.read(connection) else {
            if try connection.scalar("SELECT 1 FROM sqlite_schema LIMIT 1") == nil { return .empty }
            throw StoreError(
                .foreign, "\(connection.path) is a database, but no store of Storekeeper", remedy: "check the path, or adopt the database",
                path: connection.path)
        }
        try SchemaDrift.check(connection, metadata)
        // Before the fingerprint, which still is that of the version before.
        if let target = metadata.target { return try judge(metadata, pending: target, plan, connection.path) }
        if let known = plan.snapshot(metadata.fingerprint) { return try judge(metadata, at: known, plan, connection.path) }
        return try judgeUnknown(metadata, plan, connection)
    }

    private static func judge(
        _ metadata: StoreMetadata, at known: SchemaSnapshot, _ plan: MigrationPlan, _ path: String
    ) throws -> PlanJudgement {
        if known.fingerprint == plan.target.fingerprint {
            // The same models under a higher number: only the name changes.
            guard plan.infersStages, metadata.version < plan.target.version else { return .upToDate(metadata) }
            return .behind(metadata, path: [inferred(from: metadata.version, to: plan.target.version, plan)])
        }
        if let stages = plan.path(from: known.fingerprint) { return .behind(metadata, path: stages) }
        if known.version > plan.target.version, plan.allowsReverse {
            throw StoreError(
                .planRefused, "no steps lead back from \(known.version), which \(path) has, to \(plan.target.version)",
                remedy: "write reverse.sql for each version above \(plan.target.version), or restore a backup", path: path,
                storeVersion: known.version, wantedVersion: plan.target.version)
        }
        throw tooNew(metadata, plan, path)
    }

    /// The store is in the middle of a batched stage: it has the shape of the stage's target, and only that stage can go on.
    private static func judge(
        _ metadata: StoreMetadata, pending target: SchemaIdentity, _ plan: MigrationPlan, _ path: String
    ) throws -> PlanJudgement {
        let begun = "\(path) is on its way from \(metadata.version) to \(target.version), in batches"
        guard target.version <= plan.target.version else {
            guard plan.allowsReverse else { throw tooNew(metadata, plan, path) }
            throw StoreError(
                .planRefused, begun, remedy: "let them come to their end before going back to \(plan.target.version)", path: path,
                storeVersion: metadata.version, wantedVersion: plan.target.version)
        }
        guard let stages = plan.path(from: metadata.fingerprint), let stage = stages.first, stage.to == target.version,
            plan.snapshot(stage.to)?.fingerprint == target.fingerprint, stage.batches != nil
        else {
            throw StoreError(
                .planRefused, "\(begun), and this plan has another stage there", remedy: "finish it with the plan that began it",
                path: path,
                storeVersion: metadata.version, wantedVersion: plan.target.version)
        }
        return .behind(metadata, path: stages)
    }

    /// The fingerprint is none of the plan's: the store is newer, or a version was edited after it shipped.
    private static func judgeUnknown(
        _ metadata: StoreMetadata, _ plan: MigrationPlan, _ connection: Connection
    ) throws -> PlanJudgement {
        guard metadata.frontEnd == plan.target.frontEnd.rawValue else {
            throw StoreError(
                .planRefused, "\(connection.path) was made by a plan of \(metadata.frontEnd), not of \(plan.target.frontEnd.rawValue)",
                remedy: "use the program that made it", path: connection.path, storeVersion: metadata.version)
        }
        if let edited = plan.snapshot(metadata.version), metadata.version <= plan.target.version {
            if try HistoryEntry.hasLeft(edited.version, edited.fingerprint, connection) { throw tooNew(metadata, plan, connection.path) }
            guard let rest = plan.path(from: edited.version) else { throw tooNew(metadata, plan, connection.path) }
            return .behind(metadata, path: [inferred(from: edited.version, to: edited.version, plan)] + rest)
        }
        if metadata.version > plan.target.version { throw tooNew(metadata, plan, connection.path) }
        if plan.infersStages {
            // Never back to what it has left.
            if try HistoryEntry.hasLeft(plan.target.version, plan.target.fingerprint, connection) {
                throw tooNew(metadata, plan, connection.path)
            }
            return .behind(metadata, path: [inferred(from: metadata.version, to: plan.target.version, plan)])
        }
        throw try unknown(metadata, plan, connection)
    }

    /// The stage that takes over what no stage of the plan does.
    private static func inferred(from old: SchemaVersion, to new: SchemaVersion, _ plan: MigrationPlan) -> PlannedStage {
        PlannedStage(
            from: old, to: new, name: old == new ? "\(new), edited" : nil, renames: plan.renamesInPlace[new] ?? [],
            initialValues: plan.initialValuesInPlace[new] ?? [], losses: .none,
            isInferred: true)
    }

    private static func tooNew(_ metadata: StoreMetadata, _ plan: MigrationPlan, _ path: String) -> StoreError {
        let has = metadata.target ?? metadata.identity
        let why: String
        if let own = plan.snapshot(has.version)?.identity, !own.matches(has) {
            // Numbers alone would call it newer than itself.
            why =
                "has \(has.description(beside: own)), not this program's \(own.description(beside: has)): the version was edited in place, "
                + "and the store has left that one"
        } else if has.version > plan.target.version {
            why = "is at \(has.version), newer than \(plan.target.version), which this program was built for"
        } else {
            why = "is at \(has.version) and has left \(plan.target.version), which this program was built for"
        }
        return StoreError(
            .storeTooNew, "\(path) \(why)", remedy: "use the newer program; this one has changed nothing", path: path,
            storeVersion: metadata.version, wantedVersion: plan.target.version)
    }

    /// A version between those of the plan: says in what it differs from the nearest one.
    private static func unknown(_ metadata: StoreMetadata, _ plan: MigrationPlan, _ connection: Connection) throws -> StoreError {
        let nearest = plan.versions.last { $0.version <= metadata.version } ?? plan.versions[0]
        let difference = SchemaDifference(
            actual: try RelationalSchema.read(connection), expected: nearest.schema, frontEnd: nearest.frontEnd)
        let lines = difference.lines.isEmpty ? "only what is annotated differs" : difference.lines.joined(separator: "; ")
        return StoreError(
            .drifted,
            "no version of the plan has the schema of \(connection.path), which calls itself \(metadata.version): from "
                + "\(nearest.version) it differs in this: \(lines)",
            remedy: "add that version to the plan, or use the program that made it",
            path: connection.path, storeVersion: metadata.version, wantedVersion: plan.target.version)
    }
}
