extension Schema {
    /// A property that points to other models.
    public final class Relationship: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
        // Unchecked: changed only while a schema is built, by the one who builds it; read from then on.
        /// The property's name.
        public var name: String
        /// What the version before calls it; its own name where nothing else was said.
        public var originalName: String
        /// The property; nil in a decoded schema.
        public var keypath: AnyKeyPath?
        /// What was asked of it.
        public var options: [Option]
        /// The Swift type: a model, an optional one, or a list.
        public var valueType: any Any.Type
        /// The name of the entity that it points to.
        public var destination: String
        /// What the deletion of a model does to those that it points to.
        public var deleteRule: DeleteRule
        /// The name of the property that points back; nil where there is none.
        public var inverseName: String?
        /// The property that points back, as declared or as told; nil where there is none, and in a decoded schema.
        public var inverseKeyPath: AnyKeyPath?
        /// The fewest models, checked by each save; nil or 0 for no bound.
        public var minimumModelCount: Int?
        /// The most models; nil or 0 for no bound, 1 for a to-one.
        public var maximumModelCount: Int?
        /// A text that makes another version of the same property.
        public var hashModifier: String?
        var isToOne = true

        /// Whether it points to one model at most.
        public var isToOneRelationship: Bool { isToOne }

        /// What the deletion of a model does to the models that it points to.
        public enum DeleteRule: String, Codable, Sendable {
            /// Nothing: they keep pointing to a row that is gone.
            case noAction
            /// They stop pointing to it.
            case nullify
            /// They are deleted too.
            case cascade
            /// The save fails while there are any.
            case deny
        }

        /// What can be asked of a relationship.
        public struct Option: Codable, Hashable, CustomDebugStringConvertible, Sendable {
            let name: String
            /// At most one row points to a model.
            public static var unique: Option { Option(name: "unique") }
            public var debugDescription: String { name }
        }

        /// What `@Relationship` says; name and type come from the property.
        public init(
            _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0, maximumModelCount: Int? = 0,
            originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
        ) {
            name = ""
            self.originalName = originalName ?? ""
            self.options = options
            valueType = Any.self
            destination = ""
            self.deleteRule = deleteRule
            inverseKeyPath = inverse
            self.minimumModelCount = minimumModelCount
            self.maximumModelCount = maximumModelCount
            self.hashModifier = hashModifier
        }

        /// As above, as programs write it that were not compiled against SwiftData.
        public convenience init(
            _ options: Option..., deleteRule: DeleteRule = .nullify, minimum: Int?, maximum: Int? = 0, originalName: String? = nil,
            inverse: AnyKeyPath? = nil, hashModifier: String? = nil
        ) {
            self.init(
                deleteRule: deleteRule, minimumModelCount: minimum, maximumModelCount: maximum, originalName: originalName,
                inverse: inverse,
                hashModifier: hashModifier)
            self.options = options
        }

        /// As above, with an upper bound alone.
        public convenience init(
            _ options: Option..., deleteRule: DeleteRule = .nullify, maximum: Int?, originalName: String? = nil,
            inverse: AnyKeyPath? = nil, hashModifier: String? = nil
        ) {
            self.init(
                deleteRule: deleteRule, maximumModelCount: maximum, originalName: originalName, inverse: inverse, hashModifier: hashModifier
            )
            self.options = options
        }

        private enum CodingKeys: CodingKey {
            case name, originalName, options, destination, deleteRule, inverseName, minimumModelCount, maximumModelCount, hashModifier
            case isToOne
        }

        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            name = try values.decode(String.self, forKey: .name)
            originalName = try values.decode(String.self, forKey: .originalName)
            options = try values.decode([Option].self, forKey: .options)
            valueType = Any.self
            destination = try values.decode(String.self, forKey: .destination)
            deleteRule = try values.decode(DeleteRule.self, forKey: .deleteRule)
            inverseName = try values.decodeIfPresent(String.self, forKey: .inverseName)
            minimumModelCount = try values.decodeIfPresent(Int.self, forKey: .minimumModelCount)
            maximumModelCount = try values.decodeIfPresent(Int.self, forKey: .maximumModelCount)
            hashModifier = try values.decodeIfPresent(String.self, forKey: .hashModifier)
            isToOne = try values.decode(Bool.self, forKey: .isToOne)
        }

        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(name, forKey: .name)
            try values.encode(originalName, forKey: .originalName)
            try values.encode(options, forKey: .options)
            try values.encode(destination, forKey: .destination)
            try values.encode(deleteRule, forKey: .deleteRule)
            try values.encodeIfPresent(inverseName, forKey: .inverseName)
            try values.encodeIfPresent(minimumModelCount, forKey: .minimumModelCount)
            try values.encodeIfPresent(maximumModelCount, forKey: .maximumModelCount)
            try values.encodeIfPresent(hashModifier, forKey: .hashModifier)
            try values.encode(isToOne, forKey: .isToOne)
        }

        /// Whether at most one row points to a model.
        public var isUnique: Bool { options.contains(.unique) }
        /// False.
        public var isAttribute: Bool { false }
        /// True.
        public var isRelationship: Bool { true }
        /// False.
        public var isTransient: Bool { false }

        public static func == (left: Relationship, right: Relationship) -> Bool {
            left === right
                || (left.name == right.name && left.originalName == right.originalName && left.options == right.options
                    && left.destination == right.destination && left.deleteRule == right.deleteRule
                    && left.inverseName == right.inverseName && left.isToOne == right.isToOne
                    && left.minimumModelCount == right.minimumModelCount && left.maximumModelCount == right.maximumModelCount
                    && left.hashModifier == right.hashModifier)
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(destination)
        }

        public var debugDescription: String { "\(name) -> \(isToOne ? destination : "[\(destination)]")" }
    }
}
