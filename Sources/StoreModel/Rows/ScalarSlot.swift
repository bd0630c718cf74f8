import StoreSQLite

/// The slot of a value that has a column format of its own.
@frozen
public struct ScalarSlot<Wrapped: ColumnValue>: Slot {
    /// The value of the property.
    public var value: Wrapped

    /// The empty value of the type, until another comes.
    @inlinable
    public init() { value = Wrapped._empty }

    public var shape: SlotShape { .attribute(Wrapped._storageKind, isOptional: Wrapped._isOptional) }

    @inlinable
    public mutating func initialize(_ value: Wrapped) { self.value = value }

    /// Takes a new value.
    @inlinable
    public mutating func assign(_ value: Wrapped) { self.value = value }

    @inlinable
    public mutating func load(_ cursor: inout RowCursor) { value = Wrapped._read(&cursor) }

    @inlinable
    public func bind(_ binder: inout RowBinder) {
        if binder.wantsNext() { value._bind(&binder) }
    }

    public var anyValue: Any? { value }
    public mutating func setAny(_ value: Any?) -> Bool {
        guard let value = slotValue(value, as: Wrapped.self) else { return false }
        self.value = value
        return true
    }
    public var sqlValue: Value? { value._sqlValue }
}

extension ModelRow {
    /// What a property's getter gives: the value as it is.
    @inlinable
    public func _value<Wrapped>(_ slot: ScalarSlot<Wrapped>, at index: Int) -> Wrapped { slot.value }

    /// Called by the setter after `assign`: nothing more is to be done for a value.
    @inlinable
    public func _didChange(_ index: Int, _ change: Void, of model: @autoclosure () -> (any PersistentModel)?) {}
}
