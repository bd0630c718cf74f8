import StoreShared

/// Which property of an entity before a stage is which one after it.
///
/// By `originalName`, which the newer of the two versions says, and else by the name; all at once, so that names may be swapped, and one that
/// is free may be another property's. An `originalName` stays in the source for good: it is passed over where the older version says the same of a
/// property of that name, or has that property while the newer one has another under the original name.
/// Before a stage that leads back the newer version is the one before.
struct PropertyPairs {
    private let formers: [String: PropertyMapping]

    /// - Parameter isBack: whether `before` is of the newer version.
    init(_ before: [PropertyMapping], _ after: [PropertyMapping], isBack: Bool) {
        let pairs =
            isBack ? Self.pairs(older: after, newer: before).map { ($1, $0) } : Self.pairs(older: before, newer: after)
        formers = Dictionary(pairs.map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// What a property was; nil for a new one.
    func former(_ property: PropertyMapping) -> PropertyMapping? { formers[property.name] }

    private static func pairs(older: [PropertyMapping], newer: [PropertyMapping]) -> [(PropertyMapping, PropertyMapping)] {
        let old = Dictionary(older.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let new = Dictionary(newer.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var renamed: [String: PropertyMapping] = [:]
        var claimed: Set<String> = []
        for property in newer where property.originalName != property.name {
            guard let former = old[property.originalName] else { continue }
            if let same = old[property.name] {
                if same.originalName == property.originalName { continue }
                if let other = new[property.originalName], other.originalName == other.name { continue }
            }
            renamed[property.name] = former
            claimed.insert(former.name)
        }
        return newer.compactMap { property in
            if let former = renamed[property.name] { return (former, property) }
            guard !claimed.contains(property.name), let former = old[property.name] else { return nil }
            return (former, property)
        }
    }
}

extension SchemaMapping {
    /// Whether a stage from this version to another leads back.
    func isAfter(_ other: SchemaMapping) -> Bool { schema.version.number > other.schema.version.number }
}
