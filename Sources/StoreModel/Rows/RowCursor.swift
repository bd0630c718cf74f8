import StoreSQLite

/// The columns of one row, handed out from left to right while a row class decodes itself.
///
/// Lent to a row for the length of one call. Reading past the last column gives NULL's values: 0, empty text, no bytes.
public struct RowCursor {
    package let statement: Statement
    package var column: Int32
    /// In a table with inheritance: where the columns of each subclass in the row's chain begin, from the first subclass on.
    package private(set) var starts: UnsafePointer<Int32>?
    /// The columns whose values are not what their properties store.
    package private(set) var refused: [Int32] = []

    /// - Parameter starts: lent for the life of the cursor.
    package init(_ statement: Statement, from column: Int32, starts: UnsafePointer<Int32>? = nil) {
        self.statement = statement
        self.column = column
        self.starts = starts
    }

    /// Goes to the columns of the next subclass: those of its siblings may lie in between.
    public mutating func _enterSubclass() {
        guard let starts else { return }
        column = starts.pointee
        self.starts = starts + 1
    }

    /// The next column as an integer; 0 for NULL and for what is none.
    public mutating func nextInteger() -> Int64 {
        defer { column &+= 1 }
        let (type, value) = statement.integer(column)
        if type != .integer, type != .null { refused.append(column) }
        return value
    }

    /// The next column as a floating point number; 0 for NULL and for what is no number.
    public mutating func nextReal() -> Double {
        defer { column &+= 1 }
        let (type, value) = statement.real(column)
        if type == .text || type == .blob { refused.append(column) }
        return value
    }

    /// The next column as text; empty for NULL and for bytes.
    public mutating func nextText() -> String {
        defer { column &+= 1 }
        guard let text = statement.textUnlessBlob(column) else {
            refused.append(column)
            return ""
        }
        return text
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

    /// Says that the value that was read last is none of its property's type. NULL stands for what a fetch has left out.
    public mutating func _refuse() {
        guard !_isRefused, !statement.isNull(column &- 1) else { return }
        refused.append(column &- 1)
    }

    /// Whether the value that was read last is none of its property's type.
    public var _isRefused: Bool { refused.last == column &- 1 }
}
