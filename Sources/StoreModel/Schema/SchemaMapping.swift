/// How the models of one schema lie in tables.
///
/// Entities are keyed per schema: one Swift class may belong to several versions, and two versions may have classes of the
/// same name.
final class SchemaMapping: @unchecked Sendable {
    // Unchecked: built by one initialiser and only read from then on; metatypes and key paths are immutable.
    let schema: Schema
    let entities: [EntityMapping]
    private let byType: [ObjectIdentifier: EntityMapping]

    init(_ schema: Schema) throws {
        self.schema = schema
        guard !schema.types.isEmpty || schema.entities.isEmpty else {
            throw SwiftDataError.load(
                "the schema \(schema.version) has entities but no Swift classes", remedy: "make it from model types")
        }
        var byName: [String: any PersistentModel.Type] = [:]
        for type in schema.types {
            let name = SchemaBuilder.name(type)
            if let other = byName.updateValue(type, forKey: name) {
                throw SwiftDataError.load(
                    "two models of the schema \(schema.version) are called \(name): \(String(reflecting: other)) and "
                        + String(reflecting: type),
                    remedy: "rename one of them; a model of another version is reached when a relationship names its class")
            }
        }
        var made: [EntityMapping] = []
        var byType: [ObjectIdentifier: EntityMapping] = [:]
        for (index, (type, entity)) in zip(schema.types, schema.entities).enumerated() {
            let parent = SchemaBuilder.parent(of: type).flatMap { byType[ObjectIdentifier($0)] }
            let mapping = try EntityMapping(entity, type: type, index: index, parent: parent)
            made.append(mapping)
            byType[ObjectIdentifier(type)] = mapping
        }
        entities = made
        self.byType = byType
        for entity in entities where entity.parent == nil { try entity.checkColumns() }
        try connect()
        try SchemaNames.check(self)
    }

    func entity(for type: any PersistentModel.Type) -> EntityMapping? { byType[ObjectIdentifier(type)] }

    func entity(named name: String) -> EntityMapping? { entities.first { $0.name == name } }

    /// Finds the other side of each relationship and where a to-many's rows are.
    private func connect() throws {
        for entity in entities {
            for property in entity.ownProperties {
                guard let destinationType = property.destinationType else { continue }
                property.destination = byType[ObjectIdentifier(destinationType)]
                guard let destination = property.destination else { continue }
                guard let name = property.relationship?.inverseName else {
                    try refuseUnknownInverse(property, of: entity)
                    continue
                }
                property.inverse = destination.properties.first { $0.name == name }
            }
        }
        for entity in entities {
            for property in entity.ownProperties where property.isToMany { property.pairs = pairs(property, of: entity) }
        }
        for entity in entities {
            for property in entity.ownProperties {
                guard let pairs = property.pairs, property.inverse == nil, let destination = property.destination else { continue }
                destination.addIncomingPairs(pairs.table, pairs.targetColumn)
            }
        }
    }

    private func refuseUnknownInverse(_ property: PropertyMapping, of entity: EntityMapping) throws {
        guard let destination = property.destination else { return }
        guard property.relationship?.inverseKeyPath != nil else { return try refuseAmbiguousInverse(property, entity, destination) }
        throw SwiftDataError.load(
            "the inverse of \(entity.name).\(property.name) is no relationship of \(destination.name) to \(entity.name)",
            remedy: "name a property of \(destination.name) whose type is \(entity.name) or [\(entity.name)]")
    }

    /// A relationship may have no other side. Where a to-many leads there and several could lead back, or the other way round, the program
    /// means one of them.
    private func refuseAmbiguousInverse(_ property: PropertyMapping, _ entity: EntityMapping, _ destination: EntityMapping) throws {
        let candidates = destination.ownProperties.filter { other in
            other !== property && other.destinationType == entity.modelType && other.relationship?.inverseName == nil
                // Within one model, lists and references of one kind stand beside each other.
                && (entity !== destination || other.isToMany != property.isToMany)
        }
        guard let first = candidates.first, property.isToMany || candidates.contains(where: \.isToMany) else { return }
        throw SwiftDataError.load(
            "the inverse of \(entity.name).\(property.name) cannot be told: "
                + candidates.map { "\(destination.name).\($0.name)" }.joined(separator: ", ")
                + (candidates.count > 1 ? " lead back" : " is not the only one to lead there and back"),
            remedy: "say which it is: @Relationship(inverse: \\\(destination.name).\(first.name)) var \(property.name)")
    }

    /// The table of pairs of a to-many; nil where the other side is a to-one, whose column says it.
    private func pairs(_ property: PropertyMapping, of entity: EntityMapping) -> PairTable? {
        if let inverse = property.inverse {
            guard inverse.isToMany else { return nil }
            let mine = (entity.name, property.name)
            let theirs = (property.destination?.name ?? "", inverse.name)
            if theirs < mine {
                return PairTable(table: "\(theirs.0)_\(theirs.1)", ownColumn: "target", targetColumn: "source", isNamedAfterThis: false)
            }
        }
        return PairTable(
            table: "\(entity.name)_\(property.name)", ownColumn: "source", targetColumn: "target", isNamedAfterThis: true)
    }
}

/// The table that holds the pairs of a to-many relationship, as one side sees it.
struct PairTable {
    let table: String
    let ownColumn: String
    let targetColumn: String
    /// Whether this is the side that the table is declared by.
    let isNamedAfterThis: Bool
}

/// One persisted property of an entity.
final class PropertyMapping {
    let name: String
    let index: Int
    let entityName: String
    let keyPath: AnyKeyPath
    let defaultValue: Any?
    let originalName: String
    let hashModifier: String?
    let isOptional: Bool
    /// How a value lies in its column; nil for a relationship.
    let kind: StorageKind?
    let isToMany: Bool
    /// Whether the value is bytes in a side table.
    private(set) var isExternal = false
    /// Whether the value is never stored.
    private(set) var isEphemeral = false
    let destinationType: (any PersistentModel.Type)?
    let relationship: Schema.Relationship?
    let attribute: Schema.Attribute?
    fileprivate(set) unowned(unsafe) var destination: EntityMapping?
    fileprivate(set) unowned(unsafe) var inverse: PropertyMapping?
    fileprivate(set) var pairs: PairTable?

    init(_ property: Schema.PropertyMetadata, _ described: any SchemaProperty, shape: SlotShape, index: Int, entity: String) {
        name = property.name
        self.index = index
        entityName = entity
        keyPath = property.keypath
        defaultValue = property.defaultValue
        originalName = described.originalName
        relationship = described as? Schema.Relationship
        attribute = described as? Schema.Attribute
        hashModifier = relationship?.hashModifier ?? attribute?.hashModifier
        switch shape {
        case .attribute(let kind, let isOptional):
            self.kind = kind
            self.isOptional = isOptional
            isToMany = false
            destinationType = nil
        case .external(let isOptional):
            kind = nil
            self.isOptional = isOptional
            isToMany = false
            destinationType = nil
            isExternal = true
        case .ephemeral(let isOptional):
            kind = nil
            self.isOptional = isOptional
            isToMany = false
            destinationType = nil
            isEphemeral = true
        case .toOne(let type, let isOptional):
            kind = nil
            self.isOptional = isOptional
            isToMany = false
            destinationType = type
        case .toMany(let type, let isOptional):
            kind = nil
            self.isOptional = isOptional
            isToMany = true
            destinationType = type
        }
    }

    /// Whether it has a column in the table of its entity.
    var hasColumn: Bool { !isToMany && !isExternal && !isEphemeral }

    /// The side table of bytes that do not lie in the entity's own.
    var sideTable: String? { isExternal ? "\(entityName)_\(name)" : nil }

    /// Whether both sides are to-ones, with a column each.
    var isOneToOne: Bool { !isToMany && inverse?.isToMany == false }

    var deleteRule: Schema.Relationship.DeleteRule { relationship?.deleteRule ?? .nullify }

    /// The type that the column is declared with.
    var columnType: String { kind?.columnType ?? "INTEGER" }
}

extension StorageKind {
    /// The type that a column of this kind is declared with.
    var columnType: String {
        switch self {
        case .boolean, .integer: "INTEGER"
        case .real, .float, .date: "REAL"
        case .text, .uuid, .url, .decimal, .json: "TEXT"
        case .data: "BLOB"
        }
    }
}
