import StoreShared
import StoreSQLite

/// One stage of a plan on a store, inside the transaction of the runner.
struct StageRun {
    let connection: Connection
    let stage: PlannedStage
    /// The version that the store has.
    let old: SchemaSnapshot
    let new: SchemaSnapshot
    let losses: LossPolicy
    let progress: MigrationProgress
    /// Whether somebody uses the version that the store has.
    var isInUse = false
    var plans = PlannedChanges()

    private var frontEnd: FrontEnd { new.frontEnd }

    /// What becomes of tables and columns that the new version does not have. What no plan says may lose nothing.
    private var drops: ChangePlanner.Drops {
        if stage.isInferred { return isInUse ? .none : .onlyEmpty }
        return frontEnd == .models ? .allowed : .onlyNamed
    }

    private var executor: ChangeExecutor { ChangeExecutor(connection: connection, progress: progress) }

    // MARK: Planning

    /// The change before `did`, or the whole change where there is none.
    func change(from schema: RelationalSchema) throws -> SchemaChange {
        try change(from: schema, to: firstTarget(from: schema))
    }

    private func firstTarget(from schema: RelationalSchema) throws -> RelationalSchema {
        guard case .custom(_, .some) = stage.kind else { return new.schema }
        return try Relaxation.relaxed(new.schema, from: schema, renames: stage.renames, lenient: frontEnd == .models) ?? new.schema
    }

    private func change(from schema: RelationalSchema, to target: RelationalSchema, renames: [Rename]? = nil) throws -> SchemaChange {
        try plans.change(
            from: schema, to: target, frontEnd: frontEnd, renames: renames ?? stage.renames, losses: losses, drops: drops)
    }

    func mappedChange(from schema: RelationalSchema) throws -> MappedChange? {
        guard case .mapped(let rewriting, _) = stage.kind else { return nil }
        return try MappedChange(
            from: schema, to: new.schema, frontEnd: frontEnd, renames: stage.renames, losses: losses, rewriting: rewriting)
    }

    /// Whether a reader of the version before may read on, as far as that can be inferred.
    func isAdditive(from schema: RelationalSchema) throws -> Bool {
        guard !stage.hasCode else { return false }
        return try hasAdditiveShape(from: schema)
    }

    /// Whether everything that the version before has stays as it is.
    func hasAdditiveShape(from schema: RelationalSchema) throws -> Bool {
        if case .mapped = stage.kind { return false }
        guard try change(from: schema).isAdditive else { return false }
        // What is annotated means something: an annotation that changed or went may have changed the meaning of the data.
        return old.annotations.allSatisfy { new.annotations[$0.key] == $0.value }
    }

    /// Of those who could read the version before, who may read on; without the readers of the new version.
    ///
    /// While batches are still to come, the store is the version before: only its shape counts.
    func readers(_ before: [SchemaIdentity], from schema: RelationalSchema) throws -> [SchemaIdentity] {
        try (stage.batches == nil ? isAdditive(from: schema) : hasAdditiveShape(from: schema)) ? before : stage.statedReaders(before)
    }

    // MARK: Running

    /// - Parameter isChecked: that the rows were asked before, and nobody has written since.
    /// - Throws: whatever stands in the way or goes wrong; the caller undoes the transaction.
    func run(isChecked: Bool) throws {
        var searches = SearchWatch(connection, warn: progress.warn)
        if stage.hasCode { try searches.look(at: stage.written, RelationalSchema.read(connection)) }
        let added = try stage.initialValues.filter { try !hasTable($0.table) }
        switch stage.kind {
        case .lightweight:
            try carrying { try apply(to: new.schema, isChecked: isChecked, &searches) }
            try fill(added)
        case .custom(let will, let did):
            if let will { try runCode(will, on: old) }
            let target = try firstTarget(from: RelationalSchema.read(connection))
            try carrying { try apply(to: target, isChecked: isChecked && will == nil, &searches) }
            try fill(added)
            if let did {
                try runCode(did, on: new, declared: target)
                let reached = try RelationalSchema.read(connection)
                if reached.shape(frontEnd) != new.shape {
                    // The rule that the new columns must hold a value comes back.
                    let change = try change(from: reached, to: new.schema, renames: [])
                    try apply(change, from: reached, to: new.schema, isChecked: false, &searches)
                }
            }
        case .mapped(_, let body):
            let schema = try RelationalSchema.read(connection)
            guard let change = try mappedChange(from: schema) else { return }
            try refuse(change.refusals + (isChecked ? [] : change.checks.compactMap { try $0.refusal(connection) }))
            try MappedExecutor(executor: executor, change: change, old: old, new: new).run(body)
            try fill(added)
        }
        try refuse(searches.newDamage(RelationalSchema.read(connection)))
        connection.finalizeStatements()
    }

    /// Runs the change of the schema with the links that lie elsewhere afterwards.
    private func carrying(_ change: () throws -> Void) throws {
        let carrier = LinkCarrier(connection: connection, links: stage.links, progress: progress)
        try carrier.setAside()
        try change()
        try carrier.putDown()
    }

    private func hasTable(_ name: String) throws -> Bool {
        try !connection.rows("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE", [.text(name)]).isEmpty
    }

    /// Gives tables that have come by the change what their rows hold at first.
    private func fill(_ added: [InitialValues]) throws {
        for values in added {
            try progress.check()
            try connection.run(values.statement)
        }
    }

    private func apply(to target: RelationalSchema, isChecked: Bool, _ searches: inout SearchWatch) throws {
        let schema = try RelationalSchema.read(connection)
        try apply(change(from: schema, to: target), from: schema, to: target, isChecked: isChecked, &searches)
    }

    private func apply(
        _ change: SchemaChange, from schema: RelationalSchema, to target: RelationalSchema, isChecked: Bool, _ searches: inout SearchWatch
    ) throws {
        try searches.look(at: change.rewritten, refilled: change.refilledSearches, schema)
        try refuse(change.refusals + (isChecked ? [] : change.checks.compactMap { try $0.refusal(connection) }))
        for rebuild in change.rebuilds {
            let table = SQLName.quoted(change.oldName(of: rebuild.table))
            progress.expect(rows: try connection.scalar("SELECT count(*) FROM \(table)")?.integer ?? 0)
        }
        try executor.run(change, from: schema, to: target, frontEnd: frontEnd)
    }

    private func refuse(_ refusals: [Refusal]) throws {
        if !refusals.isEmpty { throw MigrationRefusal(refusals) }
    }

    /// The plan's own code, with foreign keys on, after which the schema must be what it was.
    private func runCode(_ code: PlannedStage.Script, on snapshot: SchemaSnapshot, declared: RelationalSchema? = nil) throws {
        try progress.check()
        try connection.setForeignKeys(true)
        try StageGuard.guarding(connection) { try code(StageContext(connection: connection, snapshot: snapshot, progress: progress)) }
        // An unfinished statement would lock the tables that are about to change.
        connection.resetStatements()
        connection.finalizeStatements()
        let expected = declared ?? snapshot.schema
        guard try RelationalSchema.shape(of: connection, frontEnd) != expected.shape(frontEnd) else { return }
        let difference = SchemaDifference(actual: try RelationalSchema.read(connection), expected: expected, frontEnd: frontEnd)
        throw StoreError(
            .migrationFailed, "the code of stage '\(stage.name)' changed the schema: \(difference.lines.joined(separator: "; "))",
            remedy: "let it change rows only; the schema is what the versions declare", path: connection.path)
    }
}
