extension Schema {
    /// One model of a schema: a table, or a part of its superentity's.
    public final class Entity: Codable, Hashable, CustomDebugStringConvertible, @unchecked Sendable {
        // Unchecked: changed only while a schema is built, by the one who builds it; read from then on.
        public var name: String
        public var subentities: Set<Entity> = []
        public var superentityName: String?
        public var superentity: Entity?
        public var storedProperties: [any SchemaProperty] = []
        public var inheritedProperties: [any SchemaProperty] = []
        public var uniquenessConstraints: [[String]] = []
        public var indices: [[String]] = []

        public init(_ name: String) { self.name = name }

        public convenience init(_ name: String, subentities: Entity..., properties: any SchemaProperty...) {
            self.init(name)
            self.subentities = Set(subentities)
            storedProperties = properties
            for entity in subentities {
                entity.superentity = self
                entity.superentityName = name
            }
        }

        public convenience init(_ name: String, properties: any SchemaProperty...) {
            self.init(name)
            storedProperties = properties
        }

        public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }

        public var attributes: Set<Attribute> {
            get { Set(storedProperties.compactMap { $0 as? Attribute }) }
            set { replace({ $0 is Attribute }, with: newValue.sorted { $0.name < $1.name }) }
        }

        public var relationships: Set<Relationship> {
            get { Set(storedProperties.compactMap { $0 as? Relationship }) }
            set { replace({ $0 is Relationship }, with: newValue.sorted { $0.name < $1.name }) }
        }

        public var attributesByName: [String: Attribute] {
            get { Dictionary(attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
            set { attributes = Set(newValue.values) }
        }

        public var relationshipsByName: [String: Relationship] {
            get { Dictionary(relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
            set { relationships = Set(newValue.values) }
        }

        public var storedPropertiesByName: [String: any SchemaProperty] {
            get { Dictionary(storedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
            set { storedProperties = newValue.sorted { $0.key < $1.key }.map(\.value) }
        }

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
