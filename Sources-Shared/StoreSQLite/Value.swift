/// One value as SQLite stores it. For code that is not on a hot path; statements bind and read typed values directly.
public enum Value: Hashable, Sendable {
    /// NULL.
    case null
    /// An INTEGER.
    case integer(Int64)
    /// A REAL; NULL instead where it is not a number, since SQLite stores none.
    case real(Double)
    /// A TEXT in UTF-8.
    case text(String)
    /// A BLOB, byte by byte.
    case blob([UInt8])
}

extension Value {
    /// The integer, nil for every other kind.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The text, nil for every other kind.
    public var text: String? {
        if case .text(let value) = self { value } else { nil }
    }

    /// The number as a floating point value, of an integer too; nil for every other kind.
    public var real: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }

    /// Whether the value is NULL.
    public var isNull: Bool { self == .null }
}

// Not by nil: a comparison of `Value?` with nil would then ask for NULL.
extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByFloatLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
}

extension Value: CustomStringConvertible {
    /// The value as an SQL literal; a blob as `x'…'`.
    public var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let value): "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        case .blob(let bytes): "x'" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
        }
    }
}

/// The fundamental type of a column's value in one row, as `sqlite3_column_type` gives it.
public enum ValueType: Int32, Sendable {
    /// An INTEGER of at most eight bytes.
    case integer = 1
    /// A REAL of eight bytes.
    case real = 2
    /// A TEXT.
    case text = 3
    /// A BLOB.
    case blob = 4
    /// NULL.
    case null = 5
}
