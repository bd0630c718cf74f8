/// A table or a column that a version calls otherwise than the version before.
package enum Rename: Sendable, Hashable {
    case table(from: String, to: String)
    /// `table` is the table's name in the newer version.
    case column(table: String, from: String, to: String)
}

/// The renames of one stage that really apply, checked against both schemas as a whole.
struct ResolvedRenames: Sendable {
    /// The newer name of a table by the folded older one; every table that both versions have is in it.
    private(set) var newName: [String: String] = [:]
    /// The older name of a table by the folded newer one.
    private(set) var oldName: [String: String] = [:]
    /// Of a table, by its folded newer name: the older name of a column by the folded newer one.
    private(set) var oldColumns: [String: [String: String]] = [:]

    /// - Parameter lenient: ignore a rename whose source is gone or whose destination the older version has already, as SwiftData does:
    ///   `originalName` stays in the source for good.
    /// - Throws: `MigrationRefusal` naming every rename that cannot be.
    init(_ renames: [Rename], from old: RelationalSchema, to new: RelationalSchema, lenient: Bool) throws {
        var refusals: [Refusal] = []
        let tables = Self.pairs(
            renames.compactMap { if case .table(let from, let to) = $0 { (from, to) } else { nil } }, old: old.tables.map(\.name),
            new: new.tables.map(\.name), what: { "table \($0)" }, other: { old.otherKind(of: $0) }, lenient: lenient,
            refusals: &refusals)
        for (older, newer) in tables {
            newName[SQLName.folded(older)] = newer
            oldName[SQLName.folded(newer)] = older
        }
        for case .column(let table, _, _) in renames where !lenient && oldName[SQLName.folded(table)] == nil {
            let reason =
                new.table(table) == nil
                ? "a rename of a column names it, but the new version has no such table"
                : "a rename of a column names it, but the table is new"
            refusals.append(Refusal(object: "table \(table)", reason: reason))
        }
        for table in new.tables {
            guard let older = oldName[SQLName.folded(table.name)], let oldTable = old.table(older) else { continue }
            let columns = renames.compactMap { rename -> (String, String)? in
                guard case .column(let name, let from, let to) = rename, SQLName.same(name, table.name) else { return nil }
                return (from, to)
            }
            let pairs = Self.pairs(
                columns, old: oldTable.columns.map(\.name), new: table.columns.map(\.name),
                what: { "table \(table.name), column \($0)" }, lenient: lenient, refusals: &refusals)
            oldColumns[SQLName.folded(table.name)] = Dictionary(
                pairs.map { (SQLName.folded($0.new), $0.old) }, uniquingKeysWith: { first, _ in first })
        }
        if !refusals.isEmpty { throw MigrationRefusal(refusals) }
    }

    /// The older name of a column that both versions have; nil for a new one. Both names are those of the newer version.
    func oldColumn(_ column: String, of table: String) -> String? {
        oldColumns[SQLName.folded(table)]?[SQLName.folded(column)]
    }

    /// Pairs what the older version has with what the newer one has: by a rename, else by the same name.
    private static func pairs(
        _ renames: [(from: String, to: String)], old: [String], new: [String], what: (String) -> String,
        other: (String) -> String? = { _ in nil }, lenient: Bool, refusals: inout [Refusal]
    ) -> [(old: String, new: String)] {
        let oldNames = Dictionary(old.map { (SQLName.folded($0), $0) }, uniquingKeysWith: { first, _ in first })
        let newNames = Dictionary(new.map { (SQLName.folded($0), $0) }, uniquingKeysWith: { first, _ in first })
        let destinations = Set(renames.map { SQLName.folded($0.to) })
        var source: [String: String] = [:]
        var claimed: [String: String] = [:]
        for (from, to) in renames {
            let (from, to) = (SQLName.folded(from), SQLName.folded(to))
            guard let oldName = oldNames[from], let newName = newNames[to] else {
                if !lenient {
                    let reason =
                        if oldNames[from] != nil {
                            "nothing has the name that it is to get, \(to)"
                        } else if let kind = other(from) {
                            "it is to be renamed to \(to), but it is a \(kind), and only tables and columns are renamed: drop it and make the new one"
                        } else {
                            "it is to be renamed to \(to), but the version before has no such name"
                        }
                    refusals.append(Refusal(object: what(from), reason: reason))
                }
                continue
            }
            // Both names are in the older version, and the source goes on under its own name: this rename was done by an earlier stage.
            if from != to, lenient, oldNames[to] != nil, newNames[from] != nil, !destinations.contains(from) { continue }
            if let other = claimed[from] {
                refusals.append(
                    Refusal(object: what(oldName), reason: "both \(other) and \(newName) claim to be what was called \(oldName)"))
                continue
            }
            claimed[from] = newName
            source[to] = from
        }
        return new.compactMap { name in
            let folded = SQLName.folded(name)
            if let from = source[folded], let older = oldNames[from] { return (older, name) }
            guard claimed[folded] == nil, let older = oldNames[folded] else { return nil }
            return (older, name)
        }
    }
}

extension RelationalSchema {
    /// What has this name without being a table whose rows could be kept.
    fileprivate func otherKind(of name: String) -> String? {
        if virtualTables.contains(where: { SQLName.same($0.name, name) }) { return "virtual table" }
        return views.contains { SQLName.same($0.name, name) } ? "view" : nil
    }
}
