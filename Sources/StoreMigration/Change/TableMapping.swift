import StoreSQLite

/// Where the values of one table of the new version come from.
///
/// The names of the source are those that the table has when the mapping is used: before the renames for a data check, after them
/// for a copy.
struct TableMapping: Sendable {
    /// One column that is copied.
    struct Column: Sendable {
        let target: ColumnDefinition
        let source: ColumnDefinition
        let conversion: ValueConversion?
        let lossAllowed: Bool
        /// For a value that does not convert: what stands in its place; nil where that is refused.
        var fallback: String?

        /// SQL for the value to store.
        var expression: String {
            let value = SQLName.quoted(source.name)
            guard let conversion else { return value }
            if let fallback {
                return
                    "CASE WHEN \(conversion.isLossless(value)) THEN \(conversion.converted(value, lossAllowed: false)) ELSE \(fallback) END"
            }
            return conversion.converted(value, lossAllowed: lossAllowed)
        }

        /// SQL for the value as it will be stored, for comparisons.
        var comparedExpression: String {
            let value = SQLName.quoted(source.name)
            guard let conversion else {
                let before = Affinity(declaredType: source.type, isStrict: false)
                // A column without an affinity compares values as they are; the sign takes the affinity of the old column away.
                return Affinity(declaredType: target.type, isStrict: false) == .blob && before != .blob ? "+\(value)" : value
            }
            guard let fallback else { return conversion.compared(value) }
            return "CASE WHEN \(conversion.isLossless(value)) THEN \(conversion.compared(value)) ELSE \(fallback) END"
        }
    }

    let source: TableDefinition
    let target: TableDefinition
    var columns: [Column]

    /// - Parameter sourceName: the source's column for a column of the target; nil for a new one.
    init(
        from source: TableDefinition, to target: TableDefinition, frontEnd: FrontEnd, losses: LossPolicy,
        sourceName: (String) -> String?
    ) {
        self.source = source
        self.target = target
        columns = target.storedColumns.compactMap { column in
            guard let name = sourceName(column.name), let from = source.column(name) else { return nil }
            return Column(
                target: column, source: from,
                conversion: ValueConversion(from: from, of: source, to: column, of: target, frontEnd: frontEnd),
                lossAllowed: losses.allows(table: target.name, column: column.name) || losses.allows(table: source.name, column: from.name))
        }
    }

    func column(_ target: String) -> Column? {
        columns.first { SQLName.same($0.target.name, target) }
    }

    /// The rowid of a row of the source, in SQL; nil where there is none that can be reached.
    var sourceRowid: String? { source.rowidColumn.map(SQLName.quoted) ?? source.rowidAlias }

    /// Whether each row has the same rowid in the target. Of others, what refers to rows by rowid must be made anew.
    var keepsRowids: Bool {
        guard sourceRowid != nil else { return false }
        guard let key = target.rowidColumn else { return target.rowidAlias != nil }
        return column(key).map { SQLName.same($0.source.name, source.rowidColumn ?? "") } ?? true
    }

    /// The columns that get their value from nowhere but their default.
    var newColumns: [ColumnDefinition] {
        target.storedColumns.filter { column($0.name) == nil }
    }

    /// How a row of the source is called in a message: SQL that gives `id 17` or `key 'a'`.
    var rowLabel: String {
        if let name = source.rowidColumn { return "\(SQLName.literal(name + " ")) || \(SQLName.quoted(name))" }
        if let alias = source.rowidAlias { return "'row ' || \(alias)" }
        let key = source.primaryKey.compactMap(\.name)
        if key.isEmpty { return "'a row'" }
        return "'key ' || " + key.map { "quote(\(SQLName.quoted($0)))" }.joined(separator: " || ', ' || ")
    }
}
