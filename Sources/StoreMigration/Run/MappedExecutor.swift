import StoreShared
import StoreSQLite

/// Runs a mapped stage: makes the new tables beside the old ones, copies, hands both to the plan's code, then drops and renames.
struct MappedExecutor {
    let executor: ChangeExecutor
    let change: MappedChange
    let old: SchemaSnapshot
    let new: SchemaSnapshot

    private var connection: Connection { executor.connection }
    private var progress: MigrationProgress { executor.progress }
    private var copier: TableCopier { TableCopier(connection: connection, progress: progress) }

    /// Row constraints hold at once on both sides. Foreign keys, which name the tables that are still the old ones, hold at the end.
    func run(_ body: (StageContext, StageContext) throws -> Void) throws {
        let going = Set(change.goingTables.map(SQLName.folded))
        let touched = (going, going.union(change.tables.map { SQLName.folded($0.target.name) }))
        let brokenBefore = CompileCheck.broken(in: connection, change.old)
        try executor.guardingKeys(of: touched, names: change.tableNames, from: change.old, to: change.new) {
            // The old triggers speak of the old tables; the new ones come when everything is in its place.
            for trigger in change.old.triggers + change.old.ownTriggers {
                try connection.run("DROP TRIGGER \(SQLName.quoted(trigger.name))")
            }
            let marks = try makeTables()
            try runBody(body)
            try swap(marks)
        }
        try executor.verify(change.new, frontEnd: change.frontEnd, brokenBefore: brokenBefore)
    }

    /// The new tables under their work names, filled where the engine copies. Gives the AUTOINCREMENT marks of the old ones.
    private func makeTables() throws -> [String: Int64] {
        var marks: [String: Int64] = [:]
        for table in change.tables {
            if let source = table.mapping?.source.name { progress.expect(rows: try copier.rowCount(source)) }
        }
        for table in change.tables {
            try progress.check()
            try connection.run(table.target.sqlForWork(named: table.workName))
            if let oldName = table.oldName, table.target.isAutoincrement, let mark = try copier.sequence(of: oldName) {
                marks[SQLName.folded(table.target.name)] = mark
                // New rows get ids that no old row ever had, so that no reference can mean another row than it did.
                try copier.setSequence(of: table.workName, to: mark)
            }
            if let mapping = table.mapping {
                let count = try copier.rowCount(mapping.source.name)
                let copied = try copier.naming(mapping, table.workName, because: "the plan's code maps it") {
                    try copier.copy(mapping, from: mapping.source.name, into: table.workName)
                }
                guard copied == count else {
                    throw StoreError(
                        .migrationFailed, "not every row of table \(mapping.source.name) arrived in its new form",
                        remedy: "report this as a fault of the migration engine", path: connection.path)
                }
            }
            for index in table.indexes { try connection.run(index.work) }
        }
        return marks
    }

    private func runBody(_ body: (StageContext, StageContext) throws -> Void) throws {
        let names = Dictionary(change.tables.map { ($0.target.name, $0.workName) }, uniquingKeysWith: { first, _ in first })
        let oldSide = StageContext(connection: connection, snapshot: old, isReadOnly: true, progress: progress)
        let newSide = StageContext(connection: connection, snapshot: new, tableNames: names, progress: progress)
        try StageGuard.guarding(connection) { try body(oldSide, newSide) }
        connection.resetStatements()
        connection.finalizeStatements()
    }

    /// The old tables go, the new ones get their names, indexes, views and triggers.
    private func swap(_ marks: [String: Int64]) throws {
        // An index cannot be renamed, so it is made again under its name.
        for table in change.tables {
            for index in table.indexes { try connection.run("DROP INDEX \(SQLName.quoted(index.workName))") }
        }
        for view in change.old.views { try connection.run("DROP VIEW \(SQLName.quoted(view.name))") }
        for name in change.goingTables { try executor.apply(.dropTable(name)) }
        for table in change.tables {
            try copier.rename(table.workName, to: table.target)
            if let mark = marks[SQLName.folded(table.target.name)] { try copier.setSequence(of: table.target.name, to: mark) }
        }
        for table in change.tables {
            for index in table.indexes { try connection.run(index.final) }
        }
        for view in change.new.views { try connection.run(view.sql) }
        let replaced = Set(change.tables.map { SQLName.folded($0.target.name) })
        for search in change.new.searches(over: change.new.withViews(over: replaced)) { try executor.apply(.rebuildSearch(search.name)) }
        for trigger in change.new.triggers { try connection.run(trigger.sql) }
        for trigger in change.old.ownTriggers where change.new.table(trigger.table) != nil { try connection.run(trigger.sql) }
    }
}
