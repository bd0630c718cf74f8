extension DataCheck {
    /// Everything that the rows of a table must be asked before it can take the shape of the new version.
    ///
    /// - Parameters:
    ///   - mapping: with the names that the store has before the change.
    ///   - isRebuilt: whether every row is stored again, which tries all constraints on it.
    static func all(for mapping: TableMapping, isRebuilt: Bool, oldIndexes: [IndexDefinition], newIndexes: [IndexDefinition]) -> [DataCheck]
    {
        lossyChanges(mapping) + missingValues(mapping) + nulls(mapping)
            + failingExpressions(mapping, oldIndexes: oldIndexes, newIndexes: newIndexes) + wrongTypes(mapping)
            + brokenChecks(mapping, isRebuilt: isRebuilt) + duplicates(mapping, oldIndexes: oldIndexes, newIndexes: newIndexes)
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

    /// Rows that break what their table has promised all along, which others than SQLite have let in: no value where there must be one, or
    /// in a STRICT table one of another type. One question for all columns: it goes through the whole table.
    ///
    /// `typeof` looks at the row itself. Asked for NULL, SQLite believes the declaration and finds none.
    static func impossibleValues(_ mapping: TableMapping) -> [DataCheck] {
        let columns = mapping.columns.compactMap { column -> (name: String, condition: String)? in
            let value = SQLName.quoted(column.source.name)
            var conditions: [String] = []
            if isRequired(column.source, of: mapping.source), isRequired(column.target, of: mapping.target) {
                conditions.append("typeof(\(value)) = 'null'")
            }
            if column.conversion == nil, mapping.source.isStrict, mapping.target.isStrict,
                let isLossless = ValueConversion.fits(value, strict: column.target)
            {
                conditions.append("NOT (\(isLossless))")
            }
            return conditions.isEmpty ? nil : (column.source.name, conditions.joined(separator: " OR "))
        }
        guard !columns.isEmpty else { return [] }
        let named = columns.map { name, condition in
            "CASE WHEN \(condition) THEN \(SQLName.literal(" \(name) is ")) || substr(quote(\(SQLName.quoted(name))), 1, 60) ELSE '' END"
        }
        return [
            DataCheck(
                object: "table \(mapping.target.name)",
                reason: "there are rows that break what the table has declared all along: they have no value, or one of another type",
                remedy: "Correct these rows before the change, in the stage's will or by hand.",
                label: "\(mapping.rowLabel) || ':' || \(named.joined(separator: " || "))", source: SQLName.quoted(mapping.source.name),
                condition: columns.map { "(\($0.condition))" }.joined(separator: " OR "))
        ]
    }

    private static func nulls(_ mapping: TableMapping) -> [DataCheck] {
        mapping.target.columns.compactMap { column in
            let (name, folded) = (SQLName.quoted(column.name), SQLName.folded(column.name))
            let isRequired = isRequired(column, of: mapping.target)
            if column.generated != .none {
                let wasRequired = mapping.source.column(column.name).map { Self.isRequired($0, of: mapping.source) } ?? false
                guard isRequired, !wasRequired || !mapping.isUnchanged([folded]) else { return nil }
            } else {
                guard let mapped = mapping.column(column.name) else { return nil }
                let isNewlyRequired = isRequired && !Self.isRequired(mapped.source, of: mapping.source)
                // A rowid that is NULL gets a number that nobody chose.
                let becomesRowid =
                    SQLName.same(column.name, mapping.target.rowidColumn ?? "")
                    && !SQLName.same(mapped.source.name, mapping.source.rowidColumn ?? "")
                guard isNewlyRequired || becomesRowid else { return nil }
            }
            return DataCheck(
                object: "table \(mapping.target.name), column \(column.name)",
                reason: "the new version wants a value in every row, but there are rows without one",
                remedy: "Fill the rows before the change, in the stage's will or by hand.", label: "storekeeper_label",
                source: mapping.projection(of: [folded]), condition: "\(name) IS NULL")
        }
    }

    /// Generated columns of a STRICT table whose values are not of their type.
    private static func wrongTypes(_ mapping: TableMapping) -> [DataCheck] {
        guard mapping.target.isStrict else { return [] }
        return mapping.target.columns.compactMap { column in
            let (name, folded) = (SQLName.quoted(column.name), SQLName.folded(column.name))
            let affinity = Affinity(declaredType: column.type, isStrict: true)
            guard column.generated != .none, affinity != .any, !mapping.source.isStrict || !mapping.isUnchanged([folded]) else {
                return nil
            }
            let types: String =
                switch affinity {
                case .text: "'text'"
                case .blob: "'blob'"
                default: "'integer', 'real'"
                }
            let isBroken = affinity == .integer ? " OR typeof(\(name)) = 'real' AND \(name) <> round(\(name))" : ""
            return DataCheck(
                object: "table \(mapping.target.name), column \(column.name)",
                reason: "it is computed, and there are rows in which the result is no \(column.type)",
                remedy: "Change its expression or type, or correct the rows before the change.",
                label: "storekeeper_label || ': ' || substr(quote(\(name)), 1, 60)", source: mapping.projection(of: [folded]),
                condition: "typeof(\(name)) NOT IN ('null', \(types))\(isBroken)")
        }
    }

    /// The CHECKs that are new, that speak of other values than before, or that are tried again since every row is stored again.
    private static func brokenChecks(_ mapping: TableMapping, isRebuilt: Bool) -> [DataCheck] {
        let old = Set(
            (mapping.source.constraints + mapping.source.columns.flatMap(\.constraints)).filter { $0.kind == .check }.map(\.normalForm))
        let new = (mapping.target.constraints + mapping.target.columns.flatMap(\.constraints)).filter { $0.kind == .check }
        return new.compactMap { check in
            let names = SQLTokenizer.names(in: check.payload)
            guard isRebuilt || !old.contains(check.normalForm) || !mapping.isUnchanged(names) else { return nil }
            return DataCheck(
                object: "table \(mapping.target.name), CHECK (\(check.payload))", reason: "rows that exist break it",
                remedy: "Correct the rows before the change, in the stage's will or by hand.", label: "storekeeper_label",
                source: mapping.projection(of: names), condition: "NOT (\(check.payload))")
        }
    }

    /// Expressions that must be computed for every row and cannot be for some: malformed JSON, an overflow.
    private static func failingExpressions(
        _ mapping: TableMapping, oldIndexes: [IndexDefinition], newIndexes: [IndexDefinition]
    ) -> [DataCheck] {
        var found: [(object: String, expressions: [String])] = []
        for column in mapping.target.columns where column.generated == .stored {
            found.append(("table \(mapping.target.name), column \(column.name)", [SQLName.quoted(column.name)]))
        }
        for index in newIndexes {
            let expressions = index.columns.compactMap(\.expression) + [index.condition].compactMap { $0 }
            if expressions.isEmpty, !index.columns.contains(where: { mapping.target.column($0.name ?? "")?.generated == .virtual }) {
                continue
            }
            let isOld = oldIndexes.contains { $0.normalForm == index.normalForm }
            let columns = index.columns.compactMap { $0.name.map(SQLName.quoted) }
            if isOld, mapping.isUnchanged(SQLTokenizer.names(in: (expressions + columns).joined(separator: " "))) { continue }
            found.append(("index \(index.name)", expressions + columns))
        }
        return found.compactMap { object, expressions in
            let names = SQLTokenizer.names(in: expressions.joined(separator: " "))
            if object.hasPrefix("table "), mapping.isUnchanged(names) { return nil }
            return DataCheck(
                object: object, reason: "its expression cannot be computed for every row",
                remedy: "Correct the rows before the change, in the stage's will or by hand.", label: "storekeeper_label",
                source: mapping.projection(of: names),
                condition: expressions.map { "typeof((\($0))) = ''" }.joined(separator: " OR "))
        }
    }
}
