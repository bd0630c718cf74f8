import StoreSQLite

extension DataCheck {
    /// Keys that the new version wants unique and of which the old one does not promise it.
    static func duplicates(_ mapping: TableMapping, oldIndexes: [IndexDefinition], newIndexes: [IndexDefinition]) -> [DataCheck] {
        let old = Set(UniqueKey.all(of: mapping.source, oldIndexes).map { $0.promise(in: mapping.source) { $0 } })
        return UniqueKey.all(of: mapping.target, newIndexes).compactMap { key in
            // The rowid of the new table comes from the rowid of the old one, which is unique.
            if let rowid = mapping.target.rowidColumn, key.isOnly(rowid), mapping.keepsRowids { return nil }
            let used = key.names
            if key.isPlain {
                // The same promise on unconverted columns under their old names needs no question.
                let mapped = key.columns.compactMap { mapping.column($0.name ?? "") }
                let isSame = mapped.count == key.columns.count && mapped.allSatisfy { $0.conversion == nil }
                if isSame, old.contains(key.promise(in: mapping.target, name: { mapping.column($0)?.source.name ?? $0 })) { return nil }
            }
            if mapping.isUnchanged(used), old.contains(key.promise(in: mapping.target) { $0 }) { return nil }
            let terms = key.columns.map { column in
                let collation = column.collation ?? column.name.flatMap { mapping.target.column($0)?.collation }
                let term = column.name.map(SQLName.quoted) ?? "(\(column.expression ?? "NULL"))"
                return collation.map { "\(term) COLLATE \(SQLName.quoted($0))" } ?? term
            }
            let values = key.columns.map { "substr(quote(\($0.name.map(SQLName.quoted) ?? "(\($0.expression ?? "NULL"))")), 1, 60)" }
            let what = key.columns.map { $0.name ?? $0.expression ?? "" }.joined(separator: ", ")
            return DataCheck(
                object: "table \(mapping.target.name), column\(key.columns.count == 1 ? "" : "s") \(what)",
                remedy: "Remove or merge the duplicates before the change, in the stage's will or by hand.",
                source: mapping.projection(of: used), terms: terms, values: values.joined(separator: " || ', ' || "),
                condition: key.condition)
        }
    }
}

/// Columns and expressions of which no two rows may have the same values, NULL being no value.
private struct UniqueKey {
    let columns: [IndexedColumn]
    /// Of a partial index: only the rows for which it holds count.
    var condition: String?

    static func all(of table: TableDefinition, _ indexes: [IndexDefinition]) -> [UniqueKey] {
        var keys: [UniqueKey] = []
        for column in table.columns where column.constraint(.unique) != nil || column.constraint(.primaryKey) != nil {
            keys.append(UniqueKey(columns: [IndexedColumn(name: column.name, collation: nil, expression: nil)]))
        }
        for constraint in table.constraints where constraint.kind == .unique || constraint.kind == .primaryKey {
            keys.append(UniqueKey(columns: constraint.columns))
        }
        for index in indexes where index.isUnique { keys.append(UniqueKey(columns: index.columns, condition: index.condition)) }
        return keys
    }

    var isPlain: Bool { condition == nil && columns.allSatisfy { $0.name != nil } }

    func isOnly(_ column: String) -> Bool {
        columns.count == 1 && condition == nil && SQLName.same(columns[0].name ?? "", column)
    }

    /// The folded names of everything that it may speak of.
    var names: Set<String> {
        SQLTokenizer.names(
            in: (columns.map { $0.name.map(SQLName.quoted) ?? $0.expression ?? "" } + [condition ?? ""]).joined(separator: " "))
    }

    /// What it promises, for comparing: the order of the columns does not count.
    struct Promise: Hashable {
        struct Term: Hashable {
            let expression: ExactText
            let collation: String
        }
        let terms: Set<Term>
        let condition: ExactText?
    }

    /// - Parameter name: what a plain column is called in the promise.
    func promise(in table: TableDefinition, name: (String) -> String) -> Promise {
        let normal = NormalForm(knownNames: Set(table.columns.map { SQLName.folded($0.name) }))
        let terms = columns.map { column in
            Promise.Term(
                expression: ExactText(
                    column.name.map { SQLName.folded(name($0)) } ?? normal.text(SQLTokenizer.tokens(of: column.expression ?? ""))),
                collation: column.collation ?? column.name.flatMap { table.column($0)?.collation } ?? "BINARY")
        }
        return Promise(terms: Set(terms), condition: condition.map { ExactText(normal.text(SQLTokenizer.tokens(of: $0))) })
    }
}
