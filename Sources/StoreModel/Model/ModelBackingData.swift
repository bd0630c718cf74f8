/// A row in somebody's hands: forwards to it, and holds the model that belongs to it.
struct ModelBackingData<Model: PersistentModel>: BackingData {
    var backing: any BackingData<Model>
    let model: Model?

    init(_ backing: any BackingData<Model>, model: Model?) {
        self.backing = backing
        self.model = model
    }

    init(for modelType: Model.Type) {
        guard let backing = Self.make(modelType) else {
            // An error in the program: a class that was written to conform by hand asks for storage that only the macro writes.
            fatalError("\(modelType) is not expanded by @Model: it makes its backing data itself")
        }
        self.init(backing, model: nil)
    }

    /// A subclass's row is the backing data of the class at the root: that is what the subclass's initialiser takes, though it is asked as the
    /// subclass's own. The compiler does the same where generic code asks for `any BackingData<Self>`.
    private static func make(_ type: Model.Type) -> (any BackingData<Model>)? {
        let row = type._$rowType?.init()
        if let backing = row as? any BackingData<Model> { return backing }
        guard let row, let backing = row as? any BackingData else { return nil }
        // Cast as a box, not as what is in it.
        return unsafeBitCast(backing as any BackingData, to: (any BackingData<Model>).self)
    }

    var _row: ModelRow? { backing._row }
    var persistentModelID: PersistentIdentifier? {
        get { backing.persistentModelID }
        set { backing.persistentModelID = newValue }
    }
    var metadata: Any { backing.metadata }

    func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: Decodable { backing.getValue(forKey: key) }
    func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: PersistentModel { backing.getValue(forKey: key) }
    func getValue<Value>(forKey key: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel { backing.getValue(forKey: key) }
    func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement { backing.getValue(forKey: key) }
    func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement { backing.getValue(forKey: key) }
    func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value { backing.getTransformableValue(forKey: key) }
    func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable {
        backing.setValue(forKey: key, to: newValue)
    }
    func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel {
        backing.setValue(forKey: key, to: newValue)
    }
    func setValue<Value>(forKey key: KeyPath<Model, Value?>, to newValue: Value?) where Value: PersistentModel {
        backing.setValue(forKey: key, to: newValue)
    }
    func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement { backing.setValue(forKey: key, to: newValue) }
    func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
        backing.setValue(forKey: key, to: newValue)
    }
    func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
        backing.setTransformableValue(forKey: key, to: newValue)
    }
}
