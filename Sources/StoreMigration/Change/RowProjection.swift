/// The rows of a table as they will be in the new version, in SQL: what a constraint of the new version is tried on.
extension TableMapping {
    /// The columns of the new version that some expressions name, with those that generated ones among them are computed from.
    ///
    /// - Parameter names: folded; what is no column counts for nothing.
    func columns(in names: Set<String>) -> [ColumnDefinition] {
        var found: Set<String> = []
        var open = names
        while let name = open.popFirst() {
            guard let column = target.column(name), found.insert(name).inserted else { continue }
            open.formUnion(column.generatedFrom.subtracting(found))
        }
        return target.columns.filter { found.contains(SQLName.folded($0.name)) }
    }

    /// Whether expressions over these columns have the same value in every row as they had in the old version under the same names.
    func isUnchanged(_ names: Set<String>) -> Bool {
        if !keepsRowids, !names.isDisjoint(with: Self.rowidNames) { return false }
        return columns(in: names).allSatisfy { column in
            if column.generated != .none {
                guard let before = source.column(column.name) else { return false }
                return before.constraint(.generated)?.normalForm == column.constraint(.generated)?.normalForm
                    && before.type == column.type && SQLName.same(before.collation, column.collation)
            }
            guard let mapped = self.column(column.name) else { return false }
            return SQLName.same(mapped.source.name, column.name) && mapped.isUnchanged
        }
    }

    private static let rowidNames: Set<String> = ["rowid", "_rowid_", "oid"]

    /// A subquery under the name of the target with `storekeeper_label`, `storekeeper_row` (the row id, else what puts the rows in order) and the
    /// named columns with the values that the new version will give them, generated ones computed.
    ///
    /// - Parameters:
    ///   - names: the folded names of the columns that are asked for, at least.
    func projection(of names: Set<String>) -> String {
        var items = ["\(rowLabel) AS storekeeper_label", "\(sourceRowid ?? rowLabel) AS storekeeper_row"]
        let needed = columns(in: names)
        for column in needed where column.generated == .none {
            var value = self.column(column.name)?.comparedExpression ?? Self.stored(column.defaultValue ?? "NULL", in: column, of: target)
            if let before = self.column(column.name)?.source.collation, !SQLName.same(before, column.collation) {
                value = "(\(value)) COLLATE \(SQLName.quoted(column.collation))"
            }
            items.append("\(value) AS \(SQLName.quoted(column.name))")
        }
        if let sourceRowid {
            items += Self.rowidNames.intersection(names).filter { target.column($0) == nil }.map { "\(sourceRowid) AS \($0)" }
        }
        let alias = "AS \(SQLName.quoted(target.name))"
        var query = "(SELECT \(items.joined(separator: ", ")) FROM \(SQLName.quoted(source.name))) \(alias)"
        // One layer for each generated column, since one may be computed from another.
        var open = needed.filter { $0.generated != .none }
        while let index = open.indices.first(where: { index in
            open.allSatisfy { !open[index].generatedFrom.contains(SQLName.folded($0.name)) }
        }) {
            let column = open.remove(at: index)
            let value = Self.stored(column.constraint(.generated)?.payload ?? "NULL", in: column, of: target)
            query = "(SELECT *, \(value) AS \(SQLName.quoted(column.name)) FROM \(query)) \(alias)"
        }
        return query
    }

    /// What a column stores of a value: its affinity applied, and its collation for comparisons.
    private static func stored(_ value: String, in column: ColumnDefinition, of table: TableDefinition) -> String {
        let affinity = Affinity(declaredType: column.type, isStrict: table.isStrict)
        return "(\(affinity.applied(to: "(\(value))"))) COLLATE \(SQLName.quoted(column.collation))"
    }
}

extension TableMapping.Column {
    /// Whether the value is copied as it is and compares as it did.
    var isUnchanged: Bool {
        conversion == nil && SQLName.same(source.collation, target.collation)
            && Affinity(declaredType: source.type, isStrict: false) == Affinity(declaredType: target.type, isStrict: false)
    }
}

extension ColumnDefinition {
    /// The folded names in the expression of a generated column; empty for others.
    var generatedFrom: Set<String> {
        guard let expression = constraint(.generated)?.payload else { return [] }
        return SQLTokenizer.names(in: expression)
    }
}

extension SQLTokenizer {
    /// Everything in an expression that may be the name of a column, folded.
    static func names(in expression: String) -> Set<String> {
        Set(tokens(of: expression).compactMap { $0.name.map(SQLName.folded) })
    }
}

extension Affinity {
    /// SQL for `value`, an expression without side effects, as a column of this affinity stores it (sqlite.org/datatype3.html, section 3).
    func applied(to value: String) -> String {
        switch self {
        case .text: "CASE WHEN typeof(\(value)) IN ('integer', 'real') THEN CAST(\(value) AS TEXT) ELSE \(value) END"
        case .blob, .any: value
        case .integer, .numeric, .real:
            // `CAST(x AS NUMERIC) = x` is SQLite's own test of whether a text looks like a number.
            """
            CASE WHEN typeof(\(value)) = 'text' AND CAST(\(value) AS NUMERIC) = \(value) \
            THEN CAST(\(value) AS NUMERIC) ELSE \(value) END
            """
        }
    }
}
