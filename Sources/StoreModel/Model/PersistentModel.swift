import Observation
import Synchronization

/// A class whose instances are rows of a store. `@Model` writes the conformance.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
    /// Makes the model that reads from these values. No other initialiser of the class runs.
    init(backingData: any BackingData<Self>)
    /// Where the model's values are. Setting it makes the model read from there from then on.
    var persistentBackingData: any BackingData<Self> { get set }
    /// What the schema is built from: the persisted properties in the order of their declaration, those of the parent first, then what
    /// `#Index` and `#Unique` list.
    static var schemaMetadata: [Schema.PropertyMetadata] { get }
    /// The class at the root of its inheritance; itself where it inherits from no model.
    associatedtype Root: PersistentModel = Self

    /// The class of its rows, written by `@Model`; nil for a conformance that is written by hand.
    static var _$rowType: ModelRow.Type? { get }
    /// The persisted properties as they are reached through an optional, in the order of `schemaMetadata`, written by `@Model`.
    static var _$optionalKeyPaths: [AnyKeyPath] { get }
    /// Its row; nil while its backing data is not ours.
    var _$modelRow: ModelRow? { get }
}

extension PersistentModel {
    public var _$modelRow: ModelRow? { persistentBackingData._row }
    public static var _$rowType: ModelRow.Type? { nil }
    public static var _$optionalKeyPaths: [AnyKeyPath] { [] }

    /// Makes the values of a model that does not exist yet.
    public static func createBackingData<P>() -> some BackingData<P> where P: PersistentModel {
        ModelBackingData<P>(for: P.self)
    }

    /// The value of an attribute.
    public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value where Value: Decodable {
        persistentBackingData.getValue(forKey: key)
    }
    /// The target of a required relationship.
    public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value where Value: PersistentModel {
        persistentBackingData.getValue(forKey: key)
    }
    /// The target of an optional relationship; nil for none.
    public func getValue<Value>(forKey key: KeyPath<Self, Value?>) -> Value? where Value: PersistentModel {
        persistentBackingData.getValue(forKey: key)
    }
    /// The targets of a to-many relationship.
    public func getValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>) -> Value
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement { persistentBackingData.getValue(forKey: key) }
    /// The targets of a to-many relationship whose type is `Decodable` too.
    public func getValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>) -> Value
    where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        persistentBackingData.getValue(forKey: key)
    }
    /// The value of an attribute with `.transformable`.
    public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>) -> Value {
        persistentBackingData.getTransformableValue(forKey: key)
    }
    /// Sets an attribute.
    public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) where Value: Encodable {
        persistentBackingData.setValue(forKey: key, to: newValue)
    }
    /// Sets the target of a required relationship.
    public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) where Value: PersistentModel {
        persistentBackingData.setValue(forKey: key, to: newValue)
    }
    /// Sets the target of an optional relationship; nil for none.
    public func setValue<Value>(forKey key: KeyPath<Self, Value?>, to newValue: Value?) where Value: PersistentModel {
        persistentBackingData.setValue(forKey: key, to: newValue)
    }
    /// Sets all targets of a to-many relationship.
    public func setValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>, to newValue: Value)
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        persistentBackingData.setValue(forKey: key, to: newValue)
    }
    /// Sets all targets of a to-many relationship whose type is `Encodable` too.
    public func setValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>, to newValue: Value)
    where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        persistentBackingData.setValue(forKey: key, to: newValue)
    }
    /// Sets an attribute with `.transformable`.
    public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
        persistentBackingData.setTransformableValue(forKey: key, to: newValue)
    }
}

extension PersistentModel {
    /// The context that the model is in; nil before it is inserted, after its deletion is saved, and once the context is gone.
    public var modelContext: ModelContext? { _$modelRow?.core?.context }

    /// Names the row in its store, for good; temporary until the model is saved.
    public var persistentModelID: PersistentIdentifier {
        _$modelRow?.identifier(entityName: Schema.entityName(for: type(of: self))) ?? persistentBackingData.persistentModelID
            ?? PersistentIdentifier(entityName: Schema.entityName(for: type(of: self)), storeIdentifier: nil, row: -1)
    }

    public static func == (left: Self, right: Self) -> Bool {
        if left === right { return true }
        guard left._rowID == right._rowID else { return false }
        return left.persistentModelID == right.persistentModelID
    }

    /// By the row's number, which changes once: at the first save.
    public func hash(into hasher: inout Hasher) { hasher.combine(_rowID) }

    /// The model's identifier, unless it declares an `id` of its own.
    public var id: PersistentIdentifier { persistentModelID }

    /// Whether it has changes, an insertion or a deletion that are not saved.
    public var hasChanges: Bool {
        switch _$modelRow?.state {
        case .inserted, .changed, .deleted: true
        default: false
        }
    }

    /// Whether its deletion is waiting for the next save.
    public var isDeleted: Bool { _$modelRow?.state == .deleted }

    /// What `schemaMetadata` says of properties, without what it says of indexes and constraints: one for each slot, in their order.
    static var propertyMetadata: [Schema.PropertyMetadata] { schemaMetadata.filter { !($0.metadata is any PropertyGroups) } }

    /// Its row's number: negative before the first save.
    public var _rowID: Int64 { _$modelRow?.assuredID ?? 0 }
}

extension ModelRow {
    /// The number of the row; a model that has none yet gets a temporary one.
    final var assuredID: Int64 {
        if id == 0 { id = TemporaryNumber.next() }
        return id
    }

    /// The identifier of its model.
    final func identifier(entityName: @autoclosure () -> String) -> PersistentIdentifier {
        guard let table, let core else { return PersistentIdentifier(entityName: entityName(), storeIdentifier: nil, row: assuredID) }
        return core.identifier(assuredID, of: table.entity)
    }
}

private enum TemporaryNumber {
    private static let counter = Atomic<Int64>(0)

    /// A negative number that no other model of this process has.
    static func next() -> Int64 { counter.subtract(1, ordering: .relaxed).newValue }
}
