import Foundation

extension Schema {
    /// A property that holds a value.
    public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
        // Unchecked: changed only while a schema is built, by the one who builds it; read from then on.
        /// The property's name, which is also the column's.
        public var name: String
        /// What the version before calls it; its own name where nothing else was said.
        public var originalName: String
        /// What was asked of it beside its type.
        public var options: [Option]
        /// The Swift type, an optional one where the value may be nil; `Any` where a decoded schema names a type that is not known.
        public var valueType: any Any.Type
        /// The declared default; nil where there is none, and in a decoded schema.
        public var defaultValue: Any?
        /// Whether the value may be nil.
        public var isOptional: Bool
        /// A text that makes another version of the same property.
        public var hashModifier: String?

        /// What `@Attribute` says; name and type come from the property.
        public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
            name = ""
            self.originalName = originalName ?? ""
            self.options = options
            valueType = Any.self
            isOptional = false
            self.hashModifier = hashModifier
        }

        /// An attribute as a whole.
        public init(
            name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type, defaultValue: Any? = nil,
            hashModifier: String? = nil
        ) {
            self.name = name
            self.originalName = originalName ?? name
            self.options = options
            self.valueType = valueType
            self.defaultValue = defaultValue
            isOptional = valueType is any OptionalValue.Type
            self.hashModifier = hashModifier
        }

        private enum CodingKeys: CodingKey { case name, originalName, options, valueType, isOptional, hashModifier }

        public required init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            name = try values.decode(String.self, forKey: .name)
            originalName = try values.decode(String.self, forKey: .originalName)
            options = try values.decode([Option].self, forKey: .options)
            valueType = TypeNames.type(named: try values.decode(String.self, forKey: .valueType))
            isOptional = try values.decode(Bool.self, forKey: .isOptional)
            hashModifier = try values.decodeIfPresent(String.self, forKey: .hashModifier)
        }

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(name, forKey: .name)
            try values.encode(originalName, forKey: .originalName)
            try values.encode(options, forKey: .options)
            try values.encode("\(valueType)", forKey: .valueType)
            try values.encode(isOptional, forKey: .isOptional)
            try values.encodeIfPresent(hashModifier, forKey: .hashModifier)
        }

        public static func == (left: Attribute, right: Attribute) -> Bool {
            left === right
                || (left.name == right.name && left.originalName == right.originalName && left.options == right.options
                    && "\(left.valueType)" == "\(right.valueType)" && left.isOptional == right.isOptional
                    && left.hashModifier == right.hashModifier
                    && (left as? CompositeAttribute)?.properties == (right as? CompositeAttribute)?.properties)
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(originalName)
        }

        /// True.
        public var isAttribute: Bool { true }
        /// False.
        public var isRelationship: Bool { false }
        /// Whether the value is never stored.
        public var isTransient: Bool { options.contains(.ephemeral) }
        /// Whether no two rows have the same value.
        public var isUnique: Bool { options.contains(.unique) }
        /// Whether a transformer makes bytes of the value.
        public var isTransformable: Bool { options.contains { $0.kind == .transformable } }
        /// Whether the value is one text that predicates do not look into.
        public var isCodable: Bool { options.contains(.codable) }
        public var debugDescription: String { "\(name): \(valueType)" }

        /// What is asked of an attribute beside its type.
        public struct Option: Codable, Hashable, Sendable, CustomDebugStringConvertible {
            enum Kind: String, Codable, Hashable, Sendable {
                case unique, transformable, externalStorage, allowsCloudEncryption, preserveValueOnDeletion, ephemeral, spotlight
                case codable, indexed
            }

            let kind: Kind
            var transformerName: String?

            /// At most one row has a value; an insertion of the same value updates that row.
            public static var unique: Option { Option(kind: .unique) }
            /// `Data` in a side table of the store, loaded on the first read.
            public static var externalStorage: Option { Option(kind: .externalStorage) }
            /// Accepted and without effect: there is no cloud here.
            public static var allowsCloudEncryption: Option { Option(kind: .allowsCloudEncryption) }
            /// The value stays in the history when its model is deleted.
            public static var preserveValueOnDeletion: Option { Option(kind: .preserveValueOnDeletion) }
            /// Never stored: changes are tracked, and a model from the store has the declared default.
            public static var ephemeral: Option { Option(kind: .ephemeral) }
            /// Accepted and without effect: there is no Spotlight here.
            public static var spotlight: Option { Option(kind: .spotlight) }
            /// Kept as one JSON text: not usable in predicates, sorts and indexes, and its type may change its shape without a migration.
            public static var codable: Option { Option(kind: .codable) }
            /// An index of this attribute alone; SwiftData itself has only `#Index`.
            public static var indexed: Option { Option(kind: .indexed) }

            /// Kept as the bytes that a transformer makes of it; the class needs an initialiser without arguments.
            public static func transformable(by transformerType: ValueTransformer.Type) -> Option {
                Option(kind: .transformable, transformerName: "\(transformerType)")
            }
            /// By the transformer that is registered under this name.
            public static func transformable(by transformerName: String) -> Option {
                Option(kind: .transformable, transformerName: transformerName)
            }

            public var debugDescription: String { transformerName.map { "\(kind.rawValue)(by: \($0))" } ?? kind.rawValue }
        }
    }
}

/// Types by the names that an encoded schema has for them.
enum TypeNames {
    private static let known: [String: any Any.Type] = {
        let types: [any Any.Type] = [
            String.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
            UInt64.self, Bool.self, Double.self, Float.self, Date.self, Data.self, UUID.self, URL.self, Decimal.self,
            String?.self, Int?.self, Int16?.self, Int32?.self, Int64?.self, Bool?.self, Double?.self, Float?.self, Date?.self,
            Data?.self, UUID?.self, URL?.self, Decimal?.self,
        ]
        return Dictionary(types.map { ("\($0)", $0) }, uniquingKeysWith: { first, _ in first })
    }()

    /// The type of that name; `Any` for one that is not a value with a format of its own.
    static func type(named name: String) -> any Any.Type { known[name] ?? Any.self }
}
