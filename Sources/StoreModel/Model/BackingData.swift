import StoreSQLite

import Observation

/// Where a model's values are.
///
/// A model that `@Model` expands keeps them in its row. Another implementation works too: accessors then go through
/// `getValue` and `setValue`.
public protocol BackingData<Model> {
    /// The class of the models whose values these are.
    associatedtype Model: PersistentModel
    /// The values of a model that does not exist yet, all unset.
    init(for modelType: Self.Model.Type)
    /// Names the model; temporary, or nil, until it is saved. Rows of ours ignore a new value.
    var persistentModelID: PersistentIdentifier? { get set }
    /// Whatever the implementation keeps beside the values; the row itself for those of ours.
    var metadata: Any { get }
    /// The value of an attribute. Called where a model does not have its own row.
    func getValue<Value>(forKey: KeyPath<Self.Model, Value>) -> Value where Value: Decodable
    /// The target of a required relationship.
    func getValue<Value>(forKey: KeyPath<Self.Model, Value>) -> Value where Value: PersistentModel
    /// The target of an optional relationship; nil for none.
    func getValue<Value>(forKey: KeyPath<Self.Model, Value?>) -> Value? where Value: PersistentModel
    /// The targets of a to-many relationship.
    func getValue<Value, OtherModel>(forKey: KeyPath<Self.Model, Value>) -> Value
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement
    /// The targets of a to-many relationship whose type is `Decodable` too.
    func getValue<Value, OtherModel>(forKey: KeyPath<Self.Model, Value>) -> Value
    where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement
    /// The value of an attribute with `.transformable`, turned back.
    func getTransformableValue<Value>(forKey: KeyPath<Self.Model, Value>) -> Value
    /// Sets an attribute.
    func setValue<Value>(forKey: KeyPath<Self.Model, Value>, to newValue: Value) where Value: Encodable
    /// Sets the target of a required relationship.
    func setValue<Value>(forKey: KeyPath<Self.Model, Value>, to newValue: Value) where Value: PersistentModel
    /// Sets the target of an optional relationship; nil for none.
    func setValue<Value>(forKey: KeyPath<Self.Model, Value?>, to newValue: Value?) where Value: PersistentModel
    /// Sets all targets of a to-many relationship.
    func setValue<Value, OtherModel>(forKey: KeyPath<Self.Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement
    /// Sets all targets of a to-many relationship whose type is `Encodable` too.
    func setValue<Value, OtherModel>(forKey: KeyPath<Self.Model, Value>, to newValue: Value)
    where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement
    /// Sets an attribute with `.transformable`.
    func setTransformableValue<Value>(forKey: KeyPath<Self.Model, Value>, to newValue: Value)

    /// The typed row; nil for an implementation that is not ours.
    var _row: ModelRow? { get }
    /// Whether it is the row itself.
    var _isRow: Bool { get }
}

extension BackingData {
    /// Nil: whoever implements this by hand has no row.
    public var _row: ModelRow? { nil }
    /// False.
    public var _isRow: Bool { false }
}

extension BackingData where Self: ModelRow {
    /// Itself.
    @inlinable
    public var _row: ModelRow? { self }
    /// True.
    @inlinable
    public var _isRow: Bool { true }

    public var persistentModelID: PersistentIdentifier? {
        get { identifier(entityName: Schema.entityName(for: Model.self)) }
        set {}
    }
    public var metadata: Any { self }

    public func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: Decodable { read(key) }
    public func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: PersistentModel { read(key) }
    public func getValue<Value>(forKey key: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel { read(key) }
    public func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement { read(key) }
    public func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement { read(key) }
    public func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value { read(key) }
    public func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable { write(newValue, key) }
    public func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel {
        write(newValue, key)
    }
    public func setValue<Value>(forKey key: KeyPath<Model, Value?>, to newValue: Value?) where Value: PersistentModel {
        write(newValue, key)
    }
    public func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement { write(newValue, key) }
    public func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement { write(newValue, key) }
    public func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) { write(newValue, key) }

    /// By the key path of the row's own class, else by that of the class that declares the property.
    private func index(of key: AnyKeyPath) -> Int? {
        func index(_ type: any PersistentModel.Type) -> Int? { type.propertyMetadata.firstIndex { $0.keypath == key } }
        var type = _modelType ?? Model.self
        while true {
            if let index = index(type) { return index }
            guard let parent = SchemaBuilder.parent(of: type) else { return nil }
            type = parent
        }
    }

    private func read<Value>(_ key: KeyPath<Model, Value>) -> Value {
        guard let index = index(of: key) else { return _substitute(at: 0) }
        fill(index)
        if let stored = undecodable(at: index) {
            reportUndecodable(stored, at: index)
            return _substitute(at: index, for: stored.text)
        }
        var reader = ReadTyped<Value>(row: self, index: index)
        _visit(index, &reader)
        return reader.finish() ?? _substitute(at: index)
    }

    private func write<Value>(_ value: Value, _ key: KeyPath<Model, Value>) {
        guard let index = index(of: key) else { return }
        _willChange(index)
        var writer = WriteTyped(value: value)
        _visit(index, &writer)
        if let change = writer.toOne { _didChange(index, change, of: model) }
        if let change = writer.toMany { _didChange(index, change, of: model) }
    }
}

/// Reads a slot whose value has the type that a key path says.
private struct ReadTyped<Value>: SlotVisitor {
    let row: ModelRow
    let index: Int
    var value: Value?
    var reference: ToOneReference?
    var references: ToManyReferences?
    var isToMany = false
    var isExternal = false

    init(row: ModelRow, index: Int) {
        self.row = row
        self.index = index
    }

    mutating func visit<S: Slot>(_ slot: inout S) {
        switch slot.shape {
        case .attribute, .ephemeral: value = slot.anyValue as? Value
        case .external:
            isExternal = true
            value = slot.anyValue as? Value
        case .toOne: reference = slot.toOne
        case .toMany:
            isToMany = true
            references = slot.toMany
        }
    }

    /// Resolves a relationship after the slot has been left.
    func finish() -> Value? {
        if isToMany {
            return (Value.self as? any RelationshipCollection.Type)?._collection(row._relatedModels(references, at: index)) as? Value
        }
        if isExternal, value == nil, let type = Value.self as? any ExternalValue.Type {
            return type._external(row.externalData(at: index)) as? Value
        }
        guard let reference else { return value }
        if let model = reference.model as? Value { return model }
        guard reference.id != 0 else { return nil }
        return row._related(reference.id, at: index) as? Value
    }
}

/// Writes a slot from a value whose type a key path says.
private struct WriteTyped<Value>: SlotVisitor {
    let value: Value
    var toOne: ToOneChange?
    var toMany: ToManyChange?

    mutating func visit<S: Slot>(_ slot: inout S) {
        switch slot.shape {
        case .attribute, .external, .ephemeral: _ = slot.setAny(value)
        case .toOne:
            let model = value as? any PersistentModel
            toOne = ToOneChange(old: slot.toOne ?? .none, new: model)
            slot.toOne = ToOneReference(id: 0, model: model)
        case .toMany:
            toMany = ToManyChange(value: (value as? any RelationshipCollection)?._models ?? [])
        }
    }
}

// MARK: What the expansion of @Model calls

/// The row for a new model: the one that is waiting for its model on this thread, else a new one.
public func _backing<Row: ModelRow & BackingData>(_ type: Row.Type) -> any BackingData<Row.Model> {
    PendingRow.take(type) ?? Row()
}

/// The typed row behind a model; nil where its backing data is not ours.
@inlinable
public func _row<Model, Row: ModelRow>(_ backing: any BackingData<Model>, as type: Row.Type) -> Row? {
    guard let row = backing._row else { return nil }
    // A model of a subclass has a row of a subclass.
    return Swift.type(of: row) == type ? unsafeDowncast(row, to: type) : row as? Row
}

/// The row itself, where somebody hands in what a model gave out.
public func _bare<Model: PersistentModel>(_ backing: any BackingData<Model>) -> any BackingData<Model> {
    backing._isRow ? backing : (backing as? ModelBackingData<Model>)?.backing ?? backing
}

/// What a model hands out as its backing data: it keeps the model alive for as long as somebody holds the row.
public func _handle<Model: PersistentModel>(_ backing: any BackingData<Model>, of model: Model) -> any BackingData<Model> {
    guard let row = backing._row else { return backing }
    if row.model == nil { row.model = model }
    return ModelBackingData(backing, model: model)
}

/// Makes a model read from the backing data that it is given.
public func _attach<Model: PersistentModel>(_ backing: any BackingData<Model>, to model: Model) -> any BackingData<Model> {
    guard let row = backing._row else { return backing }
    // A second model over the same row keeps the handle, and with it the first model, alive.
    guard row.model == nil else { return backing }
    row.model = model
    return backing._isRow ? backing : _bare(backing)
}

/// The registrar of a model's observers.
public func _registrar<Model>(_ backing: any BackingData<Model>) -> ObservationRegistrar {
    backing._row?.observationRegistrar ?? ForeignBacking.registrar
}

/// The registrar of a model's observers, by its row.
public func _registrar(_ row: ModelRow?) -> ObservationRegistrar { row?.observationRegistrar ?? ForeignBacking.registrar }

private enum ForeignBacking {
    /// Shared by all models whose backing data is not ours: an observer of one may be told of another's change.
    static let registrar = ObservationRegistrar()
}
