extension Schema {
    /// What `@Model` writes of one property. Read it by its labels with `Mirror`, as for SwiftData.
    public struct PropertyMetadata {
        let name: String
        let keypath: AnyKeyPath
        let defaultValue: Any?
        let metadata: (any SchemaProperty)?

        /// Called by what `@Model` expands to.
        ///
        /// - Parameters:
        ///   - defaultValue: the initial value in the declaration; nil where there is none.
        ///   - metadata: what `@Attribute` or `@Relationship` says, `#Index` or `#Unique`; nil for a property without any.
        public init(name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil) {
            self.name = name
            self.keypath = keypath
            self.defaultValue = defaultValue
            self.metadata = metadata
        }
    }
}

/// One property of an entity.
public protocol SchemaProperty: Decodable, Encodable, Hashable {
    /// The name of the property.
    var name: String { get set }
    /// What the version before calls it; its own name where nothing else was said.
    var originalName: String { get set }
    /// Its Swift type, an optional one where it may be nil.
    var valueType: any Any.Type { get set }
    /// Whether it holds a value.
    var isAttribute: Bool { get }
    /// Whether it leads to other models.
    var isRelationship: Bool { get }
    /// Whether it is left out of the store.
    var isTransient: Bool { get }
    /// Whether it may be nil.
    var isOptional: Bool { get }
    /// Whether no two rows may have the same value.
    var isUnique: Bool { get }
}

extension SchemaProperty {
    /// False, unless a kind of property says otherwise.
    public var isAttribute: Bool { false }
    /// False, unless a kind of property says otherwise.
    public var isRelationship: Bool { false }
    /// False, unless a kind of property says otherwise.
    public var isTransient: Bool { false }
    /// Whether the type is an optional one.
    public var isOptional: Bool { valueType is any OptionalValue.Type }
}
