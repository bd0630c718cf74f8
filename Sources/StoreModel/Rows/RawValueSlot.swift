import StoreSQLite

/// The slot of an enum or another raw-representable type: its raw value's column.
@frozen
public struct RawValueSlot<Wrapped: RawRepresentable>: Slot where Wrapped.RawValue: ColumnValue {
    /// Nil before the first value, and where the store holds a raw value that the type does not know.
    public var value: Wrapped?
    /// The raw value, as the column has it, also where it is none that the type knows.
    public var raw: Wrapped.RawValue

    /// No value, and the empty raw one, until another comes.
    @inlinable
    public init() {
        value = nil
        raw = Wrapped.RawValue._empty
    }

    public var shape: SlotShape {
        .attribute(Wrapped.RawValue._storageKind, isOptional: Wrapped.RawValue._isOptional)
    }

    @inlinable
    public mutating func initialize(_ value: Wrapped) { assign(value) }

    /// Takes a new value.
    @inlinable
    public mutating func assign(_ value: Wrapped) {
        self.value = value
        raw = value.rawValue
    }

    @inlinable
    public mutating func load(_ cursor: inout RowCursor) {
        raw = Wrapped.RawValue._read(&cursor)
        value = cursor._isRefused ? nil : Wrapped(rawValue: raw)
        if value == nil { cursor._refuse() }
    }

    @inlinable
    public func bind(_ binder: inout RowBinder) {
        if binder.wantsNext() { raw._bind(&binder) }
    }

    public var anyValue: Any? { value }
    public mutating func setAny(_ value: Any?) -> Bool {
        guard let value = slotValue(value, as: Wrapped.self) else { return false }
        assign(value)
        return true
    }
    public var sqlValue: Value? { raw._sqlValue }
}

/// The slot of an optional raw-representable value.
@frozen
public struct OptionalRawValueSlot<Value: RawRepresentable>: Slot where Value.RawValue: ColumnValue {
    /// Nil also where the store holds a raw value that the type does not know.
    public var value: Value?
    /// The raw value, as the column has it, also where it is none that the type knows; nil for NULL.
    public var raw: Value.RawValue?

    /// Nil, until another value comes.
    @inlinable
    public init() {
        value = nil
        raw = nil
    }

    public var shape: SlotShape { .attribute(Value.RawValue._storageKind, isOptional: true) }

    @inlinable
    public mutating func initialize(_ value: Value?) { assign(value) }

    /// Takes a new value.
    @inlinable
    public mutating func assign(_ value: Value?) {
        self.value = value
        raw = value?.rawValue
    }

    @inlinable
    public mutating func load(_ cursor: inout RowCursor) {
        raw = Value.RawValue?._read(&cursor)
        value = cursor._isRefused ? nil : raw.flatMap(Value.init(rawValue:))
        if value == nil { cursor._refuse() }
    }

    @inlinable
    public func bind(_ binder: inout RowBinder) {
        if binder.wantsNext() { raw._bind(&binder) }
    }

    public var anyValue: Any? { value as Any }
    public mutating func setAny(_ value: Any?) -> Bool {
        guard let value = slotValue(value, as: Value?.self) else { return false }
        assign(value)
        return true
    }
    public var sqlValue: StoreSQLite.Value? { raw._sqlValue }
}

extension ModelRow {
    /// What a property's getter gives: the value, or a substitute where the raw one is unknown or missing.
    @inlinable
    public func _value<Wrapped>(_ slot: RawValueSlot<Wrapped>, at index: Int) -> Wrapped {
        if let value = slot.value { return value }
        return _substitute(at: index)
    }

    /// What a property's getter gives: nil also for a raw value that the type does not know.
    @inlinable
    public func _value<Value>(_ slot: OptionalRawValueSlot<Value>, at index: Int) -> Value? { slot.value }
}
