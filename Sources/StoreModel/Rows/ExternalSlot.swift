import Foundation
import StoreSQLite

/// A type that can lie outside of its row: `Data`, or an optional one.
public protocol ExternalValue: Codable {
    /// Whether nil is one of its values.
    static var _isOptional: Bool { get }
    /// The bytes; nil for nil.
    var _data: Data? { get }
    /// The value of these bytes. Nil, where the side table has no row, is nil or no bytes.
    static func _external(_ data: Data?) -> Self
}

extension Data: ExternalValue {
    public var _data: Data? { self }
    public static func _external(_ data: Data?) -> Data { data ?? Data() }
}

extension Optional: ExternalValue where Wrapped == Data {
    public var _data: Data? { self }
    public static func _external(_ data: Data?) -> Data? { data }
}

/// The slot of a value in a side table. It has no column in the model's own: the bytes are read on the first use of the property.
public struct ExternalSlot<Wrapped: ExternalValue>: Slot {
    /// Nil until it is set or read.
    public var value: Wrapped?

    /// No value, until one is set or read.
    public init() {}

    public var shape: SlotShape { .external(isOptional: Wrapped._isOptional) }
    public mutating func initialize(_ value: Wrapped) { self.value = value }
    /// Takes a new value.
    public mutating func assign(_ value: Wrapped) { self.value = value }
    /// The row may be another one by now: what was read is read again.
    public mutating func load(_ cursor: inout RowCursor) { value = nil }
    public func bind(_ binder: inout RowBinder) { _ = binder.wantsNext() }

    public var anyValue: Any? { value }
    public mutating func setAny(_ value: Any?) -> Bool {
        guard let value = slotValue(value, as: Wrapped.self) else { return false }
        self.value = value
        return true
    }
    public var sqlValue: Value? { nil }
}

/// `.externalStorage`: bytes in a side table.
public func _externalSlot<T: ExternalValue>(_ type: T.Type) -> ExternalSlot<T> { ExternalSlot() }
/// `.externalStorage`: bytes in a side table.
public func _externalSlot<T: ExternalValue>(like value: @autoclosure () -> T) -> ExternalSlot<T> { ExternalSlot() }
/// `.externalStorage` is for `Data` only; on another type it says nothing, and the value lies in its column.
@_disfavoredOverload
public func _externalSlot<T: ColumnValue>(_ type: T.Type) -> ScalarSlot<T> { ScalarSlot() }
/// `.externalStorage` on another type than `Data`: its column.
@_disfavoredOverload
public func _externalSlot<T: ColumnValue>(like value: @autoclosure () -> T) -> ScalarSlot<T> { ScalarSlot() }
/// `.externalStorage` on another type than `Data`: JSON in its column.
@_disfavoredOverload
public func _externalSlot<T: Codable>(_ type: T.Type) -> CodableSlot<T> { CodableSlot() }
/// `.externalStorage` on another type than `Data`: JSON in its column.
@_disfavoredOverload
public func _externalSlot<T: Codable>(like value: @autoclosure () -> T) -> CodableSlot<T> { CodableSlot() }

extension ModelRow {
    /// What a property's getter gives: reads the side table on first use, and keeps the bytes.
    public func _value<Wrapped>(_ slot: ExternalSlot<Wrapped>, at index: Int) -> Wrapped {
        if let value = slot.value { return value }
        let value = Wrapped._external(externalData(at: index))
        var keeper = KeepExternal(value: value)
        _visit(index, &keeper)
        return value
    }

    /// The bytes in the side table; nil where it has none. Errors are reported, not thrown.
    final func externalData(at index: Int) -> Data? {
        guard let table, id > 0 else { return nil }
        return table.core.externalData(id, of: table.entity.properties[index], in: table.entity)
    }

    /// Takes bytes of a side table as what was read.
    final func holdExternal(_ data: Data?, at index: Int) {
        var holder = HoldExternal(data: data)
        _visit(index, &holder)
    }

    /// The value that a slot of a side table holds, if it was set or read.
    final func heldExternal(at index: Int) -> (isHeld: Bool, data: Data?) {
        var reader = ReadExternal()
        _visit(index, &reader)
        return (reader.isHeld, reader.data)
    }
}

private struct KeepExternal: SlotVisitor {
    let value: Any
    mutating func visit<S: Slot>(_ slot: inout S) { _ = slot.setAny(value) }
}

private struct HoldExternal: SlotVisitor {
    let data: Data?
    mutating func visit<S: Slot>(_ slot: inout S) {
        guard let type = S.Wrapped.self as? any ExternalValue.Type else { return }
        _ = slot.setAny(type._external(data))
    }
}

private struct ReadExternal: SlotVisitor {
    var isHeld = false
    var data: Data?
    mutating func visit<S: Slot>(_ slot: inout S) {
        guard let value = slot.anyValue as? any ExternalValue else { return }
        isHeld = true
        data = value._data
    }
}
