extension Schema {
    /// An attribute that consists of others: a `Codable` struct.
    ///
    /// A schema that is made from models has one for each such attribute, but for those with `.codable` or `.transformable`. Its parts are the struct's
    /// stored properties, by their Swift names, and are reached in predicates and sorts by key path. In the store the struct is one JSON text in one column.
    // Unchecked: changed only while a schema is built, by the one who builds it; read from then on.
    public final class CompositeAttribute: Attribute, @unchecked Sendable {
        /// The stored properties of the struct in the order of their declaration; those that are such structs are composite too.
        public var properties: [Attribute] = []

        /// An attribute without parts yet.
        override public init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type, defaultValue: Any? = nil,
            hashModifier: String? = nil
        ) {
            super.init(
                name: name, originalName: originalName, options: options, valueType: valueType, defaultValue: defaultValue,
                hashModifier: hashModifier)
        }

        enum CodingKeys: CodingKey { case properties }

        public required init(from decoder: any Decoder) throws {
            properties = try decoder.container(keyedBy: CodingKeys.self).decode([CodedAttribute].self, forKey: .properties).map(\.attribute)
            try super.init(from: decoder)
        }

        override public func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(properties, forKey: .properties)
        }

        public static func == (left: CompositeAttribute, right: CompositeAttribute) -> Bool { left as Attribute == right as Attribute }

        override public var debugDescription: String { "\(name): (\(properties.map(\.debugDescription).joined(separator: ", ")))" }
    }
}

/// An attribute out of an encoded schema, of the class that it was.
struct CodedAttribute: Decodable {
    let attribute: Schema.Attribute

    init(from decoder: any Decoder) throws {
        let isComposite = try decoder.container(keyedBy: Schema.CompositeAttribute.CodingKeys.self).contains(.properties)
        attribute = try isComposite ? Schema.CompositeAttribute(from: decoder) : Schema.Attribute(from: decoder)
    }
}
