import StoreShared
import StoreSQLite

/// Carries out the steps of a change on a connection, inside the transaction of the caller.
struct ChangeExecutor {
    let connection: Connection
    let progress: MigrationProgress

    func apply(_ step: SchemaChange.Step) throws {
        try progress.check()
        if case .rebuild(let rebuild) = step {
            try TableCopier(connection: connection, progress: progress).rebuild(rebuild)
        } else {
            try connection.run(step.description)
        }
    }

    /// All steps, with foreign keys off only around them, and everything that must hold afterwards.
    ///
    /// - Throws: `MigrationRefusal` when rows would lose their parents or a view or trigger would break; `StoreError.migrationFailed`
    ///   when the schema reached is not the one declared; `SQLiteError`. The caller undoes the transaction.
    func run(_ change: SchemaChange, from old: RelationalSchema, to new: RelationalSchema, frontEnd: FrontEnd) throws {
        let brokenBefore = CompileCheck.broken(in: connection, old)
        if change.disturbsKeys {
            try guardingKeys(of: change.touched, names: change.tableNames, from: old, to: new) {
                for step in change.steps { try apply(step) }
            }
        } else {
            for step in change.steps { try apply(step) }
        }
        try verify(new, frontEnd: frontEnd, brokenBefore: brokenBefore)
    }

    /// The schema reached is compared with the schema declared, and all that it holds is compiled.
    func verify(_ new: RelationalSchema, frontEnd: FrontEnd, brokenBefore: [String: String]) throws {
        let reached = try RelationalSchema.read(connection)
        let difference = SchemaDifference(actual: reached, expected: new, frontEnd: frontEnd)
        guard difference.lines.isEmpty else {
            throw StoreError(
                .migrationFailed, "the schema reached is not the one declared: \(difference.lines.joined(separator: "; "))",
                remedy: "see that the stage's code changes rows only", path: connection.path)
        }
        let broken = CompileCheck.broken(in: connection, reached).filter { brokenBefore[$0.key] == nil }
        if !broken.isEmpty {
            throw MigrationRefusal(
                broken.sorted { $0.key < $1.key }.map {
                    Refusal(object: $0.key, reason: "it does not compile on the new schema: \($0.value)")
                })
        }
    }

    /// Runs `body` with the enforcement of foreign keys off, then lets only those violations fail that were not there before.
    ///
    /// Off, since dropping a table deletes its rows first, which would fire the actions of its children. The check runs while they are
    /// still off; on again before the plan's own code runs, which must be able to rely on cascades.
    ///
    /// - Parameters:
    ///   - touched: folded names of the tables whose rows are copied or go, before and after.
    ///   - names: the names of the tables that both versions have.
    func guardingKeys(
        of touched: (old: Set<String>, new: Set<String>), names: [(old: String, new: String)], from old: RelationalSchema,
        to new: RelationalSchema, _ body: () throws -> Void
    ) throws {
        let newNames = Dictionary(
            names.map { (SQLName.folded($0.old), SQLName.folded($0.new)) }, uniquingKeysWith: { first, _ in first })
        let wasOn = try connection.foreignKeys()
        let affected = { (schema: RelationalSchema, touched: Set<String>) in
            ForeignKeys.children(in: schema).filter {
                touched.contains(SQLName.folded($0.name)) || !touched.isDisjoint(with: ForeignKeys.parents(of: $0))
            }.map(\.name)
        }
        let before = try ForeignKeys.violations(in: connection, of: affected(old, touched.old)) {
            newNames[SQLName.folded($0)] ?? SQLName.folded($0)
        }
        try connection.setForeignKeys(false)
        // The state of the connection outlives a rollback, so every way out restores it.
        defer { if wasOn { try? connection.setForeignKeys(true) } }
        try body()
        let after = try ForeignKeys.violations(in: connection, of: affected(new, touched.new)) { SQLName.folded($0) }
        let refusals = try ForeignKeys.newViolations(before: before, after: after, in: connection, new)
        if !refusals.isEmpty { throw MigrationRefusal(refusals) }
        if wasOn { try connection.setForeignKeys(true) }
    }
}

extension SchemaChange {
    /// Whether a step could fire the actions of foreign keys or leave rows without their parents.
    var disturbsKeys: Bool {
        steps.contains { step in
            switch step {
            case .renameTable, .dropTable, .renameColumn, .dropColumn, .rebuild: true
            default: false
            }
        }
    }

    /// Folded names of the tables whose foreign keys may no longer hold, as the old and as the new version call them: from them and to them.
    ///
    /// A rebuild that copies every value of every key as it is cannot break one, and is not looked at: the look reads every row twice.
    var touched: (old: Set<String>, new: Set<String>) {
        let rebuilt = Set(rebuilds.filter { !$0.keepsKeys }.map { SQLName.folded($0.table) })
        let dropped = Set(droppedTables.map(SQLName.folded))
        let before = tableNames.filter { rebuilt.contains(SQLName.folded($0.new)) }.map { SQLName.folded($0.old) }
        return (dropped.union(before), dropped.union(rebuilt))
    }
}

extension TableRebuild {
    /// Whether every value is copied as it is, compares as it did, and every foreign key was there before.
    fileprivate var keepsKeys: Bool {
        let keys = { (table: TableDefinition) in
            Set(
                table.constraints.filter { $0.kind == .references }.map(\.normalForm)
                    + table.columns.flatMap { column in
                        column.constraints.filter { $0.kind == .references }.map {
                            ExactText("\(SQLName.folded(column.name)) \($0.normalForm)")
                        }
                    })
        }
        let isSame = { (column: TableMapping.Column) in
            column.conversion == nil && SQLName.same(column.source.collation, column.target.collation)
        }
        return mapping.columns.allSatisfy(isSame) && keys(mapping.target).isSubset(of: keys(mapping.source))
    }
}
