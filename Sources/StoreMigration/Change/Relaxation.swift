/// A schema in which new required columns without a default may be empty for a while, so that a stage's code can fill them.
///
/// The rule comes back in a second change after the code: a row that is still empty is then refused by name. That costs a second rebuild
/// of the table, which a default in the plan would save.
enum Relaxation {
    /// - Returns: nil when the new schema has no such column.
    static func relaxed(_ new: RelationalSchema, from old: RelationalSchema, renames: [Rename], lenient: Bool) throws -> RelationalSchema? {
        let names = try ResolvedRenames(renames, from: old, to: new, lenient: lenient)
        var statements: [String: String] = [:]
        for table in new.tables {
            guard names.oldName[SQLName.folded(table.name)] != nil else { continue }
            let key = Set(table.primaryKey.compactMap { $0.name.map(SQLName.folded) })
            let constraints = table.storedColumns.filter { column in
                column.defaultValue == nil && names.oldColumn(column.name, of: table.name) == nil
                    && !key.contains(SQLName.folded(column.name))
            }.compactMap { $0.constraint(.notNull) }
            guard !constraints.isEmpty else { continue }
            var sql = table.sql
            for constraint in constraints.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
                sql = sql.replacing(constraint.range, with: "")
            }
            statements[SQLName.folded(table.name)] = sql
        }
        return statements.isEmpty ? nil : try new.replacing(tables: statements)
    }
}
