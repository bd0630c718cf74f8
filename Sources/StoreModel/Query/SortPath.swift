import Foundation

/// A key path of a sort taken apart: relationships to one, and what is at the end of the last.
struct SortPath {
    /// The key path of each relationship, from the entity that is sorted on.
    let relationships: [AnyKeyPath]
    /// The key path of a stored property, or of the identifier, of the model that they lead to.
    let end: AnyKeyPath

    /// How many relationships one after the other are looked through.
    private static let depth = 4

    /// Finds the way that `path` takes from `entity`; nil if it takes another.
    ///
    /// A key path does not show its steps. So those that there are are put together until one is the same.
    init?(_ path: AnyKeyPath, from entity: EntityTable, in catalog: EntityCatalog) {
        guard let found = Self.search(path, Way(path: nil, relationships: []), entity, catalog) else { return nil }
        self = found
    }

    private init(relationships: [AnyKeyPath], end: AnyKeyPath) {
        self.relationships = relationships
        self.end = end
    }

    private struct Way {
        /// From the first entity to this one, or to an optional of it; nil at the start.
        let path: AnyKeyPath?
        let relationships: [AnyKeyPath]
    }

    private static func search(_ path: AnyKeyPath, _ way: Way, _ entity: EntityTable, _ catalog: EntityCatalog) -> SortPath? {
        for end in entity.ends {
            for whole in wholes(way.path, end) {
                if isSame(whole, path) { return SortPath(relationships: way.relationships, end: end.keyPath) }
                guard way.relationships.count < depth, case .toOne(_, let target, _)? = entity.properties[end.keyPath]?.storage,
                    let destination = catalog.entity(named: target)
                else { continue }
                let next = Way(path: whole, relationships: way.relationships + [end.keyPath])
                if let found = search(path, next, destination, catalog) { return found }
            }
        }
        return nil
    }

    /// The ways on to an end: directly, or through an optional that is chained or forced.
    private static func wholes(_ path: AnyKeyPath?, _ end: EntityTable.End) -> [AnyKeyPath] {
        guard let path else { return [end.keyPath] }
        if let whole = path.appending(path: end.keyPath) { return [whole] }
        let chained = path.appending(path: end.optionalKeyPath)
        let forced = unwrapping(type(of: path).valueType).flatMap { path.appending(path: $0)?.appending(path: end.keyPath) }
        return [chained, forced].compactMap { $0 }
    }

    /// `\Wrapped?.!` of an optional type.
    private static func unwrapping(_ type: Any.Type) -> AnyKeyPath? { (type as? any Unwrappable.Type)?.unwrapping }

    /// Whether two key paths have the same steps.
    ///
    /// Not `==`, which also tells apart how they were made: one that is put together knows which of its steps can be written through,
    /// a literal does not. The hash covers every step, in 64 bits.
    private static func isSame(_ a: AnyKeyPath, _ b: AnyKeyPath) -> Bool {
        a == b || type(of: a) == type(of: b) && a.hashValue == b.hashValue
    }
}

private protocol Unwrappable {
    static var unwrapping: AnyKeyPath { get }
}

extension Optional: Unwrappable {
    fileprivate static var unwrapping: AnyKeyPath { \Wrapped?.! }
}
