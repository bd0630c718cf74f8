import Foundation
import StoreSQLite

/// Reads a store's history as transactions.
struct HistoryReader {
    private let mapping: SchemaMapping
    private let store: String

    init(_ mapping: SchemaMapping, store: String) {
        self.mapping = mapping
        self.store = store
    }

    /// The transactions that a descriptor describes.
    ///
    /// A descriptor is evaluated in Swift, over transactions: those are few beside the rows.
    ///
    /// - Throws: `SwiftDataError.historyTokenExpired` where the predicate names a place whose following transactions have been deleted.
    func transactions(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ connection: Connection) throws
        -> [DefaultHistoryTransaction]
    {
        let tokens = Self.tokens(in: descriptor.predicate)
        guard try HistoryTables.exist(connection) else { return [] }
        try checkExpiry(tokens, connection)
        var found = try all(connection)
        if let predicate = descriptor.predicate { found = try found.filter { try predicate.evaluate($0) } }
        if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
        guard descriptor.fetchLimit > 0, descriptor.fetchLimit < UInt64(found.count) else { return found }
        return Array(found.prefix(Int(descriptor.fetchLimit)))
    }

    /// The transactions after one, in their order.
    func transactions(after place: Int64, _ connection: Connection) throws -> [DefaultHistoryTransaction] {
        try HistoryTables.exist(connection) ? all(connection, after: place) : []
    }

    /// The number of the first transaction that is kept; where there is none, of the next.
    static func first(_ connection: Connection) throws -> Int64 {
        guard try HistoryTables.exist(connection) else { return 1 }
        return try connection.scalar("SELECT min(id) FROM storekeeper_transactions")?.integer ?? last(connection) + 1
    }

    /// The number of the last transaction; 0 before the first.
    static func last(_ connection: Connection) throws -> Int64 {
        guard try HistoryTables.exist(connection) else { return 0 }
        return try connection.scalar("SELECT seq FROM sqlite_sequence WHERE name = 'storekeeper_transactions'")?.integer ?? 0
    }

    /// - Throws: `SwiftDataError.historyTokenExpired` when transactions after one of these places have been deleted.
    func checkExpiry(_ tokens: [DefaultHistoryToken], _ connection: Connection) throws {
        guard let earliest = tokens.compactMap({ $0.tokenValue?[store] }).min() else { return }
        let first = try Self.first(connection)
        guard earliest + 1 < first else { return }
        throw SwiftDataError(
            .historyTokenExpired, "the history after transaction \(earliest) has been deleted; it begins at \(first)",
            remedy: "read the models anew, and go on from the last transaction")
    }

    /// The tokens that a predicate has captured.
    private static func tokens(in predicate: Predicate<DefaultHistoryTransaction>?) -> [DefaultHistoryToken] {
        guard let predicate else { return [] }
        var found: [DefaultHistoryToken] = []
        func look(_ value: Any, depth: Int) {
            if let token = value as? DefaultHistoryToken {
                found.append(token)
            } else if depth < 64 {
                for child in Mirror(reflecting: value).children { look(child.value, depth: depth + 1) }
            }
        }
        look(predicate.expression, depth: 0)
        return found
    }

    private func all(_ connection: Connection, after place: Int64 = 0) throws -> [DefaultHistoryTransaction] {
        var changes: [Int64: [HistoryChange]] = [:]
        for row in try connection.rows(
            """
            SELECT transaction_id, entity, kind, rows, properties, tombstones FROM storekeeper_changes WHERE transaction_id > ?1 \
            ORDER BY transaction_id, number
            """, .integer(place))
        {
            guard let transaction = row[0].integer, let entity = mapping.entity(named: row[1].text ?? ""),
                let kind = HistoryRecord.Kind(rawValue: row[2].text ?? ""), case .blob(let packed) = row[3]
            else { continue }
            let group = ChangeGroup(
                transaction: transaction, entity: entity, kind: kind, rows: PackedRows.unpack(packed),
                properties: try row[4].text.map { try JSONText.decode([String].self, from: $0) } ?? [],
                tombstones: try row[5].text.map { try JSONText.decode([[String: String]].self, from: $0) } ?? [], store: store)
            let before = changes[transaction] ?? []
            changes[transaction] = before + group.changes(from: Int64(before.count))
        }
        return try connection.rows(
            "SELECT id, saved_at, author, program, process FROM storekeeper_transactions WHERE id > ?1 ORDER BY id", .integer(place)
        ).compactMap { row in
            guard let id = row[0].integer, case .real(let time) = row[1] else { return nil }
            return DefaultHistoryTransaction(
                timestamp: Date(timeIntervalSinceReferenceDate: time), changes: changes[id] ?? [], token: DefaultHistoryToken([store: id]),
                transactionIdentifier: id, storeIdentifier: store, bundleIdentifier: row[3].text ?? "",
                processIdentifier: row[4].text ?? "",
                author: row[2].text)
        }
    }
}

/// What a transaction did to the rows of one entity in one way.
private struct ChangeGroup {
    let transaction: Int64
    let entity: EntityMapping
    let kind: HistoryRecord.Kind
    let rows: [Int64]
    let properties: [String]
    let tombstones: [[String: String]]
    let store: String

    func changes(from start: Int64) -> [HistoryChange] {
        func open<M: PersistentModel>(_ type: M.Type) -> [HistoryChange] { changes(type, start) }
        return open(entity.modelType)
    }

    private func changes<M: PersistentModel>(_ type: M.Type, _ start: Int64) -> [HistoryChange] {
        let updated = type.propertyMetadata.filter { properties.contains($0.name) }
            .compactMap { ($0.keypath as? PartialKeyPath<M>).map(Self.sendable) }
        return rows.enumerated().map { offset, row in
            // Unique in the store: transactions are numbered below 2³¹.
            let change = transaction << 32 | (start + Int64(offset))
            let identifier = PersistentIdentifier(entityName: entity.name, storeIdentifier: store, row: row)
            switch kind {
            case .insert:
                return .insert(
                    DefaultHistoryInsert<M>(
                        changeIdentifier: change, transactionIdentifier: transaction, changedPersistentIdentifier: identifier))
            case .update:
                return .update(
                    DefaultHistoryUpdate<M>(
                        changeIdentifier: change, transactionIdentifier: transaction, changedPersistentIdentifier: identifier,
                        updatedAttributes: updated))
            case .delete:
                let kept = tombstones.indices.contains(offset) ? tombstones[offset] : [:]
                return .delete(
                    DefaultHistoryDelete<M>(
                        changeIdentifier: change, transactionIdentifier: transaction, changedPersistentIdentifier: identifier,
                        tombstone: HistoryTombstone(values(type, kept))))
            }
        }
    }

    /// Key paths of a model's metadata capture nothing, but only literals are marked as what can be shared.
    private static func sendable<M>(_ keyPath: PartialKeyPath<M>) -> any PartialKeyPath<M> & Sendable {
        unsafeBitCast(keyPath, to: (any PartialKeyPath<M> & Sendable).self)
    }

    private func values<M: PersistentModel>(_ type: M.Type, _ kept: [String: String]) -> [(keyPath: AnyKeyPath, value: any Sendable)] {
        type.propertyMetadata.compactMap { property in
            guard let text = kept[property.name],
                let decodable = Swift.type(of: property.keypath).valueType as? any Decodable.Type,
                let value = try? JSONText.decode(decodable, from: text)
            else { return nil }
            return (property.keypath, unsafeBitCast(value as Any, to: (any Sendable).self))
        }
    }
}
