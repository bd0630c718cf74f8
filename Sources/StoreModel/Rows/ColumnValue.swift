import Foundation
import StoreSQLite

/// A type that has a column format of its own.
///
/// Everything else that is `Codable` is kept as JSON text. The formats are in `docs/format.md`.
public protocol ColumnValue: Codable {
    /// How it lies in its column.
    static var _storageKind: StorageKind { get }
    /// Whether nil is one of its values, so that the column may be NULL.
    static var _isOptional: Bool { get }
    /// What a property reads as when nothing can be loaded and it has no default.
    static var _empty: Self { get }
    /// Takes the next column. What is no value of the type is refused, and empty.
    static func _read(_ cursor: inout RowCursor) -> Self
    /// Gives its value to the next parameter. What the column cannot hold fails the save.
    func _bind(_ binder: inout RowBinder)
    /// The same value as a parameter of a query.
    var _sqlValue: Value { get }
}

extension ColumnValue {
    @inlinable
    public static var _isOptional: Bool { false }
}

extension ColumnValue where Self: FixedWidthInteger {
    @inlinable
    public static var _storageKind: StorageKind { .integer }
    @inlinable
    public static var _empty: Self { 0 }
    @inlinable
    public static func _read(_ cursor: inout RowCursor) -> Self {
        if let value = Self(exactly: cursor.nextInteger()) { return value }
        cursor._refuse()
        return 0
    }
    @inlinable
    public func _bind(_ binder: inout RowBinder) {
        if let value = Int64(exactly: self) { binder.bind(value) } else { binder.refuseTooLarge() }
    }
    @inlinable
    public var _sqlValue: Value { Int64(exactly: self).map { .integer($0) } ?? UnsignedWord.value(UInt64(truncatingIfNeeded: self)) }
}

extension Int: ColumnValue {}
extension Int8: ColumnValue {}
extension Int16: ColumnValue {}
extension Int32: ColumnValue {}
extension Int64: ColumnValue {}
extension UInt: ColumnValue {}
extension UInt8: ColumnValue {}
extension UInt16: ColumnValue {}
extension UInt32: ColumnValue {}
extension UInt64: ColumnValue {}

extension Bool: ColumnValue {
    @inlinable
    public static var _storageKind: StorageKind { .boolean }
    @inlinable
    public static var _empty: Bool { false }
    @inlinable
    public static func _read(_ cursor: inout RowCursor) -> Bool { cursor.nextInteger() != 0 }
    @inlinable
    public func _bind(_ binder: inout RowBinder) { binder.bind(self ? 1 as Int64 : 0) }
    @inlinable
    public var _sqlValue: Value { .integer(self ? 1 : 0) }
}

extension Double: ColumnValue {
    @inlinable
    public static var _storageKind: StorageKind { .real }
    @inlinable
    public static var _empty: Double { 0 }
    @inlinable
    public static func _read(_ cursor: inout RowCursor) -> Double { cursor.nextReal() }
    @inlinable
    public func _bind(_ binder: inout RowBinder) { binder.bind(self) }
    @inlinable
    public var _sqlValue: Value { .real(self) }
}

extension Float: ColumnValue {
    @inlinable
    public static var _storageKind: StorageKind { .float }
    @inlinable
    public static var _empty: Float { 0 }
    @inlinable
    public static func _read(_ cursor: inout RowCursor) -> Float { Float(cursor.nextReal()) }
    @inlinable
    public func _bind(_ binder: inout RowBinder) { binder.bind(Double(self)) }
    @inlinable
    public var _sqlValue: Value { .real(Double(self)) }
}

extension String: ColumnValue {
    @inlinable
    public static var _storageKind: StorageKind { .text }
    @inlinable
    public static var _empty: String { "" }
    @inlinable
    public static func _read(_ cursor: inout RowCursor) -> String { cursor.nextText() }
    @inlinable
    public func _bind(_ binder: inout RowBinder) { binder.bind(self) }
    @inlinable
    public var _sqlValue: Value { .text(self) }
}

extension Date: ColumnValue {
    @inlinable
    public static var _storageKind: StorageKind { .date }
    @inlinable
    public static var _empty: Date { Date(timeIntervalSinceReferenceDate: 0) }
    @inlinable
    public static func _read(_ cursor: inout RowCursor) -> Date { Date(timeIntervalSinceReferenceDate: cursor.nextReal()) }
    @inlinable
    public func _bind(_ binder: inout RowBinder) { binder.bind(timeIntervalSinceReferenceDate) }
    @inlinable
    public var _sqlValue: Value { .real(timeIntervalSinceReferenceDate) }
}

extension Data: ColumnValue {
    public static var _storageKind: StorageKind { .data }
    public static var _empty: Data { Data() }
    public static func _read(_ cursor: inout RowCursor) -> Data { cursor.withNextBytes { Data($0) } }
    public func _bind(_ binder: inout RowBinder) { withUnsafeBytes { binder.bind(blob: $0) } }
    public var _sqlValue: Value { .blob([UInt8](self)) }
}

extension UUID: ColumnValue {
    public static var _storageKind: StorageKind { .uuid }
    public static var _empty: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
    public static func _read(_ cursor: inout RowCursor) -> UUID {
        if let value = UUID(uuidString: cursor.nextText()) { return value }
        cursor._refuse()
        return _empty
    }
    public func _bind(_ binder: inout RowBinder) { binder.bind(uuidString) }
    public var _sqlValue: Value { .text(uuidString) }
}

extension URL: ColumnValue {
    public static var _storageKind: StorageKind { .url }
    public static var _empty: URL { URL(fileURLWithPath: "/") }
    public static func _read(_ cursor: inout RowCursor) -> URL {
        if let value = URL(string: cursor.nextText()) { return value }
        cursor._refuse()
        return _empty
    }
    public func _bind(_ binder: inout RowBinder) { binder.bind(absoluteString) }
    public var _sqlValue: Value { .text(absoluteString) }
}

extension Decimal: ColumnValue {
    public static var _storageKind: StorageKind { .decimal }
    public static var _empty: Decimal { 0 }
    public static func _read(_ cursor: inout RowCursor) -> Decimal {
        if let value = Decimal(string: cursor.nextText()) { return value }
        cursor._refuse()
        return 0
    }
    public func _bind(_ binder: inout RowBinder) {
        if isNaN { binder.refuseNotANumber() } else { binder.bind(description) }
    }
    public var _sqlValue: Value { .text(description) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    @inlinable
    public static var _storageKind: StorageKind { Wrapped._storageKind }
    @inlinable
    public static var _isOptional: Bool { true }
    @inlinable
    public static var _empty: Wrapped? { nil }
    @inlinable
    public static func _read(_ cursor: inout RowCursor) -> Wrapped? { cursor.skipNull() ? nil : Wrapped._read(&cursor) }
    @inlinable
    public func _bind(_ binder: inout RowBinder) {
        switch self {
        case .some(let value): value._bind(&binder)
        case .none: binder.bindNull()
        }
    }
    @inlinable
    public var _sqlValue: Value {
        switch self {
        case .some(let value): value._sqlValue
        case .none: .null
        }
    }
}
