/// Where the rows of one entity are, and what each key path of its model means in SQL.
///
/// It is made from a schema for one fetch-capable storage: a migration may give an entity another physical table.
///
/// `@unchecked Sendable`: key paths are immutable, and those of a schema's metadata capture nothing.
package struct EntityTable: @unchecked Sendable {
    /// The column that identifies a row in every table of a store.
    package static let identifierColumn = "storekeeper_id"
    /// The column that names the class of a row, in a table with inheritance.
    package static let classColumn = "storekeeper_class"

    /// The entity's name in the schema.
    package let name: String
    /// The physical table.
    package let table: String
    /// The class of the models, for type checks.
    package let modelType: Any.Type
    /// What each stored key path is: the keys are those of `schemaMetadata`.
    package let properties: [AnyKeyPath: Property]
    /// The key paths that mean the row's identifier: `\.persistentModelID`, and `\.id` unless the model stores one of its own.
    package let identifierKeyPaths: Set<AnyKeyPath>
    /// What a key path that is not in `properties` may end in: each stored property, and the identifier.
    package let ends: [End]
    /// The values of `storekeeper_class` that belong to the entity, subclasses included; nil in a table without inheritance.
    package let classNames: [String]?

    package init(
        name: String, table: String, modelType: Any.Type, properties: [AnyKeyPath: Property], identifierKeyPaths: Set<AnyKeyPath>,
        ends: [End] = [], classNames: [String]? = nil
    ) {
        self.name = name
        self.table = table
        self.modelType = modelType
        self.properties = properties
        self.identifierKeyPaths = identifierKeyPaths
        self.ends = ends
        self.classNames = classNames
    }

    /// The last step of a key path that leads here through relationships.
    package struct End {
        package let keyPath: AnyKeyPath
        /// The same, starting at an optional of the model.
        package let optionalKeyPath: AnyKeyPath

        package init(keyPath: AnyKeyPath, optionalKeyPath: AnyKeyPath) {
            self.keyPath = keyPath
            self.optionalKeyPath = optionalKeyPath
        }
    }

    /// One stored property.
    package struct Property: Sendable {
        /// The property's name in the model, for messages.
        package let name: String
        package let storage: Storage

        package init(name: String, storage: Storage) {
            self.name = name
            self.storage = storage
        }
    }

    /// Where the values of a property are. Targets are names of entities in the same `EntityCatalog`.
    package enum Storage: Sendable {
        /// A column of the entity's own table.
        case column(String, kind: StorageKind)
        /// Bytes in a side table, by the row's number.
        case external(table: String)
        /// An INTEGER column of the entity's own table with the target's `storekeeper_id`, or NULL.
        ///
        /// It can dangle where the target may be deleted and the column keeps its number.
        case toOne(column: String, target: String, canDangle: Bool = false)
        /// The rows of the target whose column `foreignColumn` holds this row's `storekeeper_id`.
        case toManyByColumn(foreignColumn: String, target: String)
        /// The rows of the target that a join table names beside this row.
        ///
        /// `ownerColumn` and `targetColumn` are `source` and `target`, or the other way round on the side the table is not named after.
        case toManyByTable(table: String, ownerColumn: String, targetColumn: String, target: String, canDangle: Bool = false)
        /// A value that SQL cannot see, such as one in external storage; `reason` says why.
        case unsearchable(reason: String)
    }
}

/// The entities of one storage by name and by model class.
package struct EntityCatalog: Sendable {
    private let byName: [String: EntityTable]
    private let namesByType: [ObjectIdentifier: String]

    package init(_ entities: [EntityTable]) {
        byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        namesByType = Dictionary(entities.map { (ObjectIdentifier($0.modelType), $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    var entities: [EntityTable] { Array(byName.values) }

    package func entity(named name: String) -> EntityTable? { byName[name] }

    package func entity(for type: Any.Type) -> EntityTable? {
        namesByType[ObjectIdentifier(type)].flatMap { byName[$0] }
    }
}
