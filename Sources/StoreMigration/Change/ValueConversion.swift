/// How the values of a column become values of another declared type.
///
/// What converts without loss is converted: '12' becomes 12, since 12 written out is '12' again. Everything else ('007', ' 12 ', '1e3',
/// 'abc', '') is a loss: refused with its row, unless the plan allows it for the column; then it is SQLite's CAST.
struct ValueConversion: Sendable {
    let affinity: Affinity
    /// A blob column that holds nothing but blobs: of models and of STRICT tables.
    let holdsOnlyBlobs: Bool

    /// Nil when every value of the old column fits the new one as it is.
    init?(
        from old: ColumnDefinition, of oldTable: TableDefinition, to new: ColumnDefinition, of newTable: TableDefinition,
        frontEnd: FrontEnd
    ) {
        let before = Affinity(declaredType: old.type, isStrict: oldTable.isStrict)
        let after = Affinity(declaredType: new.type, isStrict: newTable.isStrict)
        let becomesStrict = newTable.isStrict && !oldTable.isStrict
        // A rowid is an integer; any other column may hold what its type does not say.
        let becomesRowid = SQLName.same(new.name, newTable.rowidColumn ?? "") && !SQLName.same(old.name, oldTable.rowidColumn ?? "")
        guard before != after || becomesStrict || becomesRowid, after != .any else { return nil }
        affinity = after
        holdsOnlyBlobs = newTable.isStrict || frontEnd == .models
        // A column without checks of its own takes anything as it is.
        if after == .blob, !holdsOnlyBlobs { return nil }
    }

    /// SQL that is true where `value` can be in a column of a STRICT table as it is, the column's affinity applied; nil where anything can.
    static func fits(_ value: String, strict column: ColumnDefinition) -> String? {
        let affinity = Affinity(declaredType: column.type, isStrict: true)
        switch affinity {
        case .any: return nil
        case .blob: return "typeof(\(value)) IN ('null', 'blob')"
        default: return ValueConversion(affinity: affinity, holdsOnlyBlobs: true).isLossless(value)
        }
    }

    private init(affinity: Affinity, holdsOnlyBlobs: Bool) {
        self.affinity = affinity
        self.holdsOnlyBlobs = holdsOnlyBlobs
    }

    /// SQL that is true where `value`, an expression without side effects, converts without loss. Never NULL.
    func isLossless(_ value: String) -> String {
        let kind = "typeof(\(value))"
        let asInteger = "CAST(CAST(\(value) AS INTEGER) AS TEXT) = \(value) COLLATE BINARY"
        // The highest integers round up to 2^63, which comes back as the highest of all.
        let isBelowTop = "CAST(\(value) AS REAL) < 9223372036854775807.0"
        let asReal = "CAST(CAST(\(value) AS REAL) AS TEXT) = \(value) COLLATE BINARY"
        switch affinity {
        case .integer:
            // Beyond 2^63 SQLite leaves a real number real.
            return """
                CASE \(kind) WHEN 'null' THEN 1 WHEN 'integer' THEN 1 \
                WHEN 'real' THEN abs(\(value)) < 9.2e18 AND CAST(CAST(\(value) AS INTEGER) AS REAL) = \(value) \
                WHEN 'text' THEN \(asInteger) ELSE 0 END
                """
        case .real:
            return """
                CASE \(kind) WHEN 'null' THEN 1 WHEN 'real' THEN 1 \
                WHEN 'integer' THEN \(isBelowTop) AND CAST(CAST(\(value) AS REAL) AS INTEGER) = \(value) \
                WHEN 'text' THEN \(asReal) OR (\(asInteger) AND \(isBelowTop) AND CAST(CAST(\(value) AS REAL) AS INTEGER) = CAST(\(value) AS INTEGER)) ELSE 0 END
                """
        case .text:
            return """
                CASE \(kind) WHEN 'null' THEN 1 WHEN 'text' THEN 1 WHEN 'integer' THEN 1 \
                WHEN 'real' THEN CAST(CAST(\(value) AS TEXT) AS REAL) = \(value) ELSE 0 END
                """
        case .numeric:
            // Text that does not look like a number stays text; `CAST(x AS NUMERIC) = x` is SQLite's own test of the looks.
            return """
                CASE \(kind) WHEN 'text' THEN CAST(\(value) AS NUMERIC) <> \(value) \
                OR CAST(CAST(\(value) AS NUMERIC) AS TEXT) = \(value) COLLATE BINARY ELSE 1 END
                """
        case .blob:
            return "\(kind) IN ('null', 'blob', 'text')"
        case .any:
            return "1"
        }
    }

    /// SQL for the value to store. The column's own affinity does the rest.
    func converted(_ value: String, lossAllowed: Bool) -> String {
        guard let castName = affinity.castName else { return value }
        if affinity == .blob {
            return lossAllowed
                ? "CAST(\(value) AS BLOB)" : "CASE typeof(\(value)) WHEN 'text' THEN CAST(\(value) AS BLOB) ELSE \(value) END"
        }
        return lossAllowed ? "CASE WHEN \(isLossless(value)) THEN \(value) ELSE CAST(\(value) AS \(castName)) END" : value
    }

    /// SQL for the value as it will be stored, for comparing values before they are.
    func compared(_ value: String) -> String {
        guard let castName = affinity.castName else { return value }
        return affinity == .numeric
            ? "CASE WHEN CAST(\(value) AS NUMERIC) = \(value) THEN CAST(\(value) AS NUMERIC) ELSE \(value) END"
            : "CAST(\(value) AS \(castName))"
    }
}
