/// A collection that a to-many relationship can be declared as: an array of models, or an optional one.
public protocol RelationshipCollection {
    /// The class of the models.
    associatedtype PersistentElement: PersistentModel
    /// The elements; none for nil.
    var _models: [any PersistentModel] { get }
    /// The models as such a collection, in their order; those of another class are left out.
    static func _collection(_ models: [any PersistentModel]) -> Self
}

extension RelationshipCollection {
    public var _models: [any PersistentModel] {
        guard let sequence = self as? any Sequence else { return [] }
        return sequence._persistentModels
    }

    public static func _collection(_ models: [any PersistentModel]) -> Self {
        if let collection = models.compactMap({ $0 as? PersistentElement }) as? Self { return collection }
        // An error in the program: the type of the property.
        fatalError("\(Self.self) cannot be made from an array: declare the to-many relationship as [\(PersistentElement.self)]")
    }
}

extension Sequence {
    fileprivate var _persistentModels: [any PersistentModel] { compactMap { $0 as? any PersistentModel } }
}

extension Array: RelationshipCollection where Element: PersistentModel {
    public typealias PersistentElement = Element
    public var _models: [any PersistentModel] { self }
    public static func _collection(_ models: [any PersistentModel]) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(models.count)
        for model in models {
            if let element = model as? Element { elements.append(element) }
        }
        return elements
    }
}

extension Optional: RelationshipCollection where Wrapped: Sequence, Wrapped.Element: PersistentModel {
    public typealias PersistentElement = Wrapped.Element
    public var _models: [any PersistentModel] {
        guard let self else { return [] }
        return Array(self)
    }
}
