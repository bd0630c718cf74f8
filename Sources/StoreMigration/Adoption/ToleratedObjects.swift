import FoundationEssentials
import StoreSQLite
import StoreShared

/// What an adopted store has beyond its version, and is let keep: such columns and objects survive rebuilds and are no drift.
///
/// The store keeps them in its metadata, one JSON object a line.
package struct ToleratedObjects: Sendable, Hashable {
    /// One column or one object of the schema.
    struct Entry: Sendable, Hashable, Codable {
        enum Kind: String, Sendable, Codable { case column, table, virtualTable, index, view, trigger }

        var kind: Kind
        /// The table that it belongs to; of a table or view its own name.
        var table: String
        var name: String
        /// Of a column its definition, else the CREATE statement.
        var sql: String

        /// For people: `table note, column extra`.
        var description: String {
            switch kind {
            case .column: "table \(table), column \(name)"
            case .virtualTable: "virtual table \(name)"
            default: "\(kind.rawValue) \(name)"
            }
        }
    }

    private(set) var entries: [Entry] = []

    init() {}

    package var isEmpty: Bool { entries.isEmpty }

    /// One line an object, for people.
    package var descriptions: [String] { entries.map(\.description) }
}

extension ToleratedObjects {
    /// - Throws: `StoreError.unreadable` for a list that this release cannot read.
    package init(_ metadata: StoreMetadata) throws {
        let decoder = JSONDecoder()
        entries = try (metadata.tolerated ?? "").split(separator: "\n").map { line in
            do {
                return try decoder.decode(Entry.self, from: Data(line.utf8))
            } catch {
                throw StoreError(
                    .unreadable, "the metadata names tolerated objects that cannot be read: \(line)",
                    remedy: "open it with the release that adopted it", cause: error)
            }
        }
    }

    /// As the metadata keep it; nil for none.
    package var text: String? {
        guard !entries.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return entries.compactMap { try? encoder.encode($0) }.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    }

    /// Everything that the first schema has and the second has not.
    init(in actual: RelationalSchema, beyond expected: RelationalSchema) {
        for table in actual.tables {
            guard let known = expected.table(table.name) else {
                entries.append(Entry(kind: .table, table: table.name, name: table.name, sql: table.sql))
                continue
            }
            for column in table.columns where known.column(column.name) == nil {
                entries.append(Entry(kind: .column, table: known.name, name: column.name, sql: column.sql))
            }
        }
        add(.virtualTable, actual.virtualTables.map { ($0.name, $0.name, $0.sql) }, beyond: expected.virtualTables.map(\.name))
        add(.index, actual.indexes.map { ($0.table, $0.name, $0.sql) }, beyond: expected.indexes.map(\.name))
        add(.view, actual.views.map { ($0.name, $0.name, $0.sql) }, beyond: expected.views.map(\.name))
        add(.trigger, actual.triggers.map { ($0.table, $0.name, $0.sql) }, beyond: expected.triggers.map(\.name))
    }

    private mutating func add(_ kind: Entry.Kind, _ objects: [(table: String, name: String, sql: String)], beyond names: [String]) {
        let known = Set(names.map(SQLName.folded))
        for object in objects where !known.contains(SQLName.folded(object.name)) {
            entries.append(Entry(kind: kind, table: object.table, name: object.name, sql: object.sql))
        }
    }

    /// What is left to tolerate after a stage, whose version may call tables otherwise.
    func after(_ stage: PlannedStage) -> ToleratedObjects {
        var result = self
        for case .table(let from, let to) in stage.renames {
            for index in result.entries.indices where SQLName.same(result.entries[index].table, from) {
                result.entries[index].table = to
            }
        }
        return result
    }

    /// Makes them in an empty database that has the version's own schema.
    ///
    /// - Returns: those that were made. What the version has itself, and what belonged to a table that it does not have, falls away.
    /// - Throws: `StoreError.planRefused` naming an object that cannot be beside this version.
    func added(to connection: Connection, version: SchemaVersion) throws -> ToleratedObjects {
        var result = ToleratedObjects()
        for entry in entries {
            if try isNeedless(entry, connection) { continue }
            do {
                if entry.kind == .column {
                    try connection.run("ALTER TABLE \(SQLName.quoted(entry.table)) ADD COLUMN \(entry.sql)")
                } else {
                    try connection.run(entry.sql)
                }
            } catch {
                throw StoreError(
                    .planRefused, "\(entry.description), which the store has beyond its version, cannot be beside version \(version)",
                    remedy: "remove it, or declare it in the plan", cause: error)
            }
            result.entries.append(entry)
        }
        return result
    }

    private func isNeedless(_ entry: Entry, _ connection: Connection) throws -> Bool {
        func exists(_ name: String) throws -> Bool {
            try connection.scalar("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE", .text(name)) != nil
        }
        switch entry.kind {
        case .table, .virtualTable, .view:
            return try exists(entry.name)
        case .index, .trigger:
            return try exists(entry.name) || !exists(entry.table)
        case .column:
            guard try exists(entry.table) else { return true }
            return try connection.scalar(
                "SELECT 1 FROM pragma_table_xinfo(?) WHERE name = ? COLLATE NOCASE", .text(entry.table), .text(entry.name)) != nil
        }
    }
}
