import StoreSQLite

/// What a mapped stage does with each table: shared by both sides, or there twice until the end.
struct MappedChange: Sendable {
    /// One table of the new version that exists beside the old one for a while.
    struct Table: Sendable {
        let target: TableDefinition
        /// Where the engine copies from; nil for a new table and for one that the stage rewrites.
        let mapping: TableMapping?
        /// The old table whose place it takes; nil for a new one.
        let oldName: String?
        let workName: String
        /// The statements of its indexes, while it has its work name and for good.
        let indexes: [(workName: String, work: String, final: String)]
    }

    let old: RelationalSchema
    let new: RelationalSchema
    let frontEnd: FrontEnd
    private(set) var tables: [Table] = []
    /// Old tables that go at the end: replaced or dropped.
    private(set) var goingTables: [String] = []
    private(set) var checks: [DataCheck] = []
    /// Whether rows break what their tables have declared all along.
    private(set) var deepChecks: [DataCheck] = []
    /// What the rows would break if the stage's body did not correct them: foreign keys hold only at the end.
    private(set) var openChecks: [DataCheck] = []
    private(set) var refusals: [Refusal] = []
    private(set) var tableNames: [(old: String, new: String)] = []

    init(
        from old: RelationalSchema, to new: RelationalSchema, frontEnd: FrontEnd, renames: [Rename], losses: LossPolicy,
        rewriting: Set<String>
    ) throws {
        self.old = old
        self.new = new
        self.frontEnd = frontEnd
        let names = try ResolvedRenames(renames, from: old, to: new, lenient: frontEnd == .models)
        var workNames = WorkNames(avoiding: old, new)
        let rewritten = Set(rewriting.map(SQLName.folded))
        for name in rewriting where new.table(name) == nil {
            refusals.append(Refusal(object: "table \(name)", reason: "the stage is to rewrite it, but the new version has no such table"))
        }
        var staying: Set<String> = []
        // Of the tables whose rows the engine brings over, by folded new name.
        var mappings: [String: TableMapping] = [:]
        for target in new.tables {
            let oldName = names.oldName[SQLName.folded(target.name)]
            let source = oldName.flatMap { old.table($0) }
            if let source { tableNames.append((source.name, target.name)) }
            let isRewritten = rewritten.contains(SQLName.folded(target.name))
            if let source, !isRewritten, Self.isShared(source, target, old, new, frontEnd) {
                staying.insert(SQLName.folded(source.name))
                mappings[SQLName.folded(target.name)] = TableMapping(
                    from: source, to: target, frontEnd: frontEnd, losses: losses
                ) { names.oldColumn($0, of: target.name) }
                continue
            }
            let name = workNames.next("storekeeper_new_\(target.name)")
            let indexes = new.indexes(of: target.name).map { index in
                let workIndex = workNames.next("storekeeper_new_\(index.name)")
                let kept = old.indexes.first { $0.normalForm == index.normalForm }
                return (workIndex, index.sql(named: workIndex, on: name), kept?.sql ?? index.sql)
            }
            var mapping: TableMapping?
            if let source, !isRewritten {
                let made = TableMapping(from: source, to: target, frontEnd: frontEnd, losses: losses) {
                    names.oldColumn($0, of: target.name)
                }
                mapping = made.withFallbacks()
                mappings[SQLName.folded(target.name)] = mapping
                checks += DataCheck.all(
                    for: made.withFallbacks(), isRebuilt: true, oldIndexes: old.indexes(of: source.name),
                    newIndexes: new.indexes(of: target.name)
                ).map { $0.withRemedy("Correct the rows, or name the table among those that the stage rewrites.") }
            }
            if let mapping { deepChecks += DataCheck.impossibleValues(mapping) }
            tables.append(Table(target: target, mapping: mapping, oldName: source?.name, workName: name, indexes: indexes))
        }
        openChecks = try Self.orphans(mappings, from: old, to: new, names)
        goingTables = old.tables.map(\.name).filter { !staying.contains(SQLName.folded($0)) }
        for table in new.virtualTables + old.virtualTables {
            let isKept = [old, new].allSatisfy { $0.virtualTables.contains { $0.normalForm == table.normalForm } }
            if !isKept {
                refusals.append(
                    Refusal(
                        object: "virtual table \(table.name)", reason: "a mapped stage cannot change it",
                        remedy: "Change it in a stage of its own."))
            }
        }
    }

    /// The foreign keys between tables whose rows the engine brings over.
    private static func orphans(
        _ mappings: [String: TableMapping], from old: RelationalSchema, to new: RelationalSchema, _ names: ResolvedRenames
    ) throws -> [DataCheck] {
        let children = new.tables.compactMap { mappings[SQLName.folded($0.name)] }.filter { !$0.target.foreignKeys.isEmpty }
        guard !children.isEmpty else { return [] }
        let trial = try Trial.make(old, views: false)
        defer { trial.close() }
        let mismatches = ForeignKeys.mismatches(in: trial, old)
        return children.flatMap { mapping in
            DataCheck.orphans(
                mapping, parent: { mappings[SQLName.folded($0)] }, renamed: { names.newName[SQLName.folded($0)] }, old: old, new: new,
                isKnown: { mappings[SQLName.folded($0)] != nil }, isMismatched: mismatches["table \(mapping.source.name)"] != nil
            ).map { $0.withRemedy("Correct or remove these rows in the stage.") }
        }
    }

    /// Equal in name, shape and indexes: both sides see the same rows.
    private static func isShared(
        _ source: TableDefinition, _ target: TableDefinition, _ old: RelationalSchema, _ new: RelationalSchema, _ frontEnd: FrontEnd
    ) -> Bool {
        source.normalForm(frontEnd) == target.normalForm(frontEnd)
            && Set(old.indexes(of: source.name).map(\.normalForm)) == Set(new.indexes(of: target.name).map(\.normalForm))
    }
}

extension TableMapping {
    /// With a place-holder for values that do not convert, where the column can hold one: the stage's body sets what belongs there.
    fileprivate func withFallbacks() -> TableMapping {
        var result = self
        for index in result.columns.indices where result.columns[index].conversion != nil && !result.columns[index].lossAllowed {
            let target = result.columns[index].target
            if let value = target.defaultValue {
                result.columns[index].fallback = value
            } else if !target.isNotNull && !target.isPrimaryKey {
                result.columns[index].fallback = "NULL"
            }
        }
        return result
    }
}
