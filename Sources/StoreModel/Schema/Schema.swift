import Foundation
import Synchronization

/// The entities of a store at one version, with all that they relate to.
public final class Schema: Codable, Hashable, Sendable {
    /// The version of the encoded form.
    public static let schemaEncodingVersion = Version(1, 0, 0)
    /// The form that it is encoded in.
    public let encodingVersion: Version
    /// The number of the schema. What it is, its fingerprint tells.
    public let version: Version
    /// The models, each after the one that it inherits from.
    public let entities: [Entity]
    /// The models by their names.
    public let entitiesByName: [String: Entity]
    /// The Swift types behind the entities, in the same order; none for a schema that was decoded or made from entities.
    let types: [any PersistentModel.Type]
    private let cachedMapping = Mutex<SchemaMapping?>(nil)

    init(entities: [Entity], types: [any PersistentModel.Type], version: Version) {
        encodingVersion = Self.schemaEncodingVersion
        self.version = version
        self.entities = entities
        self.types = types
        entitiesByName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// A schema without models.
    public convenience init() { self.init(entities: [], types: [], version: Version(1, 0, 0)) }

    /// A schema as described, which no container can store: it has no Swift classes.
    public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
        self.init(entities: entities, types: [], version: version)
    }

    /// As the form with a list of models.
    public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
        self.init(types, version: version)
    }

    /// Makes the schema of these models and of all models that they relate to.
    public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
        let all = SchemaBuilder.closure(of: types)
        self.init(entities: SchemaBuilder.entities(all), types: all, version: version)
    }

    /// The models and the number of a version.
    public convenience init(versionedSchema: any VersionedSchema.Type) {
        self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
    }

    /// The entity of a model; nil where the schema does not have it.
    public func entity<T>(for type: T.Type) -> Entity? where T: PersistentModel { entitiesByName[Self.entityName(for: type)] }

    /// The name of the entity of a model: the class's own name, without what it is nested in.
    public static func entityName<T>(for type: T.Type) -> String where T: PersistentModel { String(describing: type) }

    /// Where the schema's properties lie in tables; made once.
    ///
    /// - Throws: `SwiftDataError` that names the model and the property which cannot be stored.
    func mapping() throws -> SchemaMapping {
        if let made = cachedMapping.withLock({ $0 }) { return made }
        let made = try SchemaMapping(self)
        cachedMapping.withLock { $0 = made }
        return made
    }

    // MARK: Codable, Hashable

    private enum CodingKeys: CodingKey { case encodingVersion, version, entities }

    public convenience init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let entities = try values.decode([Entity].self, forKey: .entities)
        let byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for entity in entities {
            guard let name = entity.superentityName else { continue }
            entity.superentity = byName[name]
            byName[name]?.subentities.insert(entity)
        }
        self.init(entities: entities, types: [], version: try values.decode(Version.self, forKey: .version))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(encodingVersion, forKey: .encodingVersion)
        try values.encode(version, forKey: .version)
        try values.encode(entities, forKey: .entities)
    }

    public static func == (left: Schema, right: Schema) -> Bool {
        left === right || (left.version == right.version && Set(left.entities) == Set(right.entities))
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(version)
        hasher.combine(Set(entities.map(\.name)))
    }

    /// Writes the schema as JSON.
    public func save(to toURL: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: toURL)
    }

    /// Reads a schema that `save(to:)` has written. It describes models, and no container can store it.
    ///
    /// - Throws: what reading the file or decoding throws.
    public static func load(from fromURL: URL) throws -> Schema {
        try JSONDecoder().decode(Schema.self, from: Data(contentsOf: fromURL))
    }
}

extension Schema: CustomDebugStringConvertible {
    public var debugDescription: String { "Schema \(version): \(entities.map(\.name).joined(separator: ", "))" }
}
