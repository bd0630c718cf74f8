import Foundation
import StoreSQLite
import Synchronization

/// The SQL by which contexts reach the entities of one storage.
///
/// Tables have physical names of their own, since a migration that shows the old and the new version at once gives an
/// entity another table.
final class StoreLayout: @unchecked Sendable {
    // Unchecked: built by one initialiser and only read from then on.
    let mapping: SchemaMapping
    let entities: [EntityLayout]
    let catalog: EntityCatalog
    /// Fetches by these entities that have been put into SQL.
    let translations = TranslationCache()
    /// Every table, those of pairs and of bytes included.
    let tableNames: [String]

    /// - Parameter tableNames: declared name to physical name, for tables that have another.
    init(_ mapping: SchemaMapping, tableNames: [String: String] = [:]) {
        self.mapping = mapping
        entities = mapping.entities.map { EntityLayout($0, tableNames: tableNames) }
        catalog = EntityCatalog(mapping.entities.map { $0.queryTable(tableNames) })
        let declared = mapping.entities.flatMap { entity in
            (entity.parent == nil ? [entity.tableName] : [])
                + entity.ownProperties.flatMap {
                    [$0.sideTable, $0.pairs.flatMap { $0.isNamedAfterThis ? $0.table : nil }].compactMap { $0 }
                }
        }
        self.tableNames = declared.map { tableNames[$0] ?? $0 }
    }
}

/// The SQL of one entity.
final class EntityLayout {
    let entity: EntityMapping
    /// As SQLite's own tables call it.
    let tableName: String
    /// Quoted.
    let table: String
    /// The columns after `storekeeper_id`, in the order in which rows are decoded: in a table with inheritance the class, then those of the
    /// entity, then those of each class below it.
    let selectColumns: [String]
    /// The classes that a row may be of, by name; nil in a table of one.
    let members: [String: RowMember]?
    /// `storekeeper_id` and `selectColumns`, as a SELECT lists them, qualified by the alias `t`.
    let selectList: String
    /// One row by its number.
    let selectByID: String
    /// A number, of a JSON array, that no row has.
    let selectMissing: String
    /// The next rows above a number, up to another, at most so many, by their numbers.
    let selectAbove: String
    /// How many rows there are, and the highest number.
    let extent: String
    let insert: String
    let delete: String
    /// For each to-many, by property: the rows of the destination that belong to one row.
    private let selectRelated: [Int: String]
    /// The same for any number of rows, the owner's number behind the columns.
    private let selectRelatedOfMany: [Int: String]
    /// For each property that is a to-many in a table of pairs.
    let pairs: [Int: PairStatements]
    let incoming: [String]
    /// For each property whose bytes lie in a side table.
    let sides: [SideStatements]
    private let updates = Mutex<[PropertySet: String]>([:])

    init(_ entity: EntityMapping, tableNames: [String: String]) {
        func physical(_ name: String) -> String { quoted(tableNames[name] ?? name) }
        self.entity = entity
        tableName = tableNames[entity.tableName] ?? entity.tableName
        table = quoted(tableName)
        (selectColumns, members) = Self.decoding(entity)
        selectList = Self.selectList(entity)
        selectByID = "SELECT \(selectList) FROM \(table) AS t WHERE t.storekeeper_id = ?1"
        selectMissing =
            "SELECT e.value FROM json_each(?1) AS e "
            + "WHERE NOT EXISTS (SELECT 1 FROM \(table) AS t WHERE t.storekeeper_id = e.value) LIMIT 1"
        selectAbove =
            "SELECT \(selectList) FROM \(table) AS t WHERE t.storekeeper_id > ?1 AND t.storekeeper_id <= ?2 "
            + "ORDER BY t.storekeeper_id LIMIT ?3"
        extent = "SELECT (SELECT count(*) FROM \(table)), (SELECT max(storekeeper_id) FROM \(table))"
        var columns = entity.columns.map { ", " + quoted($0.name) }.joined()
        var parameters = String(repeating: ", ?", count: entity.columns.count)
        if entity.isInHierarchy {
            columns = ", \(EntityTable.classColumn)" + columns
            parameters = ", '\(entity.name.replacing("'", with: "''"))'" + parameters
        }
        let conflict = entity.uniqueness.isEmpty ? "" : " ON CONFLICT DO NOTHING"
        insert = "INSERT INTO \(table) (storekeeper_id\(columns)) VALUES (?\(parameters))\(conflict)"
        delete = "DELETE FROM \(table) WHERE storekeeper_id = ?1"
        var related: [Int: String] = [:]
        var relatedOfMany: [Int: String] = [:]
        let owners = "IN (SELECT value FROM json_each(?1)) ORDER BY t.storekeeper_id"
        var pairs: [Int: PairStatements] = [:]
        for property in entity.properties where property.isToMany {
            guard let destination = property.destination else { continue }
            let list = Self.selectList(destination)
            let target = physical(destination.tableName)
            if let table = property.pairs {
                let statements = PairStatements(table, physical(table.table))
                pairs[property.index] = statements
                related[property.index] =
                    "SELECT \(list) FROM \(statements.table) AS j JOIN \(target) AS t ON t.storekeeper_id = j.\(table.targetColumn) "
                    + "WHERE j.\(table.ownColumn) = ?1 ORDER BY t.storekeeper_id"
                relatedOfMany[property.index] =
                    "SELECT \(list), j.\(table.ownColumn) FROM \(statements.table) AS j "
                    + "JOIN \(target) AS t ON t.storekeeper_id = j.\(table.targetColumn) WHERE j.\(table.ownColumn) \(owners)"
            } else if let inverse = property.inverse {
                related[property.index] =
                    "SELECT \(list) FROM \(target) AS t WHERE t.\(quoted(inverse.name)) = ?1 ORDER BY t.storekeeper_id"
                relatedOfMany[property.index] =
                    "SELECT \(list), t.\(quoted(inverse.name)) FROM \(target) AS t WHERE t.\(quoted(inverse.name)) \(owners)"
            }
        }
        selectRelated = related
        selectRelatedOfMany = relatedOfMany
        self.pairs = pairs
        sides = entity.properties.compactMap { property in
            property.sideTable.map { SideStatements(property, physical($0)) }
        }
        incoming = entity.incomingPairs.map { "DELETE FROM \(physical($0.table)) WHERE \($0.column) = ?1" }
    }

    /// The SELECT of a to-many's rows, with the owner's number as its one parameter.
    func related(_ property: PropertyMapping) -> String { selectRelated[property.index] ?? "" }

    /// The SELECT of the rows of a to-many of many owners, with a JSON array of their numbers as its one parameter.
    func relatedOfMany(_ property: PropertyMapping) -> String { selectRelatedOfMany[property.index] ?? "" }

    /// Rows by a JSON array of numbers; NULL stands for the columns of properties that are left out.
    func selectByIDs(leavingOut leftOut: PropertySet = PropertySet()) -> String {
        let names = leftOut.isEmpty ? [] : Set(entity.columns.filter { leftOut.contains($0.index) }.map(\.name))
        let columns = selectColumns.map { names.contains($0) ? "NULL" : "t." + quoted($0) }
        return "SELECT \((["t.storekeeper_id"] + columns).joined(separator: ", ")) FROM \(table) AS t "
            + "WHERE t.storekeeper_id IN (SELECT value FROM json_each(?1))"
    }

    /// The bytes of a row in a side table; nil where it has none.
    func bytes(of property: PropertyMapping, _ id: Int64, _ connection: Connection) throws -> Data? {
        guard let side = sides.first(where: { $0.property === property }) else { return nil }
        let statement = try connection.statement(side.select)
        defer { statement.reset() }
        try statement.bind(id, at: 1)
        return try statement.step() ? statement.withBytes(0) { Data($0) } : nil
    }

    /// The UPDATE of the columns of properties that have changed, with the row's number as the last parameter.
    func update(_ dirty: PropertySet) -> String? {
        updates.withLock { updates in
            if let made = updates[dirty] { return made }
            let columns = entity.columns.filter { dirty.contains($0.index) }
            guard !columns.isEmpty else { return nil }
            let list = columns.map { "\(quoted($0.name)) = ?" }.joined(separator: ", ")
            let made = "UPDATE \(table) SET \(list) WHERE storekeeper_id = ?"
            // Bounded: a model can be changed in more ways than are worth keeping.
            if updates.count < 64 { updates[dirty] = made }
            return made
        }
    }

    private static func selectList(_ entity: EntityMapping) -> String {
        "t.storekeeper_id" + decoding(entity).columns.map { ", t." + quoted($0) }.joined()
    }

    private static func decoding(_ entity: EntityMapping) -> (columns: [String], members: [String: RowMember]?) {
        guard entity.isInHierarchy else { return (entity.columns.map(\.name), nil) }
        var columns = [EntityTable.classColumn]
        var starts: [Int: Int32] = [:]
        for member in entity.chain + entity.family.dropFirst() {
            // Counted from `storekeeper_id`.
            starts[member.index] = Int32(columns.count + 1)
            columns += member.ownColumns.map(\.name)
        }
        let members = entity.family.map { member in
            (member.name, RowMember(index: member.index, starts: member.chain.dropFirst().compactMap { starts[$0.index] }))
        }
        return (columns, Dictionary(members, uniquingKeysWith: { first, _ in first }))
    }
}

/// One class that a row of a table with inheritance may be of.
final class RowMember {
    /// Of the entity in the schema.
    let index: Int
    /// Where the columns of each subclass in its chain begin, from the first subclass on.
    let starts: UnsafePointer<Int32>

    init(index: Int, starts: [Int32]) {
        self.index = index
        let copy = UnsafeMutablePointer<Int32>.allocate(capacity: max(starts.count, 1))
        copy.initialize(from: starts, count: starts.count)
        self.starts = UnsafePointer(copy)
    }

    deinit { starts.deallocate() }
}

/// The SQL of a table of pairs, as one side sees it.
struct PairStatements {
    let table: String
    let insert: String
    let remove: String
    let removeAll: String

    init(_ pairs: PairTable, _ table: String) {
        self.table = table
        insert = "INSERT OR IGNORE INTO \(table) (\(pairs.ownColumn), \(pairs.targetColumn)) VALUES (?1, ?2)"
        remove = "DELETE FROM \(table) WHERE \(pairs.ownColumn) = ?1 AND \(pairs.targetColumn) = ?2"
        removeAll = "DELETE FROM \(table) WHERE \(pairs.ownColumn) = ?1"
    }
}

/// The SQL of a side table.
struct SideStatements {
    let property: PropertyMapping
    let select: String
    let upsert: String
    let delete: String

    init(_ property: PropertyMapping, _ table: String) {
        self.property = property
        select = "SELECT data FROM \(table) WHERE storekeeper_id = ?1"
        upsert = "INSERT INTO \(table) (storekeeper_id, data) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET data = excluded.data"
        delete = "DELETE FROM \(table) WHERE storekeeper_id = ?1"
    }
}

/// A name as an SQL identifier.
func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

extension EntityMapping {
    /// What the query layer needs to know.
    fileprivate func queryTable(_ tableNames: [String: String]) -> EntityTable {
        var known: [AnyKeyPath: EntityTable.Property] = [:]
        for (keyPath, property) in keyPaths {
            known[keyPath] = EntityTable.Property(name: property.name, storage: property.queryStorage(tableNames))
        }
        return EntityTable(
            name: name, table: tableNames[tableName] ?? tableName, modelType: modelType, properties: known,
            identifierKeyPaths: chain.reduce(into: []) { $0.formUnion(identifierKeyPaths($1.modelType)) },
            ends: ends(modelType), classNames: isInHierarchy ? family.map(\.name) : nil)
    }

    private func ends<M: PersistentModel>(_ type: M.Type) -> [EntityTable.End] {
        let id: KeyPath<M, PersistentIdentifier> = \M.id
        let optionalID: KeyPath<M?, PersistentIdentifier?> = \M?.?.id
        let identifiers = [
            EntityTable.End(keyPath: \M.persistentModelID, optionalKeyPath: \M?.?.persistentModelID),
            EntityTable.End(keyPath: id, optionalKeyPath: optionalID),
        ]
        // The order of both is that of `schemaMetadata`.
        return zip(M.propertyMetadata, M._$optionalKeyPaths).map { EntityTable.End(keyPath: $0.keypath, optionalKeyPath: $1) } + identifiers
    }

    private func identifierKeyPaths<M: PersistentModel>(_ type: M.Type) -> Set<AnyKeyPath> {
        // The type picks the extension's `id`, whose key path programs write; without it, `\M.id` here is that of the requirement.
        let id: KeyPath<M, PersistentIdentifier> = \M.id
        return [\M.persistentModelID, id]
    }
}

extension PropertyMapping {
    fileprivate func queryStorage(_ tableNames: [String: String]) -> EntityTable.Storage {
        if attribute?.isCodable == true {
            return .unsearchable(reason: "its option .codable keeps it as one value that SQL does not look into")
        }
        if attribute?.isTransformable == true { return .unsearchable(reason: "SQL does not know its transformer") }
        if isEphemeral { return .unsearchable(reason: "it is ephemeral, and never stored") }
        if let sideTable { return .external(table: tableNames[sideTable] ?? sideTable) }
        if let kind { return .column(name, kind: kind) }
        guard let destination else { return .unsearchable(reason: "its model is not part of the schema") }
        // Nobody empties it then, when the target is deleted.
        let isLeft = inverse.map { $0.deleteRule == .noAction }
        if !isToMany { return .toOne(column: name, target: destination.name, canDangle: isLeft ?? true) }
        if let pairs {
            return .toManyByTable(
                table: tableNames[pairs.table] ?? pairs.table, ownerColumn: pairs.ownColumn, targetColumn: pairs.targetColumn,
                target: destination.name, canDangle: isLeft ?? false)
        }
        return .toManyByColumn(foreignColumn: inverse?.name ?? "", target: destination.name)
    }
}
