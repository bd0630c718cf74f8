import Foundation
import StoreSQLite

/// What one save did, on its way into the history.
struct HistoryRecord {
    enum Kind: String {
        case insert, update, delete
    }

    private struct Group: Hashable {
        let entity: Int
        let kind: Kind
        let dirty: PropertySet
    }

    private struct Entry {
        let group: Group
        var rows: [Int64] = []
        /// Those whose values stay when the model goes.
        let preserved: [PropertyMapping]
        var tombstones: [[String: String]] = []
    }

    private let core: ContextCore
    private var entries: [Entry] = []
    private var places: [Group: Int] = [:]
    /// Where the last row went: the next one mostly goes there too.
    private var last = -1

    init(_ core: ContextCore) {
        self.core = core
    }

    /// Notes rows; call it before they become clean.
    ///
    /// - Parameter updating: rows that are updates all the same: new models that stand for a row that was there.
    mutating func note(_ rows: PendingRows, _ kind: Kind, updating: Set<ObjectIdentifier> = []) {
        for part in rows.parts {
            for row in part.rows {
                let isUpdate = !updating.isEmpty && updating.contains(ObjectIdentifier(row))
                note(row, isUpdate ? .update : kind, part.entity)
            }
        }
    }

    private mutating func note(_ row: ModelRow, _ kind: Kind, _ entity: EntityMapping) {
        let group = Group(entity: entity.index, kind: kind, dirty: kind == .update ? row.dirty : PropertySet())
        if last < 0 || entries[last].group != group { last = place(of: group, entity) }
        entries[last].rows.append(row.id)
        guard kind == .delete, !entries[last].preserved.isEmpty else { return }
        var kept: [String: String] = [:]
        for property in entries[last].preserved { kept[property.name] = Self.text(row.original ?? row, property) }
        entries[last].tombstones.append(kept)
    }

    /// Notes a change of one property of a row that is not pending.
    mutating func noteUpdate(of row: Int64, _ entity: EntityMapping, _ property: PropertyMapping) {
        last = place(of: Group(entity: entity.index, kind: .update, dirty: PropertySet(property.index)), entity)
        entries[last].rows.append(row)
    }

    private mutating func place(of group: Group, _ entity: EntityMapping) -> Int {
        if let place = places[group] { return place }
        let preserved = group.kind == .delete ? entity.properties.filter(\.isPreserved) : []
        places[group] = entries.count
        entries.append(Entry(group: group, preserved: preserved))
        return entries.count - 1
    }

    private static func text(_ row: ModelRow, _ property: PropertyMapping) -> String? {
        guard let value = row.value(at: property.index), let value = value as? any Encodable else { return nil }
        if let optional = value as? any OptionalValue, optional.wrappedValue == nil { return nil }
        return try? JSONText.encode(value)
    }

    /// Writes one transaction, and deletes those that it makes too many or too old.
    ///
    /// - Returns: its number; nil where nothing was noted.
    func write(author: String?, keeping retention: HistoryRetention, _ connection: Connection) throws -> Int64? {
        guard !entries.isEmpty else { return nil }
        try HistoryTables.make(connection)
        let now = Date().timeIntervalSinceReferenceDate
        try connection.run(
            "INSERT INTO storekeeper_transactions(saved_at, author, program, process) VALUES (?, ?, ?, ?)",
            .real(now), author.map(Value.text) ?? .null, .text(Self.program),
            .text(String(ProcessInfo.processInfo.processIdentifier)))
        let transaction = connection.lastInsertRowID
        for (number, entry) in entries.enumerated() {
            let group = entry.group
            let entity = core.layout.mapping.entities[group.entity]
            let properties = entity.properties.filter { group.dirty.contains($0.index) }.map(\.name)
            try connection.run(
                """
                INSERT INTO storekeeper_changes(transaction_id, number, entity, kind, rows, properties, tombstones) \
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                .integer(transaction), .integer(Int64(number)), .text(entity.name), .text(group.kind.rawValue),
                .blob(PackedRows.pack(entry.rows)), group.kind == .update ? .text(try JSONText.encode(properties)) : .null,
                entry.tombstones.isEmpty ? .null : .text(try JSONText.encode(entry.tombstones)))
        }
        try retention.trim(after: transaction, at: now, connection)
        return transaction
    }

    private static let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
}

extension PropertyMapping {
    /// Whether a deleted model's value stays in the history.
    var isPreserved: Bool { attribute?.options.contains(.preserveValueOnDeletion) == true }
}
