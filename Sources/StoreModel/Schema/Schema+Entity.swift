extension Schema {
    /// One model of a schema: a table, or a part of its superentity's.
    public final class Entity: Codable, Hashable, CustomDebugStringConvertible, @unchecked Sendable {
        // Unchecked: changed only while a schema is built, by the one who builds it; read from then on.
        /// The model's name, without what it is nested in; also its table's, unless it inherits from another.
        public var name: String
        /// The models that inherit from it directly.
        public var subentities: Set<Entity> = []
        /// The name of the model that it inherits from.
        public var superentityName: String?
        /// The model that it inherits from.
        public var superentity: Entity?
        /// What the class declares itself, in the order of declaration.
        public var storedProperties: [any SchemaProperty] = []
        /// What it inherits, the first class's first.
        public var inheritedProperties: [any SchemaProperty] = []
        /// The names of the properties of each constraint that the class declares.
        public var uniquenessConstraints: [[String]] = []
        /// The names of the properties of each index that the class declares.
        public var indices: [[String]] = []

        /// An entity without properties.
        public init(_ name: String) { self.name = name }

        /// An entity with others below it.
        public convenience init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
            self.init(name)
            self.subentities = Set(subentities)
            storedProperties = properties
            for entity in subentities {
                entity.superentity = self
                entity.superentityName = name
            }
        }

        /// An entity that inherits from none.
        public convenience init(_ name: String, properties: any SchemaProperty...) {
            self.init(name)
            storedProperties = properties
        }

        /// Inherited ones first.
        public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }

        /// The attributes that the class declares itself.
        public var attributes: Set<Attribute> {
            get { Set(storedProperties.compactMap { $0 as? Attribute }) }
            set { replace({ $0 is Attribute }, with: newValue.sorted { $0.name < $1.name }) }
        }

        /// The relationships that the class declares itself.
        public var relationships: Set<Relationship> {
            get { Set(storedProperties.compactMap { $0 as? Relationship }) }
            set { replace({ $0 is Relationship }, with: newValue.sorted { $0.name < $1.name }) }
        }

        /// The same by their names.
        public var attributesByName: [String: Attribute] {
            get { Dictionary(attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
            set { attributes = Set(newValue.values) }
        }

        /// The same by their names.
        public var relationshipsByName: [String: Relationship] {
            get { Dictionary(relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
            set { relationships = Set(newValue.values) }
        }

        /// What the class declares itself by name; properties that are set stand in the order of their names.
        public var storedPropertiesByName: [String: any SchemaProperty] {
            get { Dictionary(storedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
            set { storedProperties = newValue.sorted { $0.key < $1.key }.map(\.value) }
        }

        /// What it inherits by name; properties that are set stand in the order of their names.
        public var inheritedPropertiesByName: [String: any SchemaProperty] {
            get { Dictionary(inheritedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
            set { inheritedProperties = newValue.sorted { $0.key < $1.key }.map(\.value) }
        }

        private func replace(_ isReplaced: (any SchemaProperty) -> Bool, with properties: [any SchemaProperty]) {
            storedProperties = storedProperties.filter { !isReplaced($0) } + properties
        }

        private enum CodingKeys: CodingKey { case name, superentityName, attributes, relationships, uniquenessConstraints, indices }

        public convenience init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(try values.decode(String.self, forKey: .name))
            superentityName = try values.decodeIfPresent(String.self, forKey: .superentityName)
            storedProperties = try values.decode([CodedAttribute].self, forKey: .attributes).map(\.attribute)
            storedProperties += try values.decode([Relationship].self, forKey: .relationships)
            uniquenessConstraints = try values.decode([[String]].self, forKey: .uniquenessConstraints)
            indices = try values.decode([[String]].self, forKey: .indices)
        }

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(name, forKey: .name)
            try values.encodeIfPresent(superentityName, forKey: .superentityName)
            try values.encode(storedProperties.compactMap { $0 as? Attribute }, forKey: .attributes)
            try values.encode(storedProperties.compactMap { $0 as? Relationship }, forKey: .relationships)
            try values.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
            try values.encode(indices, forKey: .indices)
        }

        public static func == (left: Entity, right: Entity) -> Bool {
            left === right
                || (left.name == right.name && left.superentityName == right.superentityName && left.attributes == right.attributes
                    && left.relationships == right.relationships && left.uniquenessConstraints == right.uniquenessConstraints
                    && left.indices == right.indices)
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        public var debugDescription: String { "\(name)(\(storedProperties.map(\.name).joined(separator: ", ")))" }
    }
}
