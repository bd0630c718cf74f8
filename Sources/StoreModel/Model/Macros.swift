@_exported import Foundation
@_exported import Observation

/// Makes a class a model: its stored properties are kept in a store.
@attached(
    member, conformances: Observable, PersistentModel, Sendable, names: named(_$backingData), named(persistentBackingData),
    named(schemaMetadata), named(init), named(_$observationRegistrar), named(_SwiftDataNoType), named(access),
    named(withMutation), named(_$Row), named(_$knownRow), named(_$row), named(_$rowType), named(_$optionalKeyPaths),
    named(_$modelRow), prefixed(_$metadata_))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "StoreModelMacros", type: "PersistentModelMacro")

/// Says of a property how its value is kept.
///
/// - Parameters:
///   - originalName: what the version before calls it.
///   - hashModifier: any text; another one makes another version of the same property.
@attached(peer)
public macro Attribute(_ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil) =
    #externalMacro(module: "StoreModelMacros", type: "AttributePropertyMacro")

/// Says of a property that points to other models what becomes of them, and which property points back.
///
/// - Parameters:
///   - minimumModelCount: the fewest models, checked by each save; 0 for no bound.
///   - maximumModelCount: the most models; 0 for no bound.
///   - inverse: the property of the other model. Told by itself where only one pair of properties leads there and back.
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

/// As above, with an upper bound alone.
@attached(peer)
public macro Relationship(
    _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify, maximum: Int?,
    originalName: String? = nil, inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "StoreModelMacros", type: "RelationshipPropertyMacro")

/// Leaves a property out of the store: it has its default after each load.
@attached(peer)
public macro Transient() = #externalMacro(module: "StoreModelMacros", type: "TransientPropertyMacro")

/// Declares that no two rows have the same values of these properties together; each list is a constraint of its own.
@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<T>]...) =
    #externalMacro(module: "StoreModelMacros", type: "UniqueConstraintsMacro") where T: PersistentModel

/// Declares indexes; the kinds are all ordinary ones here.
@freestanding(declaration)
public macro Index<T>(_ indices: Schema.Index<T>.Types<T>...) =
    #externalMacro(module: "StoreModelMacros", type: "IndexMacro") where T: PersistentModel

/// Declares indexes, one for each list of properties.
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
