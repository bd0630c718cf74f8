import StoreShared

extension Sequence<PropertyMapping> {
    /// The one of these that a property of the other version was before a stage.
    ///
    /// By `originalName`, which the newer of two versions says: before a stage that leads back, it is the newer one's property that was once called so.
    /// Else by its name.
    ///
    /// - Parameter isBack: whether these are of the newer version.
    func former(_ property: PropertyMapping, isBack: Bool) -> PropertyMapping? {
        first { isBack ? $0.originalName == property.name : $0.name == property.originalName } ?? first { $0.name == property.name }
    }
}

extension SchemaMapping {
    /// Whether a stage from this version to another leads back.
    func isAfter(_ other: SchemaMapping) -> Bool { schema.version.number > other.schema.version.number }
}
