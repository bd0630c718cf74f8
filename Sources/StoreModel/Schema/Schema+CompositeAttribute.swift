extension Schema {
    /// An attribute that consists of others.
    ///
    /// A schema that is made from models describes a `Codable` struct as one attribute; its parts are reached in predicates all the same.
    // Unchecked: changed only while a schema is built, by the one who builds it; read from then on.
    public final class CompositeAttribute: Attribute, @unchecked Sendable {
        public var properties: [Attribute] = []

        override public init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type, defaultValue: Any? = nil,
            hashModifier: String? = nil
        ) {
            super.init(
                name: name, originalName: originalName, options: options, valueType: valueType, defaultValue: defaultValue,
                hashModifier: hashModifier)
        }

        private enum CodingKeys: CodingKey { case properties }

        public required init(from decoder: any Decoder) throws {
            properties = try decoder.container(keyedBy: CodingKeys.self).decode([Attribute].self, forKey: .properties)
            try super.init(from: decoder)
        }

        override public func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(properties, forKey: .properties)
        }

        public static func == (left: CompositeAttribute, right: CompositeAttribute) -> Bool {
            left as Attribute == right as Attribute && left.properties == right.properties
        }

        override public var debugDescription: String { "\(name): (\(properties.map(\.debugDescription).joined(separator: ", ")))" }
    }
}
