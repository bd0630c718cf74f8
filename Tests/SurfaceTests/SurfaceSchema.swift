import Foundation
import SwiftData

func surfaceOfSchemas() throws {
    let schema = Schema([Person.self], version: Schema.Version(1, 2, 3))
    _ = Schema()
    _ = Schema(Person.self, Pet.self)
    _ = Schema(versionedSchema: SurfaceVersion1.self)
    _ = Schema(Schema.Entity("E"), version: Schema.Version(1, 0, 0))
    let _: Schema.Version = Schema.schemaEncodingVersion
    let _: [Schema.Version] = [schema.encodingVersion, schema.version]
    let _: [Schema.Entity] = schema.entities
    let _: [String: Schema.Entity] = schema.entitiesByName
    let _: Schema.Entity? = schema.entity(for: Person.self)
    let _: String = Schema.entityName(for: Person.self)
    let _: Schema = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    let _: (Schema) -> (URL) throws -> Void = Schema.save(to:)
    let _: (URL) throws -> Schema = Schema.load(from:)
    let _: String = schema.debugDescription
    _ = schema == schema && schema.hashValue == 0
    let version = schema.version
    let _: [Int] = [version.major, version.minor, version.patch]
    let _: String = version.description
    _ = version < version || version == version
    _ = Schema.PropertyMetadata(name: "name", keypath: \Person.name, defaultValue: nil, metadata: nil)
    sendable(schema)
}

func surfaceOfEntities() {
    let attribute = Schema.Attribute(.unique, .codable, originalName: "old", hashModifier: "h")
    let entity = Schema.Entity("Parent", subentities: Schema.Entity("Child", properties: attribute), properties: attribute)
    let _: String = entity.name
    let _: Set<Schema.Entity> = entity.subentities
    let _: String? = entity.superentityName
    let _: Schema.Entity? = entity.superentity
    let _: [any SchemaProperty] = entity.storedProperties + entity.inheritedProperties + entity.properties
    let _: Set<Schema.Attribute> = entity.attributes
    let _: Set<Schema.Relationship> = entity.relationships
    let _: [String: Schema.Attribute] = entity.attributesByName
    let _: [String: Schema.Relationship] = entity.relationshipsByName
    let _: [String: any SchemaProperty] = entity.storedPropertiesByName.merging(entity.inheritedPropertiesByName) { first, _ in first }
    let _: [[String]] = entity.uniquenessConstraints + entity.indices
    let _: String = entity.debugDescription
    _ = entity == entity && entity.hashValue == 0

    _ = Schema.Attribute(
        name: "a", originalName: nil, options: [.ephemeral, .externalStorage], valueType: Int.self, defaultValue: 1, hashModifier: nil)
    let _: [String] = [attribute.name, attribute.originalName, attribute.debugDescription]
    let _: [Schema.Attribute.Option] =
        attribute.options + [
            .unique, .transformable(by: InitialsTransformer.self), .transformable(by: "name"), .externalStorage, .allowsCloudEncryption,
            .preserveValueOnDeletion, .ephemeral, .spotlight, .codable, .indexed,
        ]
    let _: Any.Type = attribute.valueType
    let _: Any? = attribute.defaultValue
    let _: String? = attribute.hashModifier
    _ = attribute.isOptional || attribute.isAttribute || attribute.isRelationship || attribute.isTransient || attribute.isUnique
    _ = attribute.isTransformable || attribute.isCodable || attribute == attribute || attribute.hashValue == 0
    let composite = Schema.CompositeAttribute(name: "c", options: [], valueType: Address.self)
    let _: [Schema.Attribute] = composite.properties
    _ = composite == composite
    _ = composite.debugDescription

    let relationship = Schema.Relationship(
        .unique, deleteRule: .cascade, minimumModelCount: 1, maximumModelCount: 2, originalName: nil, inverse: \Pet.owner, hashModifier: nil
    )
    let _: [String] = [relationship.name, relationship.originalName, relationship.destination, relationship.debugDescription]
    let _: [AnyKeyPath?] = [relationship.keypath, relationship.inverseKeyPath]
    let _: [Schema.Relationship.Option] = relationship.options + [.unique]
    let _: Schema.Relationship.DeleteRule = relationship.deleteRule
    let _: [Schema.Relationship.DeleteRule] = [.noAction, .nullify, .cascade, .deny]
    let _: [String?] = [relationship.inverseName, relationship.hashModifier, Schema.Relationship.DeleteRule(rawValue: "deny")?.rawValue]
    let _: [Int?] = [relationship.minimumModelCount, relationship.maximumModelCount]
    _ = relationship.isToOneRelationship || relationship.isUnique || relationship.isAttribute || relationship.isTransient
    _ = relationship == relationship && relationship.hashValue == 0 && relationship.valueType == Any.self

    let index = Schema.Index<Badge>(.binary([\.title]), .rtree([\.x, \.y]))
    let _: [Schema.Index<Badge>.Types<Badge>] = index.indices
    _ = Schema.Index<Badge>([\.title], [\.x])
    _ = index == index && index.isUnique && index.hashValue == 0
    _ = Schema.Index<Badge>.CodingKeys.indices
    let unique = Schema.Unique<Badge>([\.title], [\.x, \.y])
    let _: [[PartialKeyPath<Badge>]] = unique.constraints
    _ = unique == unique && unique.isUnique && unique.hashValue == 0
    _ = Schema.Unique<Badge>.CodingKeys.constraints
    let _: [String] = [index.name, index.originalName, index.debugDescription, unique.name, unique.originalName, unique.debugDescription]
}

func surfaceOfStages() {
    for stage in SurfacePlan.stages {
        // Over SwiftData's two cases, and no other.
        switch stage {
        case .lightweight(let from, let to): _ = (from as any VersionedSchema.Type, to as any VersionedSchema.Type)
        case .custom(let from, let to, let will, let did): _ = (from, to, will, did)
        }
        sendable(stage)
    }
}
