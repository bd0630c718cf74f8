@_exported import Foundation
@_exported import Observation

@attached(
    member, conformances: Observable, PersistentModel, Sendable, names: named(_$backingData), named(persistentBackingData),
    named(schemaMetadata), named(init), named(_$observationRegistrar), named(_SwiftDataNoType), named(access),
    named(withMutation), named(_$Row), named(_$knownRow), named(_$row), named(_$rowType), named(_$optionalKeyPaths),
    named(_$modelRow), prefixed(_$metadata_))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "StoreModelMacros", type: "PersistentModelMacro")

@attached(peer)
public macro Attribute(_ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil) =
    #externalMacro(module: "StoreModelMacros", type: "AttributePropertyMacro")

@attached(peer)
public macro Relationship(
    _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify, minimumModelCount: Int? = 0,
    maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "StoreModelMacros", type: "RelationshipPropertyMacro")

/// As programs write it that were not compiled against SwiftData: `minimum` and `maximum` for the counts.
@attached(peer)
public macro Relationship(
    _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify, minimum: Int?, maximum: Int? = 0,
    originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "StoreModelMacros", type: "RelationshipPropertyMacro")

@attached(peer)
public macro Relationship(
    _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify, maximum: Int?,
    originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "StoreModelMacros", type: "RelationshipPropertyMacro")

@attached(peer)
public macro Transient() = #externalMacro(module: "StoreModelMacros", type: "TransientPropertyMacro")

@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<T>]...) =
    #externalMacro(module: "StoreModelMacros", type: "UniqueConstraintsMacro") where T: PersistentModel

@freestanding(declaration)
public macro Index<T>(_ indices: Schema.Index<T>.Types<T>...) =
    #externalMacro(module: "StoreModelMacros", type: "IndexMacro") where T: PersistentModel

@freestanding(declaration)
public macro Index<T>(_ indices: [PartialKeyPath<T>]...) =
    #externalMacro(module: "StoreModelMacros", type: "IndexMacro") where T: PersistentModel

/// Written by `@Model` on each persisted property.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _PersistedProperty() = #externalMacro(module: "StoreModelMacros", type: "PersistedPropertyMacro")

/// As `_PersistedProperty`, for a property with `.transformable`: its slot does the transforming.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _TransformablePersistedProperty() = #externalMacro(module: "StoreModelMacros", type: "PersistedPropertyMacro")

/// Writes the executor, the container and the initialiser of a model actor.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "StoreModelMacros", type: "ModelActorMacro")
