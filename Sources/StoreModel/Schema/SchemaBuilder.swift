/// Makes entities from model types.
enum SchemaBuilder {
    /// The types and all that they relate to, each once, in the order in which they are met.
    static func closure(of types: [any PersistentModel.Type]) -> [any PersistentModel.Type] {
        var found: [any PersistentModel.Type] = []
        var seen: Set<ObjectIdentifier> = []
        var waiting = Array(types.reversed())
        while let type = waiting.popLast() {
            guard !seen.contains(ObjectIdentifier(type)) else { continue }
            if let parent = parent(of: type), !seen.contains(ObjectIdentifier(parent)) {
                // A class stands after its parent.
                waiting += [type, parent]
                continue
            }
            seen.insert(ObjectIdentifier(type))
            found.append(type)
            let related = type.schemaMetadata.compactMap { destination(of: Swift.type(of: $0.keypath).valueType)?.type }
            waiting += related.reversed()
        }
        return found
    }

    /// The model that a model inherits from.
    static func parent(of type: any PersistentModel.Type) -> (any PersistentModel.Type)? {
        _getSuperclass(type).flatMap { $0 as? any PersistentModel.Type }
    }

    /// What a class declares itself: its metadata begins with that of its parent.
    static func ownMetadata(_ type: any PersistentModel.Type) -> ArraySlice<Schema.PropertyMetadata> {
        type.schemaMetadata.dropFirst(parent(of: type)?.schemaMetadata.count ?? 0)
    }

    /// The model that a property's type points to; nil for a value.
    static func destination(of valueType: any Any.Type) -> (type: any PersistentModel.Type, isToMany: Bool)? {
        if let type = valueType as? any PersistentModel.Type { return (type, false) }
        if let type = (valueType as? any OptionalValue.Type)?.wrappedType as? any PersistentModel.Type { return (type, false) }
        if let type = valueType as? any RelationshipCollection.Type { return (elementType(type), true) }
        return nil
    }

    private static func elementType<C: RelationshipCollection>(_ type: C.Type) -> any PersistentModel.Type { C.PersistentElement.self }

    static func entities(_ types: [any PersistentModel.Type]) -> [Schema.Entity] {
        let entities = types.map(entity)
        inherit(zip(types, entities))
        for (type, entity) in zip(types, entities) {
            for relationship in entity.storedProperties.compactMap({ $0 as? Schema.Relationship }) where relationship.inverseName == nil {
                guard let inverse = inverse(of: relationship, of: type, among: types) else { continue }
                relationship.inverseName = inverse.name
                relationship.inverseKeyPath = relationship.inverseKeyPath ?? inverse.keyPath
            }
        }
        return entities
    }

    private static func entity(_ type: any PersistentModel.Type) -> Schema.Entity {
        let entity = Schema.Entity(name(type))
        for property in ownMetadata(type) {
            if let groups = property.metadata as? any PropertyGroups {
                if groups.isUnique {
                    entity.uniquenessConstraints += groups.names
                } else {
                    entity.indices += groups.names
                }
            } else {
                let made = schemaProperty(property)
                entity.storedProperties.append(made)
                if (made as? Schema.Attribute)?.options.contains(.indexed) == true { entity.indices.append([property.name]) }
                if made.isUnique { entity.uniquenessConstraints.append([property.name]) }
            }
        }
        return entity
    }

    /// Ties each entity to that of its parent; parents come first.
    private static func inherit(_ pairs: Zip2Sequence<[any PersistentModel.Type], [Schema.Entity]>) {
        var known: [ObjectIdentifier: Schema.Entity] = [:]
        for (type, entity) in pairs {
            known[ObjectIdentifier(type)] = entity
            guard let parent = parent(of: type).flatMap({ known[ObjectIdentifier($0)] }) else { continue }
            entity.superentity = parent
            entity.superentityName = parent.name
            entity.inheritedProperties = parent.properties
            parent.subentities.insert(entity)
        }
    }

    static func name(_ type: any PersistentModel.Type) -> String { Schema.entityName(for: type) }

    private static func schemaProperty(_ property: Schema.PropertyMetadata) -> any SchemaProperty {
        let valueType = type(of: property.keypath).valueType
        if let destination = destination(of: valueType) {
            let relationship = property.metadata as? Schema.Relationship ?? Schema.Relationship()
            relationship.name = property.name
            if relationship.originalName.isEmpty { relationship.originalName = property.name }
            relationship.keypath = property.keypath
            relationship.valueType = valueType
            relationship.destination = name(destination.type)
            relationship.isToOne = !destination.isToMany
            if relationship.isToOne, relationship.maximumModelCount == 0 { relationship.maximumModelCount = 1 }
            return relationship
        }
        let attribute = composite(property, valueType) ?? property.metadata as? Schema.Attribute ?? Schema.Attribute()
        attribute.name = property.name
        if attribute.originalName.isEmpty { attribute.originalName = property.name }
        attribute.valueType = valueType
        attribute.isOptional = valueType is any OptionalValue.Type
        attribute.defaultValue = property.defaultValue
        return attribute
    }

    /// The attribute for a `Codable` struct, unless it is to be kept in another way.
    private static func composite(_ property: Schema.PropertyMetadata, _ valueType: Any.Type) -> Schema.Attribute? {
        let declared = property.metadata as? Schema.Attribute
        guard declared?.isCodable != true, declared?.isTransformable != true, let parts = CompositeParts.of(valueType) else { return nil }
        let made = Schema.CompositeAttribute(
            name: property.name, originalName: declared?.originalName ?? "", options: declared?.options ?? [], valueType: valueType,
            hashModifier: declared?.hashModifier)
        made.properties = parts
        return made
    }

    // MARK: Inverses

    /// The other side: as declared here, as declared there, else the only pair of properties that point to each other.
    private static func inverse(
        of relationship: Schema.Relationship, of type: any PersistentModel.Type, among types: [any PersistentModel.Type]
    ) -> (name: String, keyPath: AnyKeyPath)? {
        guard let target = destination(of: relationship.valueType)?.type else { return nil }
        let theirs = ownMetadata(target).filter { candidate in
            destination(of: Swift.type(of: candidate.keypath).valueType)?.type == type
        }
        if let declared = relationship.inverseKeyPath {
            return theirs.first { $0.keypath == declared }.map { ($0.name, $0.keypath) }
        }
        if let declared = theirs.first(where: { ($0.metadata as? Schema.Relationship)?.inverseKeyPath == relationship.keypath }) {
            return (declared.name, declared.keypath)
        }
        let mine = ownMetadata(type).filter { candidate in
            destination(of: Swift.type(of: candidate.keypath).valueType)?.type == target
        }
        let free = theirs.filter { ($0.metadata as? Schema.Relationship)?.inverseKeyPath == nil }
        let mineFree = mine.filter { ($0.metadata as? Schema.Relationship)?.inverseKeyPath == nil }
        guard mineFree.count == 1, free.count == 1, let only = free.first else { return nil }
        // A single relationship from a type to itself is not its own inverse.
        guard only.keypath != relationship.keypath else { return nil }
        let claimed = mine.contains { ($0.metadata as? Schema.Relationship)?.inverseKeyPath == only.keypath }
        return claimed ? nil : (only.name, only.keypath)
    }
}
