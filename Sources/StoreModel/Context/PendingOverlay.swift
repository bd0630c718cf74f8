import Foundation
import StoreSQLite

/// What is pending in a context, as tables that stand before the store's within one statement: pending and stored rows follow one rule.
///
/// A fetch begins with a common table expression of the name of each table that it reads and that something is pending in: the store's rows
/// without those that are changed or deleted, and the rows of new and changed models, whose values `storekeeper_pending` gives.
///
/// `@unchecked Sendable`: it is made for one fetch, and used within it only.
final class PendingOverlay: @unchecked Sendable {
    /// The one of the fetch that this thread is in.
    @TaskLocal static var current: PendingOverlay?

    /// The pending rows of one table, which are those of a model and of all that inherit from it.
    private final class Table {
        let root: EntityMapping
        /// New and changed rows, in the order in which they are shown.
        var shown: [ModelRow] = []
        /// Rows of the store that are changed or deleted.
        var hidden: [Int64] = []
        var deleted: [Int64] = []
        /// The shown rows by their numbers.
        lazy var rows = Dictionary(shown.map { ($0.assuredID, $0) }, uniquingKeysWith: { first, _ in first })
        private var properties: [Int: [String: PropertyMapping]] = [:]

        init(_ root: EntityMapping) { self.root = root }

        var columns: [String] {
            (root.isInHierarchy ? [EntityTable.classColumn] : []) + root.tableColumns.map(\.name)
        }
        /// Those whose bytes lie in side tables.
        var sides: [PropertyMapping] { root.family.flatMap(\.ownProperties).filter { $0.sideTable != nil } }
        /// What can be asked for, by its number.
        lazy var names = columns + sides.map(\.name)

        func property(_ name: String, of entity: EntityMapping) -> PropertyMapping? {
            if let known = properties[entity.index] { return known[name] }
            let known = Dictionary(entity.properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            properties[entity.index] = known
            return known[name]
        }
    }

    private let core: ContextCore
    private var tables: [Int: Table] = [:]
    /// What the translation of a fetch has to know.
    private(set) var shape = PendingTables()

    /// Nil where nothing is pending.
    init?(_ core: ContextCore) {
        self.core = core
        for model in core.changed { add(model, .changed) }
        for model in core.inserted { add(model, .inserted) }
        for model in core.deleted { add(model, .deleted) }
        guard !tables.isEmpty else { return nil }
        for table in tables.values {
            let name = core.layout(of: table.root).tableName
            if !table.shown.isEmpty { shape.filled.insert(name) }
            if !table.deleted.isEmpty { shape.emptied.insert(name) }
        }
    }

    private func add(_ model: any PersistentModel, _ state: ModelRow.State) {
        guard let row = model._$modelRow, row.state == state, let root = row.table?.entity.root else { return }
        let table = tables[root.index] ?? Table(root)
        tables[root.index] = table
        if state != .deleted { table.shown.append(row) }
        guard row.id > 0 else { return }
        if state != .inserted { table.hidden.append(row.id) }
        if state == .deleted { table.deleted.append(row.id) }
    }

    /// Whether something is pending in the table of an entity.
    func touches(_ entity: EntityMapping) -> Bool { tables[entity.root.index] != nil }

    /// What `storekeeper_pending` gives.
    func value(_ number: Int, of id: Int64, in index: Int) -> Value {
        guard let table = tables[index], let row = table.rows[id], let entity = row.table?.entity else { return .null }
        let name = table.names[number]
        if name == EntityTable.classColumn { return .text(entity.name) }
        guard let property = table.property(name, of: entity) else { return .null }
        guard property.isExternal else { return row.sqlValue(at: property.index) ?? .null }
        return row.heldExternal(at: property.index).data.map { .blob(Array($0)) } ?? .null
    }

    // MARK: SQL

    /// The statement over what is pending, where it reads a table that something is pending in.
    func laid(over statement: FetchStatement, of root: String) -> FetchStatement {
        var expressions: [SQLFragment] = []
        for entity in core.layout.mapping.entities {
            guard let described = core.layout.catalog.entity(named: entity.name) else { continue }
            if entity.parent == nil, statement.tables.contains(described.table), let table = tables[entity.index] {
                expressions.append(rows(of: table, described.table, isRoot: described.table == root))
            }
            for property in entity.ownProperties {
                switch described.properties[property.keyPath]?.storage {
                case .external(let side) where statement.tables.contains(side):
                    if let table = tables[entity.root.index] { expressions.append(bytes(of: property, side, table)) }
                case .toManyByTable(let pairs, _, _, _, _) where statement.tables.contains(pairs):
                    guard property.pairs?.isNamedAfterThis == true else { break }
                    if let found = self.pairs(of: property, of: entity, pairs) { expressions.append(found) }
                default: break
                }
            }
        }
        guard !expressions.isEmpty else { return statement }
        let with: SQLFragment = "WITH \(expressions.joined(", ")) "
        return FetchStatement(
            sql: with.text + statement.sql, bindings: with.parameters.map(\.value) + statement.bindings, tables: statement.tables)
    }

    /// - Parameter isRoot: whether it is the table that is fetched from. What is asked of its rows goes into the expression, so that indexes
    ///   serve; another table's is put together once.
    private func rows(of table: Table, _ name: String, isRoot: Bool) -> SQLFragment {
        let columns = [EntityTable.identifierColumn] + table.columns
        let list = columns.map { SQLFragment.identifier($0) }.joined(", ")
        let values = (["e.value"] + table.columns.indices.map { "storekeeper_pending(\(table.root.index), e.value, \($0))" })
            .joined(separator: ", ")
        return """
            \(identifier: name)(\(list)) AS \(raw: isRoot ? "" : "MATERIALIZED ")(SELECT \(list) FROM main.\(identifier: name) \
            WHERE \(raw: EntityTable.identifierColumn) NOT IN \(numbers(table.hidden)) \
            UNION ALL SELECT \(raw: values) FROM json_each(\(json(table.shown.map(\.assuredID)))) AS e)
            """
    }

    private func bytes(of property: PropertyMapping, _ name: String, _ table: Table) -> SQLFragment {
        let held = table.shown.filter { row in
            // Of another class of the hierarchy, the same number is another property.
            guard row.table?.entity.chain.contains(where: { $0.name == property.entityName }) == true else { return false }
            return row.dirty.contains(property.index) && row.heldExternal(at: property.index).isHeld
        }.map(\.assuredID)
        let number = table.names.firstIndex(of: property.name) ?? 0
        return """
            \(identifier: name)(storekeeper_id, data) AS (SELECT storekeeper_id, data FROM main.\(identifier: name) \
            WHERE storekeeper_id NOT IN \(numbers(held + table.deleted)) \
            UNION ALL SELECT e.value, storekeeper_pending(\(raw: "\(table.root.index)"), e.value, \(raw: "\(number)")) \
            FROM json_each(\(json(held))) AS e)
            """
    }

    /// The pairs of a to-many, from the side that the table is named after, and of its inverse. Nil where none has changed.
    private func pairs(of property: PropertyMapping, of entity: EntityMapping, _ name: String) -> SQLFragment? {
        guard let destination = property.destination else { return nil }
        let (source, target) = (tables[entity.root.index], tables[destination.root.index])
        guard source != nil || target != nil else { return nil }
        var added: [[Int64]] = [], removed: [[Int64]] = []
        func collect(_ property: PropertyMapping, _ table: Table?, _ turned: Bool) {
            for row in table?.shown ?? [] {
                guard row.dirty.contains(property.index),
                    row.table?.entity.chain.contains(where: { $0.name == property.entityName }) == true
                else { continue }
                let (references, id) = (row.toMany(at: property.index), row.assuredID)
                for other in references.removed { removed.append(turned ? [other, id] : [id, other]) }
                for model in references.added where model._$modelRow?.state != .deleted && model._$modelRow?.state != .gone {
                    added.append(turned ? [model._rowID, id] : [id, model._rowID])
                }
            }
        }
        collect(property, source, false)
        if let inverse = property.inverse { collect(inverse, target, true) }
        return """
            \(identifier: name)(source, target) AS (SELECT source, target FROM main.\(identifier: name) \
            WHERE source NOT IN \(numbers(source?.deleted ?? [])) AND target NOT IN \(numbers(target?.deleted ?? [])) \
            AND (source, target) NOT IN (SELECT \(Self.pair) FROM json_each(\(json(removed)))) \
            UNION SELECT \(Self.pair) FROM json_each(\(json(added))))
            """
    }

    private static let pair: SQLFragment = "json_extract(value, '$[0]'), json_extract(value, '$[1]')"

    private func numbers(_ ids: [Int64]) -> SQLFragment { "(SELECT value FROM json_each(\(json(ids))))" }

    private func json(_ value: some Sequence) -> SQLFragment { .parameter(.text(Self.text(Array(any: value)))) }

    private static func text(_ list: [Any]) -> String {
        "[" + list.map { ($0 as? [Int64]).map { "[\($0[0]),\($0[1])]" } ?? "\($0)" }.joined(separator: ",") + "]"
    }
}
