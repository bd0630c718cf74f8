/// FTS tables whose text lies elsewhere: what they find depends on rows that they do not hold.
extension RelationalSchema {
    /// The names, folded, with those of the views that show something of them, directly or through other views.
    func withViews(over names: Set<String>) -> Set<String> {
        var found = names
        var open = views.map { (name: SQLName.folded($0.name), uses: SQLTokenizer.names(in: $0.sql)) }
        while let index = open.firstIndex(where: { !$0.uses.isDisjoint(with: found) }) { found.insert(open.remove(at: index).name) }
        return found
    }

    /// FTS tables with external content whose text comes from these tables and views, by folded name.
    func searches(over names: Set<String>) -> [VirtualTableDefinition] {
        virtualTables.filter { table in
            guard let content = table.externalContent, !content.isEmpty else { return false }
            return names.contains(SQLName.folded(content))
        }
    }

    /// Virtual tables that hold what triggers of these tables and views write, under their row ids as a rule: FTS tables without external
    /// content, R-trees.
    func virtualTables(filledBy names: Set<String>) -> [(table: VirtualTableDefinition, trigger: TriggerDefinition)] {
        virtualTables.compactMap { table in
            guard table.externalContent?.isEmpty != false else { return nil }
            let name = SQLName.folded(table.name)
            return triggers.first { trigger in
                names.contains(SQLName.folded(trigger.table)) && SQLTokenizer.names(in: trigger.sql).contains(name)
            }.map { (table, $0) }
        }
    }
}

extension SchemaChange {
    /// Folded names, old and new, of the tables whose rows are written again or that go or are called otherwise.
    var rewritten: Set<String> {
        let new = Set(
            steps.compactMap { step -> String? in
                switch step {
                case .rebuild(let rebuild): rebuild.table
                case .renameTable(_, let table), .renameColumn(let table, _, _), .dropColumn(let table, _), .dropTable(let table): table
                default: nil
                }
            })
        return Set((new.union(new.map(oldName))).map(SQLName.folded))
    }

    /// Folded names of the FTS tables that are filled from their content again.
    var refilledSearches: Set<String> {
        Set(steps.compactMap { if case .rebuildSearch(let name) = $0 { SQLName.folded(name) } else { nil } })
    }
}

extension TableMapping {
    /// Whether a row may show something else afterwards, or under another row id, to those who look by row id.
    var changesRows: Bool {
        !keepsRowids || columns.contains { $0.conversion != nil }
            || target.columns.contains { $0.generated != .none && !isUnchanged([SQLName.folded($0.name)]) }
    }
}
