import StoreSQLite

/// One table as its CREATE TABLE statement declares it.
package struct TableDefinition: Sendable {
    package let name: String
    /// The statement as SQLite stores it.
    package let sql: String
    package let columns: [ColumnDefinition]
    /// Constraints that stand after the columns.
    package let constraints: [ConstraintDefinition]
    package let isWithoutRowid: Bool
    package let isStrict: Bool
    /// Where the table's name stands in `sql`, in UTF-8 bytes.
    let nameRange: Range<Int>

    /// The column of this name by SQLite's comparison.
    package func column(_ name: String) -> ColumnDefinition? {
        columns.first { SQLName.same($0.name, name) }
    }

    /// The name of the column that is the rowid (`INTEGER PRIMARY KEY` or `PRIMARY KEY(x)` over such a column), if there is one.
    package var rowidColumn: String? {
        guard !isWithoutRowid else { return nil }
        // `INTEGER PRIMARY KEY DESC` in the column is not the rowid, a quirk that SQLite keeps; `PRIMARY KEY(x DESC)` is.
        if let column = columns.first(where: { $0.type == "INTEGER" && $0.constraint(.primaryKey).map { !$0.isDescending } == true }) {
            return column.name
        }
        guard let key = constraints.first(where: { $0.kind == .primaryKey }), key.columns.count == 1, let name = key.columns[0].name,
            let column = column(name), column.type == "INTEGER"
        else { return nil }
        return column.name
    }

    package var isAutoincrement: Bool {
        columns.contains { $0.constraint(.primaryKey)?.isAutoincrement == true } || constraints.contains { $0.isAutoincrement }
    }

    /// The columns of the primary key in its order, empty if there is none.
    package var primaryKey: [IndexedColumn] {
        if let key = constraints.first(where: { $0.kind == .primaryKey }) { return key.columns }
        return columns.filter { $0.constraint(.primaryKey) != nil }.map { IndexedColumn(name: $0.name, collation: nil, expression: nil) }
    }

    /// One foreign key, of a column or of the table.
    package struct ForeignKey: Sendable {
        package let columns: [String]
        package let parent: String
        /// Empty where it means the parent's primary key.
        let parentColumns: [String]
    }

    package var foreignKeys: [ForeignKey] {
        columns.flatMap { column in
            column.constraints.compactMap { constraint in
                constraint.parent.map { ForeignKey(columns: [column.name], parent: $0, parentColumns: constraint.parentColumns) }
            }
        }
            + constraints.compactMap { constraint in
                constraint.parent.map {
                    ForeignKey(columns: constraint.columns.compactMap(\.name), parent: $0, parentColumns: constraint.parentColumns)
                }
            }
    }

    /// A name by which the rowid can be reached; nil in a WITHOUT ROWID table or when columns take all three.
    package var rowidAlias: String? {
        guard !isWithoutRowid else { return nil }
        return ["rowid", "_rowid_", "oid"].first { column($0) == nil }
    }

    /// The columns that hold values of their own: generated ones are computed.
    package var storedColumns: [ColumnDefinition] {
        columns.filter { $0.generated == .none }
    }

    /// The statement with another name for the table.
    func sql(named newName: String) -> String {
        sql.replacing(nameRange, with: SQLName.quoted(newName))
    }
}

/// One column of a table.
package struct ColumnDefinition: Sendable {
    package enum Generated: Sendable, Hashable {
        case none, virtual, stored
    }

    package let name: String
    /// The declared type with single spaces and in capitals, empty if there is none.
    package let type: String
    package let constraints: [ConstraintDefinition]
    /// The definition as it is written.
    package let sql: String

    package func constraint(_ kind: ConstraintDefinition.Kind) -> ConstraintDefinition? {
        constraints.first { $0.kind == kind }
    }

    package var isNotNull: Bool { constraint(.notNull) != nil }
    package var isPrimaryKey: Bool { constraint(.primaryKey) != nil }

    /// The default as SQL text; nil if there is none or if it is NULL.
    package var defaultValue: String? {
        guard let text = constraint(.defaultValue)?.payload, SQLName.capitals(text) != "NULL" else { return nil }
        return text
    }

    /// The collation for comparing its values, BINARY unless declared.
    package var collation: String { constraint(.collate)?.payload ?? "BINARY" }

    package var generated: Generated {
        guard let constraint = constraint(.generated) else { return .none }
        return constraint.isStored ? .stored : .virtual
    }
}

/// A column or an expression in a key or an index.
package struct IndexedColumn: Sendable, Hashable {
    /// The column's name; nil for an expression.
    package let name: String?
    /// The collation if one is declared here.
    package let collation: String?
    /// The expression as SQL text; nil for a column.
    package let expression: String?
}

/// One constraint of a column or of a table.
package struct ConstraintDefinition: Sendable {
    package enum Kind: String, Sendable {
        case notNull, null, primaryKey, unique, check, defaultValue, collate, references, deferrable, generated
    }

    package let kind: Kind
    /// The name after CONSTRAINT.
    package let name: String?
    /// The normalised text by which two constraints are compared.
    package let normalForm: ExactText
    /// What the constraint says in SQL text: of a default its value, of CHECK and a generated column the expression, of COLLATE the name.
    package let payload: String
    /// The columns of PRIMARY KEY, UNIQUE and FOREIGN KEY of a table.
    package let columns: [IndexedColumn]
    /// The table that REFERENCES names.
    package let parent: String?
    /// The columns that REFERENCES names; empty where it means the parent's primary key.
    package let parentColumns: [String]
    package let isDescending: Bool
    package let isAutoincrement: Bool
    package let isStored: Bool
    /// Where it stands in the statement, in UTF-8 bytes.
    let range: Range<Int>
}

extension String {
    /// The string with the bytes of `range` exchanged.
    func replacing(_ range: Range<Int>, with text: String) -> String {
        let bytes = Array(utf8)
        return String(decoding: bytes[..<range.lowerBound] + Array(text.utf8) + bytes[range.upperBound...], as: UTF8.self)
    }

    /// The part of the string at these UTF-8 bytes.
    func slice(_ range: Range<Int>) -> String {
        String(decoding: Array(utf8)[range], as: UTF8.self)
    }
}
