import StoreSQLite

/// The key along which a batched stage walks a table.
enum BatchKey {
    /// Why a column cannot be such a key; nil if it can.
    static func objection(to column: ColumnDefinition, of table: TableDefinition, in schema: RelationalSchema) -> String? {
        guard affinity(column, table) != nil else {
            return "its type is \(column.type.isEmpty ? "none" : column.type), not an integer or a text"
        }
        guard isNotNull(column, table) else { return "it is not declared NOT NULL" }
        guard isUnique(column, table, schema) else { return "it is not declared unique" }
        return nil
    }

    /// Whether the key holds texts; false for integers.
    static func isText(_ column: ColumnDefinition, _ table: TableDefinition) -> Bool {
        affinity(column, table) == .text
    }

    private static func affinity(_ column: ColumnDefinition, _ table: TableDefinition) -> Affinity? {
        let affinity = Affinity(declaredType: column.type, isStrict: table.isStrict)
        return affinity == .integer || affinity == .text ? affinity : nil
    }

    private static func isRowid(_ column: ColumnDefinition, _ table: TableDefinition) -> Bool {
        table.rowidColumn.map { SQLName.same($0, column.name) } ?? false
    }

    private static func isNotNull(_ column: ColumnDefinition, _ table: TableDefinition) -> Bool {
        // A primary key may be NULL, except where it is the rowid or the table has none.
        column.isNotNull || isRowid(column, table)
            || table.isWithoutRowid && table.primaryKey.contains { $0.name.map { SQLName.same($0, column.name) } ?? false }
    }

    private static func isUnique(_ column: ColumnDefinition, _ table: TableDefinition, _ schema: RelationalSchema) -> Bool {
        func isAlone(_ columns: [IndexedColumn]) -> Bool {
            columns.count == 1 && columns[0].name.map { SQLName.same($0, column.name) } ?? false && columns[0].collation == nil
        }
        return isRowid(column, table) || isAlone(table.primaryKey) || column.constraint(.unique) != nil
            || table.constraints.contains { $0.kind == .unique && isAlone($0.columns) }
            || schema.indexes(of: table.name).contains { $0.isUnique && $0.condition == nil && isAlone($0.columns) }
    }
}
