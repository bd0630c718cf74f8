import StoreSQLite

extension ContextCore {
    /// Lets a row take the columns that the cursor stands before.
    ///
    /// A value that its property's type does not know is kept as it is; the property has its declared default, else nil or an empty
    /// value. That is told when somebody reads it: most fetches read only some properties.
    @inline(__always)
    func load(_ row: ModelRow, _ cursor: inout RowCursor, _ entity: EntityMapping) {
        let start = cursor.column, starts = cursor.starts
        row._load(&cursor)
        row.missing = PropertySet()
        if row.isUndecoded { row.setUndecoded([:]) }
        if !cursor.refused.isEmpty { substitute(row, cursor, entity, from: start, starts) }
    }

    private func substitute(
        _ row: ModelRow, _ cursor: RowCursor, _ entity: EntityMapping, from start: Int32, _ starts: UnsafePointer<Int32>?
    ) {
        var undecoded: [Int: Value] = [:]
        for (depth, owner) in entity.chain.enumerated() {
            let first = depth == 0 ? start : starts?[depth - 1] ?? 0
            for (offset, property) in owner.ownColumns.enumerated() where cursor.refused.contains(first + Int32(offset)) {
                undecoded[property.index] = cursor.statement.value(first + Int32(offset))
                _ = row.setValue(property.defaultValue, at: property.index)
            }
        }
        row.setUndecoded(undecoded)
    }
}
