import Foundation
import StoreMigration
import StoreSQLite
import Synchronization

/// A store that a program brings, behind tables in memory that hold what was fetched from it.
///
/// Contexts find, sort and relate models in those tables, as in a store of ours; a fetch first asks the program's store and brings the tables
/// up to date, a save first writes them and then hands the changes over, in one transaction: what the store refuses is undone here too.
final class CustomStorage: ModelStorage {
    let allowsSave = true
    /// The program's store keeps its history itself, if it has one.
    let historyRetention: HistoryRetention? = nil
    private let engine: any StoreEngine
    private let mirror: InMemoryStorage
    private let mapping: SchemaMapping
    private let layout: StoreLayout
    private let numbers = Mutex(Numbers())
    private let populated = Mutex<Set<Int>>([])

    /// Row numbers of the tables in memory for identifiers of the store; no two tables have one in common.
    private struct Numbers {
        var next: Int64 = 1
        var ofIdentifiers: [PersistentIdentifier: Int64] = [:]
        var identifiers: [Int64: PersistentIdentifier] = [:]

        mutating func number(_ identifier: PersistentIdentifier) -> Int64 {
            if let number = ofIdentifiers[identifier] { return number }
            defer { next += 1 }
            set(identifier, next)
            return next
        }

        mutating func set(_ identifier: PersistentIdentifier, _ number: Int64) {
            ofIdentifiers[identifier] = number
            identifiers[number] = identifier
        }
    }

    init(_ engine: any StoreEngine, _ mapping: SchemaMapping) throws {
        self.engine = engine
        self.mapping = mapping
        layout = StoreLayout(mapping)
        mirror = try InMemoryStorage(statements: mapping.snapshot().statements, allowsSave: true, retention: .unlimited)
    }

    var storeIdentifier: String { engine.identifier }
    var commitCount: UInt64 { mirror.commitCount }
    func read<T>(_ body: (Connection) throws -> T) throws -> T { try mirror.read(body) }
    func write<T>(changing entities: Set<String>, _ body: (Connection) throws -> T) throws -> T {
        try mirror.write(changing: entities, body)
    }
    func close() {}

    func reserveNumbers(_ count: Int) -> Int64? {
        numbers.withLock { numbers in
            defer { numbers.next += Int64(count) }
            return numbers.next
        }
    }

    // MARK: Identifiers

    /// The store's identifier of a row; a temporary one for a row that the store has not taken yet.
    func identifier(_ number: Int64, entityName: String) -> PersistentIdentifier {
        numbers.withLock { $0.identifiers[number] } ?? PersistentIdentifier(entityName: entityName, storeIdentifier: nil, row: -abs(number))
    }

    func number(_ identifier: PersistentIdentifier, _ state: EditingState) throws -> Int64? {
        if let row = identifier.row, row < 0 { return row }
        if let number = numbers.withLock({ $0.ofIdentifiers[identifier] }) { return number }
        guard let entity = mapping.entity(named: identifier.entityName) else { return nil }
        try populate(entity, state)
        return numbers.withLock { $0.ofIdentifiers[identifier] }
    }

    // MARK: Fetching

    /// Asks the store for what a descriptor describes, and for what it may be related to.
    func bringUpToDate<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, _ core: ContextCore, _ state: EditingState) throws {
        guard let entity = mapping.entity(for: T.self) else { return }
        let found = try engine.fetch(descriptor, state)
        try take(found.snapshots + found.related)
        let present = Set(numbers.withLock { numbers in found.snapshots.map { numbers.number($0.persistentIdentifier) } })
        var all = FetchDescriptor<T>(predicate: found.isFiltered ? descriptor.predicate : nil)
        all.includePendingChanges = false
        let known = try FetchOperation(core, all).rowNumbers()
        try drop(known[0..<known.count].filter { !present.contains($0) }, of: entity)
        if !found.isFiltered { populated.withLock { _ = $0.insert(entity.index) } }
        for destination in entity.family.flatMap(\.relationships).compactMap(\.destination) { try populate(destination, state) }
    }

    /// Fetches all models of an entity, and of what they are related to, unless that has been done.
    private func populate(_ entity: EntityMapping, _ state: EditingState) throws {
        guard populated.withLock({ $0.insert(entity.index).inserted }) else { return }
        func all<M: PersistentModel>(_ type: M.Type) throws -> EngineFetch { try engine.fetch(FetchDescriptor<M>(), state) }
        let found = try all(entity.modelType)
        try take(found.snapshots + found.related)
        for destination in entity.relationships.compactMap(\.destination) { try populate(destination, state) }
    }

    private func take(_ snapshots: [any DataStoreSnapshot]) throws {
        guard !snapshots.isEmpty else { return }
        try mirror.write(changing: []) { connection in
            for snapshot in snapshots { try take(snapshot, connection) }
        }
    }

    private func take(_ snapshot: any DataStoreSnapshot, _ connection: Connection) throws {
        let identifier = snapshot.persistentIdentifier
        guard let entity = mapping.entity(named: identifier.entityName) else {
            throw SwiftDataError(
                .unknownSchema, "the store \(storeIdentifier) gave a snapshot of \(identifier.entityName), which the schema does not have",
                remedy: "add it to the container's schema")
        }
        let number = numbers.withLock { $0.number(identifier) }
        let values = try SnapshotCoding.values(snapshot)
        let layout = layout.entities[entity.index]
        let row = entity.rowType.init()
        for property in entity.properties {
            guard let value = values[property.name] else { continue }
            if property.isToMany {
                try takePairs(SnapshotCoding.identifiers(value), property, number, layout, connection)
            } else if property.destinationType != nil {
                let target = SnapshotCoding.identifier(value)
                row.setToOne(ToOneReference(id: target.map { t in numbers.withLock { $0.number(t) } } ?? 0, model: nil), at: property.index)
            } else {
                try set(value, property, row, identifier)
            }
        }
        try connection.run("DELETE FROM \(layout.table) WHERE storekeeper_id = ?", .integer(number))
        let statement = try connection.statement(layout.insert)
        try statement.bind(number, at: 1)
        var binder = RowBinder(statement, from: 2, wanted: entity.allProperties)
        row._bind(&binder)
        if let failure = binder.failure { throw failure }
        try statement.run()
        for side in layout.sides {
            guard let data = row.heldExternal(at: side.property.index).data else { continue }
            try connection.run(side.upsert, .integer(number), .blob([UInt8](data)))
        }
    }

    private func set(
        _ value: any Codable & Sendable, _ property: PropertyMapping, _ row: ModelRow, _ identifier: PersistentIdentifier
    ) throws {
        let type = Swift.type(of: property.keyPath).valueType
        if property.isOptional, case .null? = value as? RawValue { return }
        guard SnapshotCoding.set(value, at: property.index, of: row, type: type) else {
            throw SwiftDataError.modelValidation(
                "the snapshot of \(identifier) has a \(property.name) that is no \(type)",
                remedy: "let the store \(storeIdentifier) code it as the property's type does")
        }
    }

    private func takePairs(
        _ targets: [PersistentIdentifier], _ property: PropertyMapping, _ number: Int64, _ layout: EntityLayout, _ connection: Connection
    ) throws {
        guard let pairs = layout.pairs[property.index] else { return }
        try connection.run(pairs.removeAll, .integer(number))
        for target in targets {
            try connection.run(pairs.insert, .integer(number), .integer(numbers.withLock { $0.number(target) }))
        }
    }

    private func drop(_ rows: [Int64], of entity: EntityMapping) throws {
        guard !rows.isEmpty else { return }
        let layout = layout.entities[entity.index]
        try mirror.write(changing: []) { connection in
            for row in rows { try connection.run(layout.delete, .integer(row)) }
        }
    }

    // MARK: Saving

    /// Hands the changes of a save over; called before it commits.
    func handOver(inserted: [ModelRow], changed: [ModelRow], deleted: [ModelRow], _ core: ContextCore) throws {
        func backings(_ rows: [ModelRow]) -> [any BackingData] { rows.compactMap { $0 as? any BackingData } }
        let saved = try engine.save(
            EngineChanges(inserted: backings(inserted), updated: backings(changed), deleted: backings(deleted)),
            core.context?.editingState ?? EditingState())
        for row in inserted {
            guard let entity = row.table?.entity else { continue }
            let temporary = identifier(row.id, entityName: entity.name)
            guard let permanent = saved.remapped[temporary] else {
                throw SwiftDataError.modelValidation(
                    "the store \(storeIdentifier) gave no identifier for a new \(entity.name)",
                    remedy: "let its save return one in remappedIdentifiers for each inserted snapshot")
            }
            numbers.withLock { $0.set(permanent, row.id) }
        }
        let gone = deleted.map(\.id)
        numbers.withLock { numbers in
            for number in gone {
                if let identifier = numbers.identifiers.removeValue(forKey: number) { numbers.ofIdentifiers[identifier] = nil }
            }
        }
        // Values that the store has set itself are read with the next fetch.
        populated.withLock { $0.subtract(saved.changed.compactMap { mapping.entity(named: $0.persistentIdentifier.entityName)?.index }) }
    }

    func eraseEngine() throws { try engine.erase() }

    // MARK: Contexts

    func begin(_ state: EditingState) { engine.begin(state) }
    func end(_ state: EditingState) { engine.end(state) }
}
