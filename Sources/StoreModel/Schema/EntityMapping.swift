/// One model of a schema and its table.
///
/// A model and all that inherit from it share the table of the first of them: `root`. A row says in `storekeeper_class` which of them it is.
final class EntityMapping {
    let name: String
    let index: Int
    let modelType: any PersistentModel.Type
    let rowType: ModelRow.Type
    let entity: Schema.Entity
    let parent: EntityMapping?
    private(set) var children: [EntityMapping] = []
    /// Inherited ones first; these are the parent's own objects.
    let properties: [PropertyMapping]
    /// Those that the class declares itself.
    let ownProperties: ArraySlice<PropertyMapping>
    /// Those that are relationships.
    let relationships: [PropertyMapping]
    /// Those that have a column, in order.
    let columns: [PropertyMapping]
    /// The properties whose bytes lie in side tables.
    let externals: [PropertyMapping]
    let allProperties: PropertySet
    /// The indexes of the properties of each uniqueness constraint, inherited ones included.
    let uniqueness: [[Int]]
    /// The constraints and indexes that the class declares itself.
    let ownUniqueness: [[Int]]
    let indexes: [[Int]]
    /// The properties by the key paths that begin at this class.
    private let byKeyPath: [AnyKeyPath: PropertyMapping]
    /// Tables of pairs of other entities' relationships without an inverse that name this entity's rows, and the column.
    private var ownIncomingPairs: [(table: String, column: String)] = []

    init(_ entity: Schema.Entity, type: any PersistentModel.Type, index: Int, parent: EntityMapping?) throws {
        name = entity.name
        self.index = index
        self.entity = entity
        self.parent = parent
        modelType = type
        guard let rowType = type._$rowType else {
            throw SwiftDataError.load(
                "\(type) conforms to PersistentModel by hand", remedy: "let @Model write the conformance, so that its rows can be stored")
        }
        self.rowType = rowType
        let prototype = rowType.init()
        let metadata = type.propertyMetadata
        let inherited = parent?.properties ?? []
        let own = try metadata.enumerated().dropFirst(inherited.count).map { index, property in
            guard let shape = prototype.shape(at: index), let described = entity.storedPropertiesByName[property.name] else {
                throw SwiftDataError.load(
                    "\(type).\(property.name) has no slot in the row class", remedy: "rebuild the package that declares \(type)")
            }
            let made = PropertyMapping(property, described, shape: shape, index: index, entity: entity.name)
            try Self.checkValue(made, type)
            return made
        }
        properties = inherited + own
        ownProperties = properties.dropFirst(inherited.count)
        byKeyPath = Dictionary(
            zip(metadata, properties).flatMap { [($0.keypath, $1), ($1.keyPath, $1)] }, uniquingKeysWith: { first, _ in first })
        relationships = properties.filter { $0.destinationType != nil }
        columns = properties.filter(\.hasColumn)
        externals = properties.filter(\.isExternal)
        allProperties = .all(properties.count)
        let numbers = Dictionary(properties.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        func resolve(_ groups: [[String]], _ kind: String) throws -> [[Int]] {
            try groups.map { group in
                try group.map { name in
                    guard let number = numbers[name] else {
                        throw SwiftDataError.load(
                            "\(kind) of \(entity.name) names \(name), which is no persisted property", remedy: "name a stored property")
                    }
                    return number
                }
            }
        }
        ownUniqueness = try resolve(entity.uniquenessConstraints, "#Unique")
        uniqueness = (parent?.uniqueness ?? []) + ownUniqueness
        indexes = try resolve(entity.indices, "#Index")
        parent?.children.append(self)
    }

    /// An object among values would be another one after each read.
    private static func checkValue(_ property: PropertyMapping, _ type: any PersistentModel.Type) throws {
        guard property.kind != nil, property.attribute?.isTransformable == false else { return }
        let valueType = innermost(Swift.type(of: property.keyPath).valueType)
        if valueType is AnyClass {
            throw SwiftDataError.load(
                "\(type).\(property.name) is of the class \(valueType), and a class cannot be an attribute",
                remedy: "make it a struct, a model of its own, or transformable")
        }
        guard property.kind == .json, let nested = NestedClass(in: valueType) else { return }
        let path = nested.path.isEmpty ? property.name : "\(property.name).\(nested.path)"
        throw SwiftDataError.load(
            "\(type).\(path) is of the class \(nested.type), and a class cannot be inside an attribute",
            remedy: "make it a struct, or let a relationship of \(type) lead to it")
    }

    func property(for keyPath: AnyKeyPath) -> PropertyMapping? { byKeyPath[keyPath] }

    /// Every key path that means a property, with it.
    var keyPaths: [AnyKeyPath: PropertyMapping] { byKeyPath }

    // MARK: Inheritance

    var root: EntityMapping { parent?.root ?? self }
    var tableName: String { root.name }

    /// Whether it shares its table with other models.
    var isInHierarchy: Bool { !root.children.isEmpty }

    /// It and all that inherit from it, each after its parent.
    var family: [EntityMapping] { [self] + children.flatMap(\.family) }

    /// It and all that it inherits from, the root first.
    var chain: [EntityMapping] { (parent?.chain ?? []) + [self] }

    var ownColumns: [PropertyMapping] { ownProperties.filter(\.hasColumn) }

    var incomingPairs: [(table: String, column: String)] { chain.flatMap(\.ownIncomingPairs) }

    func addIncomingPairs(_ table: String, _ column: String) { ownIncomingPairs.append((table, column)) }

    /// The condition in SQL that a row is of this class or of one below it.
    var classCondition: String {
        let names = family.map { "'" + $0.name.replacing("'", with: "''") + "'" }.joined(separator: ", ")
        return "\(EntityTable.classColumn) IN (\(names))"
    }

    /// The columns of the table, each once: siblings may share one.
    var tableColumns: [PropertyMapping] {
        var seen: Set<String> = []
        return family.flatMap(\.ownColumns).filter { seen.insert($0.name).inserted }
    }

    /// Says which names cannot stand in one table.
    func checkColumns() throws {
        var seen: [String: (owner: EntityMapping, property: PropertyMapping)] = [:]
        for entity in family {
            for property in entity.ownProperties {
                guard let other = seen.updateValue((entity, property), forKey: property.name.lowercased()) else { continue }
                let isSibling = !entity.chain.contains { $0 === other.owner }
                let fits = other.property.name == property.name && other.property.columnType == property.columnType
                guard !(isSibling && (fits || !property.hasColumn || !other.property.hasColumn)) else { continue }
                throw SwiftDataError.load(
                    "\(other.owner.name).\(other.property.name) and \(entity.name).\(property.name) cannot be columns of one table",
                    remedy: isSibling
                        ? "rename one, or give both the same type" : "rename one: SQLite's column names do not tell case")
            }
        }
    }
}
