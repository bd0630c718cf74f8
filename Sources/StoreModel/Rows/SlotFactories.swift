// The overloads by which the compiler picks the slot of a property from its static type. `like:` stands where the
// property has no written type: the expression is its initial value and is never evaluated.

/// A type with a column format of its own.
@inlinable
public func _slot<T: ColumnValue>(_ type: T.Type) -> ScalarSlot<T> { ScalarSlot() }
/// A type with a column format of its own.
@inlinable
public func _slot<T: ColumnValue>(like value: @autoclosure () -> T) -> ScalarSlot<T> { ScalarSlot() }

/// An enumeration or another raw-representable type.
@inlinable
public func _slot<T: RawRepresentable & Codable>(_ type: T.Type) -> RawValueSlot<T> where T.RawValue: ColumnValue { RawValueSlot() }
/// An enumeration or another raw-representable type.
@inlinable
public func _slot<T: RawRepresentable & Codable>(like value: @autoclosure () -> T) -> RawValueSlot<T> where T.RawValue: ColumnValue {
    RawValueSlot()
}

/// An optional enumeration or another raw-representable type.
@inlinable
public func _slot<T: RawRepresentable & Codable>(_ type: T?.Type) -> OptionalRawValueSlot<T> where T.RawValue: ColumnValue {
    OptionalRawValueSlot()
}
/// An optional enumeration or another raw-representable type.
@inlinable
public func _slot<T: RawRepresentable & Codable>(like value: @autoclosure () -> T?) -> OptionalRawValueSlot<T>
where T.RawValue: ColumnValue {
    OptionalRawValueSlot()
}

/// Any other `Codable` type, optional or not.
@_disfavoredOverload
@inlinable
public func _slot<T: Codable>(_ type: T.Type) -> CodableSlot<T> { CodableSlot() }
/// Any other `Codable` type, optional or not.
@_disfavoredOverload
@inlinable
public func _slot<T: Codable>(like value: @autoclosure () -> T) -> CodableSlot<T> { CodableSlot() }

/// A model: a required relationship to one.
@inlinable
public func _slot<T: PersistentModel>(_ type: T.Type) -> RequiredToOneSlot<T> { RequiredToOneSlot() }
/// A model: a required relationship to one.
@inlinable
public func _slot<T: PersistentModel>(like value: @autoclosure () -> T) -> RequiredToOneSlot<T> { RequiredToOneSlot() }

/// An optional model: a relationship to one.
@inlinable
public func _slot<T: PersistentModel>(_ type: T?.Type) -> ToOneSlot<T> { ToOneSlot() }
/// An optional model: a relationship to one.
@inlinable
public func _slot<T: PersistentModel>(like value: @autoclosure () -> T?) -> ToOneSlot<T> { ToOneSlot() }

/// Models, or nil: a relationship to many.
@inlinable
public func _slot<C: RelationshipCollection>(_ type: C.Type) -> ToManySlot<C> { ToManySlot() }
/// Models, or nil: a relationship to many.
@inlinable
public func _slot<C: RelationshipCollection>(like value: @autoclosure () -> C) -> ToManySlot<C> { ToManySlot() }

/// `.codable`: JSON in one column, whatever the type.
@inlinable
public func _codableSlot<T: Codable>(_ type: T.Type) -> CodableSlot<T> { CodableSlot() }
/// `.codable`: JSON in one column, whatever the type.
@inlinable
public func _codableSlot<T: Codable>(like value: @autoclosure () -> T) -> CodableSlot<T> { CodableSlot() }
