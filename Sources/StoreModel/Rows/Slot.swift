import StoreSQLite

/// Storage for the value of one persisted property in a row.
///
/// There is one kind for each way in which a value lies in the store. The compiler picks it by the property's static
/// type through the overloads of `_slot`, so that decoding, reading and binding specialise in the user's module.
public protocol Slot {
    /// The type of the property.
    associatedtype Wrapped
    /// What the schema needs to know of the property.
    var shape: SlotShape { get }
    /// Takes the value of an initialiser; no change is noted.
    mutating func initialize(_ value: Wrapped)
    /// Takes the next columns. A to-many has none.
    mutating func load(_ cursor: inout RowCursor)
    /// Binds the next parameters, if the property is wanted.
    func bind(_ binder: inout RowBinder)
    /// The value for use without the static type; nil for a relationship.
    var anyValue: Any? { get }
    /// Takes a value without the static type; no change is noted.
    ///
    /// - Returns: false if the value has another type, and for a relationship.
    mutating func setAny(_ value: Any?) -> Bool
    /// The value as a parameter; nil for what has no column.
    var sqlValue: Value? { get }

    /// What a to-one points to; nil in the slot of anything else, where setting it does nothing.
    var toOne: ToOneReference? { get set }
    /// What a to-many points to; nil in the slot of anything else, where setting it does nothing.
    var toMany: ToManyReferences? { get set }

    /// Takes the stored form of a value that is decoded on its first read.
    mutating func load(stored: Value)
    /// The stored form of such a value, where it does not decode; nil for all others.
    var undecodable: Value? { get }

    /// Gives away the models that the slot holds, when its row goes.
    mutating func giveUp(to models: inout [any PersistentModel])
}

extension Slot {
    /// Nil: the slot is not that of a to-one.
    public var toOne: ToOneReference? {
        get { nil }
        set { _ = newValue }
    }

    /// Nil: the slot is not that of a to-many.
    public var toMany: ToManyReferences? {
        get { nil }
        set { _ = newValue }
    }

    /// Does nothing: the value is decoded as it is loaded.
    public mutating func load(stored: Value) {}

    /// Nil: the value is decoded as it is loaded.
    public var undecodable: Value? { nil }

    /// Does nothing: the slot holds no models.
    public mutating func giveUp(to models: inout [any PersistentModel]) {}
}

/// What kind of property a slot stores.
public enum SlotShape {
    /// A value in a column of the property's name.
    case attribute(StorageKind, isOptional: Bool)
    /// Bytes in a side table.
    case external(isOptional: Bool)
    /// Never stored.
    case ephemeral(isOptional: Bool)
    /// A relationship to one: the target's row in a column.
    case toOne(any PersistentModel.Type, isOptional: Bool)
    /// A relationship to many, without a column.
    case toMany(any PersistentModel.Type, isOptional: Bool)
}

/// Does something with a slot without knowing its type.
public protocol SlotVisitor {
    /// Called once, with the slot that was asked for.
    mutating func visit<S: Slot>(_ slot: inout S)
}

/// Gives a slot what its column would.
struct WriteStored: SlotVisitor {
    let value: Value
    mutating func visit<S: Slot>(_ slot: inout S) { slot.load(stored: value) }
}

/// Looks whether a slot has a value that does not decode.
struct ReadUndecodable: SlotVisitor {
    var value: Value?
    mutating func visit<S: Slot>(_ slot: inout S) { value = slot.undecodable }
}

/// A value of which only Swift knows the type, as that of a slot; nil where it is of another one.
///
/// A nil may come boxed, and then a cast to an optional type does not find it.
func slotValue<Wrapped>(_ value: Any?, as type: Wrapped.Type) -> Wrapped? {
    if let value, let typed = value as? Wrapped { return typed }
    let isNil = value.map { ($0 as? any OptionalValue).map { $0.wrappedValue == nil } ?? false } ?? true
    guard isNil else { return nil }
    return (type as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ()) as? Wrapped
}
