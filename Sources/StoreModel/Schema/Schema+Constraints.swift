extension Schema {
    /// Indexes of a model, as `#Index` lists them.
    public final class Index<T>: SchemaProperty, CustomDebugStringConvertible, Hashable, Codable where T: PersistentModel {
        /// What kind of index.
        public enum Types<P> where P: PersistentModel {
            /// An ordinary index over these properties, in their order.
            case binary([PartialKeyPath<P>])
            /// SwiftData's index of regions; here an ordinary one.
            case rtree([PartialKeyPath<P>])
        }

        /// Always `Index`.
        public var name = "Index"
        /// Not used.
        public var originalName = "Index"
        /// Not used: indexes have no value.
        public var valueType: any Any.Type = Any.self
        /// False: an index constrains nothing.
        public var isUnique: Bool { false }
        /// One entry for each index.
        public let indices: [Types<T>]

        /// Indexes, each of a kind.
        public init(_ indices: Types<T>...) { self.indices = indices }
        /// Ordinary indexes, one for each list.
        public init(_ binaryIndices: [PartialKeyPath<T>]...) { indices = binaryIndices.map(Types.binary) }

        public static func == (left: Index<T>, right: Index<T>) -> Bool { left.names == right.names }
        public func hash(into hasher: inout Hasher) { hasher.combine(names) }
        public var debugDescription: String { "index on \(T.self): \(names)" }

        /// Coded as the names of the properties.
        public enum CodingKeys: CodingKey { case indices }

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(names, forKey: .indices)
        }

        /// Reads the names of properties; those that the model does not have are left out, and every index is an ordinary one.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            indices = try values.decode([[String]].self, forKey: .indices).map { .binary(KeyPathNames.keyPaths(T.self, $0)) }
        }

        /// The names of the properties of each index.
        var names: [[String]] {
            indices.map { index in
                switch index {
                case .binary(let keyPaths), .rtree(let keyPaths): KeyPathNames.names(T.self, keyPaths)
                }
            }
        }
    }

    /// Constraints of a model, as `#Unique` lists them: no two rows have the same values in all properties of one.
    public final class Unique<T>: SchemaProperty, CustomDebugStringConvertible, Hashable, Codable where T: PersistentModel {
        /// Always `Unique`.
        public var name = "Unique"
        /// Not used.
        public var originalName = "Unique"
        /// Not used: constraints have no value.
        public var valueType: any Any.Type = Any.self
        /// True.
        public var isUnique: Bool { true }
        /// One entry for each constraint.
        public let constraints: [[PartialKeyPath<T>]]

        /// Constraints, one for each list.
        public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

        public static func == (left: Unique<T>, right: Unique<T>) -> Bool { left.names == right.names }
        public func hash(into hasher: inout Hasher) { hasher.combine(names) }
        public var debugDescription: String { "unique on \(T.self): \(names)" }

        /// Coded as the names of the properties.
        public enum CodingKeys: CodingKey { case constraints }

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(names, forKey: .constraints)
        }

        /// Reads the names of properties; those that the model does not have are left out.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            constraints = try values.decode([[String]].self, forKey: .constraints).map { KeyPathNames.keyPaths(T.self, $0) }
        }

        /// The names of the properties of each constraint.
        var names: [[String]] { constraints.map { KeyPathNames.names(T.self, $0) } }
    }
}

/// What the schema reads from `#Index` and `#Unique` without their generic type.
protocol PropertyGroups {
    var names: [[String]] { get }
    var isUnique: Bool { get }
}

extension Schema.Index: PropertyGroups {}
extension Schema.Unique: PropertyGroups {}

/// Names of properties for their key paths, and back.
enum KeyPathNames {
    /// A key path that is no persisted property has the name that Swift prints for it, which no property has.
    static func names<T: PersistentModel>(_ type: T.Type, _ keyPaths: [PartialKeyPath<T>]) -> [String] {
        let metadata = type.schemaMetadata
        return keyPaths.map { keyPath in metadata.first { $0.keypath == keyPath }?.name ?? "\(keyPath)" }
    }

    static func keyPaths<T: PersistentModel>(_ type: T.Type, _ names: [String]) -> [PartialKeyPath<T>] {
        let metadata = type.schemaMetadata
        return names.compactMap { name in metadata.first { $0.name == name }?.keypath as? PartialKeyPath<T> }
    }
}
