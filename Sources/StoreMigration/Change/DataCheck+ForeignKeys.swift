extension DataCheck {
    /// The foreign keys of a table that the new version does not simply keep: rows that would refer to none.
    ///
    /// - Parameters:
    ///   - mapping: of the child.
    ///   - parent: the mapping of a table of the new version; nil for one that is missing or new, which has no rows.
    ///   - renamed: what the new version calls a table of the old one.
    ///   - old, new: the schemas.
    ///   - isKnown: whether the rows of a table of the new version are those of the mapping; a key to another is not asked.
    ///   - isMismatched: whether SQLite cannot tell the violations that the table has now, since a parent's key is not unique.
    static func orphans(
        _ mapping: TableMapping, parent: (String) -> TableMapping?, renamed: (String) -> String?, old: RelationalSchema,
        new: RelationalSchema, isKnown: (String) -> Bool = { _ in true }, isMismatched: Bool
    ) -> [DataCheck] {
        let before = mapping.source.foreignKeys
        return mapping.target.foreignKeys.compactMap { key in
            guard isKnown(key.parent) else { return nil }
            let parentTable = new.table(key.parent)
            let parentColumns = key.parentColumns.isEmpty ? parentTable?.primaryKey.compactMap(\.name) ?? [] : key.parentColumns
            let parentMapping = parent(key.parent)
            if before.contains(where: { keeps(key, parentColumns, of: mapping, to: parentMapping, as: $0, renamed: renamed, old: old) }) {
                return nil
            }
            let names = Set(key.columns.map(SQLName.folded))
            var conditions = key.columns.map { "\(SQLName.quoted($0)) IS NOT NULL" }
            if let parentMapping {
                // A parent's key that is not unique, or not there, is refused whatever the rows are.
                guard parentColumns.count == key.columns.count else { return nil }
                let values = zip(key.columns, parentColumns).map { column, parentColumn in
                    let collation = parentMapping.target.column(parentColumn)?.collation ?? "BINARY"
                    return "+\(SQLName.quoted(column)) COLLATE \(SQLName.quoted(collation))"
                }
                let columns = parentColumns.map(SQLName.quoted)
                conditions.append(
                    "(\(values.joined(separator: ", "))) NOT IN (SELECT \(columns.joined(separator: ", ")) "
                        + "FROM \(parentMapping.projection(of: Set(parentColumns.map(SQLName.folded)))) "
                        + "WHERE \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")))")
            }
            // Only new violations are the change's fault: a row whose same columns lack their parent now does not count.
            let hadOne = before.contains { older in
                let columns = key.columns.map { mapping.column($0)?.source.name ?? $0 }
                return SQLName.same(renamed(older.parent) ?? older.parent, key.parent)
                    && columns.map(SQLName.folded) == older.columns.map(SQLName.folded)
            }
            if hadOne, !isMismatched {
                let now = "SELECT \"rowid\" FROM pragma_foreign_key_check(\(SQLName.literal(mapping.source.name)))"
                let oldParents = Set(before.map(\.parent).filter { SQLName.same(renamed($0) ?? $0, key.parent) })
                let isSame = "parent COLLATE NOCASE IN (\(oldParents.map(SQLName.literal).sorted().joined(separator: ", ")))"
                conditions.append(
                    mapping.sourceRowid == nil
                        ? "NOT EXISTS (\(now) WHERE \(isSame))"
                        : "storekeeper_row NOT IN (\(now) WHERE \(isSame) AND \"rowid\" IS NOT NULL)")
            }
            let values = key.columns.map { "substr(quote(\(SQLName.quoted($0))), 1, 60)" }.joined(separator: " || ', ' || ")
            return DataCheck(
                object: "foreign key of table \(mapping.target.name) to \(key.parent), column\(key.columns.count == 1 ? "" : "s") "
                    + key.columns.joined(separator: ", "), reason: "rows would refer to rows that do not exist",
                remedy: "Correct or remove these rows before the change, in the stage's will or by hand.",
                label: "storekeeper_label || ': ' || \(values)", source: mapping.projection(of: names),
                condition: conditions.joined(separator: " AND "))
        }
    }

    /// Whether a key of the old version held for the same columns, the same parent and the same values.
    private static func keeps(
        _ key: TableDefinition.ForeignKey, _ parentColumns: [String], of mapping: TableMapping, to parent: TableMapping?,
        as before: TableDefinition.ForeignKey, renamed: (String) -> String?, old: RelationalSchema
    ) -> Bool {
        guard before.columns.count == key.columns.count, SQLName.same(renamed(before.parent) ?? before.parent, key.parent) else {
            return false
        }
        for (column, older) in zip(key.columns, before.columns) {
            guard let mapped = mapping.column(column) else {
                if !mapping.isUnchanged([SQLName.folded(column)]) || !SQLName.same(column, older) { return false }
                continue
            }
            if mapped.conversion != nil || !SQLName.same(mapped.source.name, older) { return false }
        }
        guard let parent else { return old.table(before.parent) == nil }
        let olderColumns = before.parentColumns.isEmpty ? parent.source.primaryKey.compactMap(\.name) : before.parentColumns
        guard olderColumns.count == parentColumns.count, SQLName.same(parent.source.name, before.parent) else { return false }
        return zip(parentColumns, olderColumns).allSatisfy { column, older in
            guard let mapped = parent.column(column) else {
                return parent.isUnchanged([SQLName.folded(column)]) && SQLName.same(column, older)
            }
            return mapped.isUnchanged && SQLName.same(mapped.source.name, older)
        }
    }
}
