import StoreSQLite

/// The columns of one row, handed out from left to right while a row class decodes itself.
///
/// Lent to a row for the length of one call. Reading past the last column gives NULL's values: 0, empty text, no bytes.
public struct RowCursor {
    package let statement: Statement
    package var column: Int32

    package init(_ statement: Statement, from column: Int32) {
        self.statement = statement
        self.column = column
    }

    /// The next column as an integer; 0 for NULL.
    public mutating func nextInteger() -> Int64 {
        defer { column &+= 1 }
        return statement.int64(column)
    }

    /// The next column as a floating point number; 0 for NULL.
    public mutating func nextReal() -> Double {
        defer { column &+= 1 }
        return statement.double(column)
    }

    /// The next column as text; empty for NULL.
    public mutating func nextText() -> String {
        defer { column &+= 1 }
        return statement.text(column)
    }

    /// Lends the bytes of the next column; none for NULL.
    public mutating func withNextBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        defer { column &+= 1 }
        return try statement.withBytes(column, body)
    }

    /// Whether the next column is NULL; if so, moves past it.
    public mutating func skipNull() -> Bool {
        guard statement.isNull(column) else { return false }
        column &+= 1
        return true
    }
}
