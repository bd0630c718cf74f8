import StoreShared
import StoreSQLite

/// Finds the least change that turns one schema into another and keeps everything.
///
/// Nothing is guessed about what ALTER TABLE does: each step is tried on an empty copy of the old schema in memory, and the schema
/// that comes out is compared with the one that is wanted. What ALTER TABLE cannot reach is rebuilt.
struct ChangePlanner {
    /// What becomes of tables and columns that the new version does not have.
    enum Drops {
        /// The versions of the plan say so: models.
        case allowed
        /// Only what the stage names may go: SQL plans.
        case onlyNamed
        /// Only what holds nothing may go: an inferred change, such as of a version that was edited in place.
        case onlyEmpty
        /// Not even that: an inferred change of a store while somebody uses what it would drop.
        case none
    }

    private let old: RelationalSchema
    private let new: RelationalSchema
    private let frontEnd: FrontEnd
    private let renames: ResolvedRenames
    private let losses: LossPolicy
    private let drops: Drops
    private let trial: Connection
    /// Tables whose foreign keys have nothing unique to refer to already.
    private let mismatchesBefore: [String: String]
    private let executor: ChangeExecutor
    private var change = SchemaChange()
    private var workNames: WorkNames
    /// FTS tables that are filled from their content again.
    private var searches: [String] = []

    /// - Throws: `MigrationRefusal` for renames that cannot be, `StoreError.planRefused` where no steps lead to the new schema.
    static func plan(
        from old: RelationalSchema, to new: RelationalSchema, frontEnd: FrontEnd, renames: [Rename], losses: LossPolicy, drops: Drops
    ) throws -> SchemaChange {
        var planner = try ChangePlanner(old: old, new: new, frontEnd: frontEnd, renames: renames, losses: losses, drops: drops)
        defer { planner.trial.close() }
        try planner.plan()
        return planner.change
    }

    private init(
        old: RelationalSchema, new: RelationalSchema, frontEnd: FrontEnd, renames: [Rename], losses: LossPolicy, drops: Drops
    ) throws {
        self.old = old
        self.new = new
        self.frontEnd = frontEnd
        self.renames = try ResolvedRenames(renames, from: old, to: new, lenient: frontEnd == .models)
        self.losses = losses
        self.drops = drops
        workNames = WorkNames(avoiding: old, new)
        trial = try Trial.make(old, views: false)
        mismatchesBefore = ForeignKeys.mismatches(in: trial, old)
        executor = ChangeExecutor(connection: trial, progress: .silent)
    }

    private mutating func plan() throws {
        try renameAndDropTables()
        try renameColumns()
        try changeIndexesAndTables()
        changeViewsAndTriggers()
        try noteDataChecks()
        change.tableNames = new.tables.compactMap { table in renames.oldName[SQLName.folded(table.name)].map { ($0, table.name) } }
        change.isAdditive = change.steps.allSatisfy { step in
            switch step {
            case .createTable, .createIndex, .createView, .addColumn: true
            default: false
            }
        }
        try verify()
    }

    /// Notes the step and tries it on the copy in memory.
    private mutating func emit(_ step: SchemaChange.Step) throws {
        try executor.apply(step)
        change.steps.append(step)
    }

    // MARK: Tables

    /// All renames of tables as a whole: a name that another table still has is reached by way of a work name, so that chains and swaps
    /// and names freed by a drop come out right.
    private mutating func renameAndDropTables() throws {
        let pairs = old.tables.compactMap { table in renames.newName[SQLName.folded(table.name)].map { (table.name, $0) } }
        var second: [(from: String, to: String)] = []
        for (from, to) in pairs where !SQLName.isIdentical(from, to) {
            if old.takenNames.contains(SQLName.folded(to)) {
                let name = workNames.next("storekeeper_rename_\(to)")
                try emit(.renameTable(from: from, to: name))
                second.append((name, to))
            } else {
                try emit(.renameTable(from: from, to: to))
            }
        }
        for table in old.tables where renames.newName[SQLName.folded(table.name)] == nil {
            noteLoss(table: table.name, column: nil)
            change.droppedTables.append(table.name)
            try emit(.dropTable(table.name))
        }
        for table in old.virtualTables {
            let kept = new.virtualTables.contains { SQLName.same($0.name, table.name) && $0.normalForm == table.normalForm }
            guard !kept else { continue }
            // The text of an FTS table with external content can be made again from that content; any other loses what it holds.
            if table.externalContent?.isEmpty != false { noteLoss(table: table.name, column: nil, reason: lossReason(ofVirtual: table)) }
            try emit(.dropTable(table.name))
        }
        for (from, to) in second { try emit(.renameTable(from: from, to: to)) }
    }

    private func lossReason(ofVirtual table: VirtualTableDefinition) -> String {
        new.virtualTables.contains { SQLName.same($0.name, table.name) }
            ? "a virtual table is not changed but made anew, and what it holds would be lost"
            : "the new version does not have it, and what it holds would be lost"
    }

    private mutating func noteLoss(
        table: String, column: String?, reason: String = "the new version does not have it, and what it holds would be lost"
    ) {
        change.losses.append(SchemaChange.Loss(table: table, column: column))
        let isNamed = column.map { losses.allows(table: table, column: $0) } ?? losses.allows(table: table)
        guard !isNamed, drops != .allowed else { return }
        let object = column.map { "table \(table), column \($0)" } ?? "table \(table)"
        if drops == .none {
            change.refusals.append(
                Refusal(
                    object: object, reason: "the new version does not have it, but this process has the store open with it",
                    remedy: "Open every container of the store with the same models, or close the others first."))
            return
        }
        let remedy = "Allow the loss in the plan, or keep it."
        if drops == .onlyEmpty {
            let condition = column.map { "\(SQLName.quoted($0)) IS NOT NULL" } ?? "1"
            let label = column.map { "substr(quote(\(SQLName.quoted($0))), 1, 60)" } ?? "'a row'"
            change.checks.append(
                DataCheck(object: object, reason: reason, remedy: remedy, label: label, source: SQLName.quoted(table), condition: condition)
            )
        } else {
            change.refusals.append(Refusal(object: object, reason: reason, remedy: remedy))
        }
    }

    /// Renames of columns by the same rule; a column that goes but stands in the way of a new name is put aside first.
    private mutating func renameColumns() throws {
        for table in new.tables {
            guard let oldName = renames.oldName[SQLName.folded(table.name)], let before = old.table(oldName) else { continue }
            let pairs = table.columns.compactMap { column in
                renames.oldColumn(column.name, of: table.name).map { (from: $0, to: column.name) }
            }
            for (from, to) in pairs
            where before.column(from)?.generated == ColumnDefinition.Generated.none
                && table.column(to)?.generated != ColumnDefinition.Generated.none
            {
                noteLoss(
                    table: before.name, column: from, reason: "the new version computes its values, and those that it holds would be lost")
            }
            let kept = Set(pairs.map { SQLName.folded($0.from) })
            let moved = pairs.filter { !SQLName.isIdentical($0.from, $0.to) }
            let destinations = Set(moved.map { SQLName.folded($0.to) })
            for column in before.columns where !kept.contains(SQLName.folded(column.name)) {
                // What is computed from other columns holds nothing of its own.
                if column.generated == .none { noteLoss(table: before.name, column: column.name) }
                guard destinations.contains(SQLName.folded(column.name)) else { continue }
                try emit(.renameColumn(table: table.name, from: column.name, to: workNames.next("storekeeper_dropped_\(column.name)")))
            }
            var second: [(from: String, to: String)] = []
            for (from, to) in moved {
                if !SQLName.same(from, to), kept.contains(SQLName.folded(to)) {
                    let name = workNames.next("storekeeper_rename_\(to)")
                    try emit(.renameColumn(table: table.name, from: from, to: name))
                    second.append((name, to))
                } else {
                    try emit(.renameColumn(table: table.name, from: from, to: to))
                }
            }
            for (from, to) in second { try emit(.renameColumn(table: table.name, from: from, to: to)) }
        }
    }

    private mutating func changeIndexesAndTables() throws {
        let renamed = try RelationalSchema.read(trial)
        let kept = renamed.indexes.filter { index in
            new.indexes.contains { $0.normalForm == index.normalForm }
        }
        let keptNames = Set(kept.map { SQLName.folded($0.name) })
        for index in renamed.indexes where !keptNames.contains(SQLName.folded(index.name)) { try emit(.dropIndex(index.name)) }

        var rebuilt: Set<String> = []
        var renumbered: Set<String> = []
        var changed = Set(old.tables.filter { renames.newName[SQLName.folded($0.name)] == nil }.map { SQLName.folded($0.name) })
        for target in new.tables {
            guard let source = renamed.table(target.name), renames.oldName[SQLName.folded(target.name)] != nil else { continue }
            guard source.normalForm(frontEnd) != target.normalForm(frontEnd) else { continue }
            switch TableAlteration(from: source, to: target, frontEnd: frontEnd).result(on: trial) {
            case .steps(let steps):
                for step in steps { try emit(step) }
            case .needsRebuild(let reason):
                let mapping = TableMapping(from: source, to: target, frontEnd: frontEnd, losses: losses) { name in
                    source.column(name)?.name
                }
                // Byte for byte as stored where an index does not change.
                let indexes = new.indexes(of: target.name).map { index in
                    kept.first { SQLName.isIdentical($0.name, index.name) }?.sql ?? index.sql
                }
                rebuilt.insert(SQLName.folded(target.name))
                if !mapping.keepsRowids { renumbered.insert(SQLName.folded(target.name)) }
                if mapping.changesRows { changed.insert(SQLName.folded(target.name)) }
                let name = workNames.next("storekeeper_new_\(target.name)")
                try emit(.rebuild(TableRebuild(reason: reason, mapping: mapping, workName: name, indexes: indexes)))
            }
        }
        for table in new.tables where renames.oldName[SQLName.folded(table.name)] == nil { try emit(.createTable(sql: table.sql)) }
        for table in new.virtualTables {
            let before = old.virtualTables.first { SQLName.same($0.name, table.name) }
            guard before?.normalForm != table.normalForm else { continue }
            try emit(.createTable(sql: table.sql))
            if table.externalContent?.isEmpty == false { searches.append(table.name) }
        }
        noteSearches(over: changed, renumbered)
        for index in new.indexes where !keptNames.contains(SQLName.folded(index.name)) && !rebuilt.contains(SQLName.folded(index.table)) {
            try emit(.createIndex(sql: index.sql))
        }
    }

    /// FTS tables whose text lies in rows that change or get other row ids, or comes through a view that changes, are filled again; those
    /// that hold their text themselves under the row ids of such a table cannot be.
    private mutating func noteSearches(over changed: Set<String>, _ renumbered: Set<String>) {
        let views = new.views.filter { view in !old.views.contains { $0.normalForm == view.normalForm } }
        for table in new.searches(over: new.withViews(over: changed.union(views.map { SQLName.folded($0.name) })))
        where !searches.contains(table.name) {
            searches.append(table.name)
        }
        for (table, trigger) in new.virtualTables(filledBy: new.withViews(over: renumbered))
        where old.virtualTables.contains(where: { SQLName.same($0.name, table.name) && $0.normalForm == table.normalForm }) {
            noteLoss(
                table: table.name, column: nil,
                reason: "trigger \(trigger.name) keeps it under the row ids of \(trigger.table), whose rows get other ones: "
                    + "it would name the wrong rows unless the stage fills it again")
        }
    }

    // MARK: Views and triggers

    private mutating func changeViewsAndTriggers() {
        // RENAME and DROP COLUMN fail on any view or trigger that is broken or that they would break, anywhere in the schema.
        let needsNone = change.steps.contains { step in
            switch step {
            case .renameTable, .renameColumn, .dropColumn: true
            case .rebuild(let rebuild): rebuild.mapping.target.qualifiesItsColumns
            default: false
            }
        }
        let rebuilt = Set(change.rebuilds.map { SQLName.folded($0.table) })
        let gone = Set(old.tables.filter { renames.newName[SQLName.folded($0.name)] == nil }.map { SQLName.folded($0.name) })

        func isUnchanged(_ view: ViewDefinition) -> Bool {
            new.views.contains { $0.normalForm == view.normalForm }
        }
        func isUnchanged(_ trigger: TriggerDefinition) -> Bool {
            new.triggers.contains { $0.normalForm == trigger.normalForm }
        }
        let droppedViews = old.views.filter { needsNone || !isUnchanged($0) }
        let droppedViewNames = Set(droppedViews.map { SQLName.folded($0.name) })
        var first: [SchemaChange.Step] = []
        var remaining: Set<String> = []
        for trigger in old.triggers + old.ownTriggers {
            let table = SQLName.folded(trigger.table)
            let isOwn = SQLName.isReserved(trigger.name)
            if needsNone || droppedViewNames.contains(table) || !isOwn && !isUnchanged(trigger) {
                first.append(.dropTrigger(trigger.name))
            } else if !rebuilt.contains(table), !gone.contains(table) {
                remaining.insert(SQLName.folded(trigger.name))
            }
        }
        first += droppedViews.map { .dropView($0.name) }

        var last: [SchemaChange.Step] = []
        // After the views, which may be what the text comes through.
        defer { change.steps += searches.map { .rebuildSearch($0) } }
        // Unchanged ones byte for byte as stored and in their old order, which is the order in which triggers fire; then the new ones.
        for view in old.views where droppedViewNames.contains(SQLName.folded(view.name)) && isUnchanged(view) {
            last.append(.createView(sql: view.sql))
        }
        for view in new.views where !old.views.contains(where: { $0.normalForm == view.normalForm }) {
            last.append(.createView(sql: view.sql))
        }
        for trigger in old.triggers where isUnchanged(trigger) && !remaining.contains(SQLName.folded(trigger.name)) {
            last.append(.createTrigger(sql: trigger.sql))
        }
        for trigger in new.triggers where !old.triggers.contains(where: { $0.normalForm == trigger.normalForm }) {
            last.append(.createTrigger(sql: trigger.sql))
        }
        // Ours come back where their table kept its name; whoever made them renews the others.
        for trigger in old.ownTriggers where !remaining.contains(SQLName.folded(trigger.name)) {
            guard let name = renames.newName[SQLName.folded(trigger.table)], SQLName.isIdentical(name, trigger.table) else { continue }
            last.append(.createTrigger(sql: trigger.sql))
        }
        change.steps = first + change.steps + last
    }

    // MARK: Checks

    private mutating func noteDataChecks() throws {
        let mappings = Dictionary(
            new.tables.compactMap { target in
                renames.oldName[SQLName.folded(target.name)].flatMap { old.table($0) }.map { source in
                    let mapping = TableMapping(from: source, to: target, frontEnd: frontEnd, losses: losses) { column in
                        renames.oldColumn(column, of: target.name)
                    }
                    return (SQLName.folded(target.name), mapping)
                }
            }, uniquingKeysWith: { first, _ in first })
        let rebuilt = Set(change.rebuilds.map { SQLName.folded($0.table) })
        for target in new.tables {
            guard let mapping = mappings[SQLName.folded(target.name)] else { continue }
            let source = mapping.source.name
            let isRebuilt = rebuilt.contains(SQLName.folded(target.name))
            change.checks += DataCheck.all(
                for: mapping, isRebuilt: isRebuilt, oldIndexes: old.indexes(of: source), newIndexes: new.indexes(of: target.name))
            if isRebuilt { change.deepChecks += DataCheck.impossibleValues(mapping) }
            change.checks += DataCheck.orphans(
                mapping, parent: { mappings[SQLName.folded($0)] }, renamed: { renames.newName[SQLName.folded($0)] }, old: old, new: new,
                isMismatched: mismatchesBefore["table \(source)"] != nil)
        }
    }

    /// Runs all steps on a fresh copy with views and triggers, and compares what comes out with what is wanted.
    private mutating func verify() throws {
        let copy = try Trial.make(old, views: true)
        defer { copy.close() }
        let brokenBefore = CompileCheck.broken(in: copy, old)
        let unusableBefore = Set(try SearchIntegrity.unusable(old, copy).keys)
        let executor = ChangeExecutor(connection: copy, progress: .silent)
        for step in change.steps { try executor.apply(step) }
        let reached = try RelationalSchema.read(copy)
        let difference = SchemaDifference(actual: reached, expected: new, frontEnd: frontEnd)
        guard difference.lines.isEmpty else {
            throw StoreError(
                .planRefused, "no steps lead to the schema that the plan declares: \(difference.lines.joined(separator: "; "))",
                remedy: "report this as a fault of the migration engine, with both schemas")
        }
        for (name, reason) in CompileCheck.broken(in: copy, new) where brokenBefore[name] == nil {
            change.refusals.append(Refusal(object: name, reason: "it does not compile on the new schema: \(reason)"))
        }
        for (name, reason) in try SearchIntegrity.unusable(new, copy) where !unusableBefore.contains(name) {
            change.refusals.append(
                Refusal(
                    object: name, reason: "it cannot search any more: \(reason)",
                    remedy: "Keep the table and the columns that it searches, or change it with them."))
        }
        for (name, reason) in ForeignKeys.mismatches(in: copy, new) where mismatchesBefore[name] == nil {
            change.refusals.append(
                Refusal(
                    object: name, reason: "its foreign keys have no unique key to refer to: \(reason)",
                    remedy: "Keep the parent's columns unique, or change the foreign key."))
        }
    }
}
