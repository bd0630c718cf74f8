import StoreSQLite

/// The slot of an attribute that is never stored: changes are tracked, and a model from the store has the declared default.
public struct EphemeralSlot<Wrapped>: Slot {
    /// Nil until it is set.
    public var value: Wrapped?

    /// No value, until one is set.
    public init() {}

    public var shape: SlotShape { .ephemeral(isOptional: Wrapped.self is any OptionalValue.Type) }
    public mutating func initialize(_ value: Wrapped) { self.value = value }
    /// Takes a new value.
    public mutating func assign(_ value: Wrapped) { self.value = value }
    public mutating func load(_ cursor: inout RowCursor) {}
    public func bind(_ binder: inout RowBinder) { _ = binder.wantsNext() }

    public var anyValue: Any? { value }
    public mutating func setAny(_ value: Any?) -> Bool {
        guard let value = slotValue(value, as: Wrapped.self) else { return false }
        self.value = value
        return true
    }
    public var sqlValue: Value? { nil }
}

/// `.ephemeral`: any type, never stored.
public func _ephemeralSlot<T>(_ type: T.Type) -> EphemeralSlot<T> { EphemeralSlot() }
/// `.ephemeral`: any type, never stored.
public func _ephemeralSlot<T>(like value: @autoclosure () -> T) -> EphemeralSlot<T> { EphemeralSlot() }

extension ModelRow {
    /// What a property's getter gives: the value, or the declared default.
    public func _value<Wrapped>(_ slot: EphemeralSlot<Wrapped>, at index: Int) -> Wrapped { slot.value ?? _substitute(at: index) }
}
