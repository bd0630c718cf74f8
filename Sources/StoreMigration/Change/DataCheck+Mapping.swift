extension DataCheck {
    /// Everything that the rows of a table must be asked before it can take the shape of the new version.
    ///
    /// - Parameters:
    ///   - mapping: with the names that the store has before the change.
    ///   - oldUnique: the uniqueness that the old table guarantees, by key terms of the new version.
    static func all(for mapping: TableMapping, oldIndexes: [IndexDefinition], newIndexes: [IndexDefinition], oldName: (String) -> String?)
        -> [DataCheck]
    {
        lossyChanges(mapping) + missingValues(mapping) + nulls(mapping) + brokenChecks(mapping)
            + duplicates(mapping, oldIndexes: oldIndexes, newIndexes: newIndexes, oldName: oldName)
    }

    private static func lossyChanges(_ mapping: TableMapping) -> [DataCheck] {
        mapping.columns.compactMap { column in
            guard let conversion = column.conversion, !column.lossAllowed, column.fallback == nil else { return nil }
            let value = SQLName.quoted(column.source.name)
            return DataCheck(
                object: "table \(mapping.target.name), column \(column.target.name)",
                reason: "its type changes from \(typeName(column.source)) to \(typeName(column.target)), which would damage values",
                remedy: "Correct the rows, convert them in the stage, or allow the loss for the column.",
                label: "\(mapping.rowLabel) || ': ' || substr(quote(\(value)), 1, 60)", source: SQLName.quoted(mapping.source.name),
                condition: "NOT (\(conversion.isLossless(value)))")
        }
    }

    private static func typeName(_ column: ColumnDefinition) -> String { column.type.isEmpty ? "no type" : column.type }

    /// A new column that must hold a value, but has no default to hold.
    private static func missingValues(_ mapping: TableMapping) -> [DataCheck] {
        mapping.newColumns.filter { $0.defaultValue == nil && isRequired($0, of: mapping.target) }.map { column in
            DataCheck(
                object: "table \(mapping.target.name), column \(column.name)",
                reason: "it is new and must have a value, but has no default for the rows that exist",
                remedy: "Give it a default, make it optional, or fill it in a custom stage.", label: mapping.rowLabel,
                source: SQLName.quoted(mapping.source.name), condition: "1")
        }
    }

    private static func isRequired(_ column: ColumnDefinition, of table: TableDefinition) -> Bool {
        if SQLName.same(column.name, table.rowidColumn ?? "") { return false }
        return column.isNotNull
            || (table.isWithoutRowid || table.isStrict) && table.primaryKey.contains { SQLName.same($0.name ?? "", column.name) }
    }

    private static func nulls(_ mapping: TableMapping) -> [DataCheck] {
        mapping.columns.compactMap { column in
            let isNewlyRequired = isRequired(column.target, of: mapping.target) && !isRequired(column.source, of: mapping.source)
            // A rowid that is NULL gets a number that nobody chose.
            let becomesRowid =
                SQLName.same(column.target.name, mapping.target.rowidColumn ?? "")
                && !SQLName.same(column.source.name, mapping.source.rowidColumn ?? "")
            guard isNewlyRequired || becomesRowid else { return nil }
            return DataCheck(
                object: "table \(mapping.target.name), column \(column.target.name)",
                reason: "the new version wants a value in every row, but there are rows without one",
                remedy: "Fill the rows before the change, in the stage's will or by hand.", label: mapping.rowLabel,
                source: SQLName.quoted(mapping.source.name), condition: "\(SQLName.quoted(column.source.name)) IS NULL")
        }
    }

    /// CHECKs that the old table did not have. Those over generated columns are left to the copy itself.
    private static func brokenChecks(_ mapping: TableMapping) -> [DataCheck] {
        let old = Set(
            (mapping.source.constraints + mapping.source.columns.flatMap(\.constraints)).filter { $0.kind == .check }.map(\.normalForm))
        let new = (mapping.target.constraints + mapping.target.columns.flatMap(\.constraints)).filter { $0.kind == .check }
        let generated = Set(mapping.target.columns.filter { $0.generated != .none }.map { SQLName.folded($0.name) })
        return new.filter { !old.contains($0.normalForm) || mapping.columns.contains { $0.conversion != nil } }.compactMap { check in
            let names = SQLTokenizer.tokens(of: check.payload).compactMap { $0.name.map(SQLName.folded) }
            guard generated.isDisjoint(with: names) else { return nil }
            return DataCheck(
                object: "table \(mapping.target.name), CHECK (\(check.payload))", reason: "rows that exist break it",
                remedy: "Correct the rows before the change, in the stage's will or by hand.", label: "storekeeper_label",
                source: mapping.projection(mapping.source.name), condition: "NOT (\(check.payload))")
        }
    }

    // MARK: Uniqueness

    /// One promise that no two rows have the same key.
    private struct Uniqueness: Hashable {
        struct Term: Hashable {
            let expression: String
            let collation: String
        }
        let terms: Set<Term>
        let condition: String?
    }

    private static func duplicates(
        _ mapping: TableMapping, oldIndexes: [IndexDefinition], newIndexes: [IndexDefinition], oldName: (String) -> String?
    ) -> [DataCheck] {
        let old = Set(uniqueKeys(mapping.source, oldIndexes).map { uniqueness($0.columns, $0.condition, mapping.source) })
        let generated = Set(mapping.target.columns.filter { $0.generated != .none }.map { SQLName.folded($0.name) })
        return uniqueKeys(mapping.target, newIndexes).compactMap { key in
            let names = key.columns.compactMap(\.name)
            let isPlain = names.count == key.columns.count && key.condition == nil
            // The same promise on unconverted columns under their old names needs no question.
            if isPlain, !names.contains(where: { mapping.column($0)?.conversion != nil }) {
                let olderNames = names.compactMap(oldName)
                let terms = zip(olderNames, key.columns).map { name, column in
                    Uniqueness.Term(
                        expression: SQLName.folded(name),
                        collation: column.collation ?? mapping.target.column(column.name ?? "")?.collation ?? "BINARY")
                }
                if olderNames.count == names.count, old.contains(Uniqueness(terms: Set(terms), condition: nil)) { return nil }
            } else if !isPlain, old.contains(uniqueness(key.columns, key.condition, mapping.target)) {
                return nil
            }
            let text = key.columns.map { $0.expression ?? "" }.joined(separator: " ") + " " + (key.condition ?? "")
            let used = Set(names.map(SQLName.folded) + SQLTokenizer.tokens(of: text).compactMap { $0.name.map(SQLName.folded) })
            guard generated.isDisjoint(with: used) else { return nil }
            // A new column is the same in every row, unless it is empty; its own default decides, which the projection shows.
            let terms = key.columns.map { column in
                let collation = column.collation ?? column.name.flatMap { mapping.target.column($0)?.collation } ?? "BINARY"
                return (column.name.map(SQLName.quoted) ?? "(\(column.expression ?? "NULL"))") + " COLLATE \(SQLName.quoted(collation))"
            }
            let values = key.columns.map { "quote(\($0.name.map(SQLName.quoted) ?? $0.expression ?? "NULL"))" }
            let what = key.columns.map { $0.name ?? $0.expression ?? "" }.joined(separator: ", ")
            return DataCheck(
                object: "table \(mapping.target.name), column\(key.columns.count == 1 ? "" : "s") \(what)",
                remedy: "Remove or merge the duplicates before the change, in the stage's will or by hand.",
                source: mapping.projection(mapping.source.name), terms: terms, values: values.joined(separator: " || ', ' || "),
                condition: key.condition)
        }
    }

    private static func uniqueKeys(_ table: TableDefinition, _ indexes: [IndexDefinition]) -> [(
        columns: [IndexedColumn], condition: String?
    )] {
        var keys: [(columns: [IndexedColumn], condition: String?)] = []
        for column in table.columns {
            let plain = IndexedColumn(name: column.name, collation: nil, expression: nil)
            if column.constraint(.unique) != nil || column.constraint(.primaryKey) != nil && table.primaryKey.count == 1 {
                keys.append(([plain], nil))
            }
        }
        for constraint in table.constraints where constraint.kind == .unique || constraint.kind == .primaryKey {
            keys.append((constraint.columns, nil))
        }
        for index in indexes where index.isUnique { keys.append((index.columns, index.condition)) }
        // The rowid of the new table comes from the rowid of the old one, which is unique.
        return keys.filter { key in
            !(key.columns.count == 1 && key.condition == nil && SQLName.same(key.columns[0].name ?? "", table.rowidColumn ?? "")
                && table.rowidColumn != nil)
        }
    }

    private static func uniqueness(_ columns: [IndexedColumn], _ condition: String?, _ table: TableDefinition) -> Uniqueness {
        let normal = NormalForm(knownNames: Set(table.columns.map { SQLName.folded($0.name) }))
        return Uniqueness(
            terms: Set(
                columns.map { column in
                    Uniqueness.Term(
                        expression: column.name.map(SQLName.folded) ?? normal.text(SQLTokenizer.tokens(of: column.expression ?? "")),
                        collation: column.collation ?? column.name.flatMap { table.column($0)?.collation } ?? "BINARY")
                }), condition: condition.map { normal.text(SQLTokenizer.tokens(of: $0)) })
    }
}
