import StoreSQLite

/// What a save does about rows that others have connected to those that it deletes.
extension SaveOperation {
    /// Others have saved since the delete rules were applied, and what they saved refers to a row that is deleted.
    struct Overtaken: Error {}

    /// The stored targets of to-ones whose inverse is one too, of the rows that are to be deleted.
    struct Links {
        fileprivate var targets: [(property: PropertyMapping, numbers: [Int64])] = []
    }

    /// Looks before the deletion; nil where nobody has saved since the delete rules were applied, so that nothing need be checked.
    func linksOfDeletions(_ connection: Connection) throws -> Links? {
        guard !deletions.isEmpty, let seen = core.deletionsAt, try core.openStorage().writeCount != seen else { return nil }
        var links = Links()
        for part in deletions.parts {
            for property in part.entity.relationships where property.isOneToOne {
                let statement = try connection.statement(
                    "SELECT \(quoted(property.name)) FROM \(part.layout.table) "
                        + "WHERE storekeeper_id IN (SELECT value FROM json_each(?1)) AND \(quoted(property.name)) IS NOT NULL")
                defer { statement.reset() }
                try statement.bind(part.numbers, at: 1)
                var numbers: [Int64] = []
                while try statement.step() { numbers.append(statement.int64(0)) }
                if !numbers.isEmpty { links.targets.append((property, numbers)) }
            }
        }
        return links
    }

    /// Sees to it that no row refers to one that was deleted: two statements at most for each relationship.
    ///
    /// - Throws: `Overtaken`.
    func check(_ links: Links, _ connection: Connection) throws {
        for part in deletions.parts {
            for property in part.entity.relationships where property.isToMany && property.pairs == nil && property.deleteRule != .noAction {
                let statement = try connection.statement(part.layout.relatedOfMany(property))
                defer { statement.reset() }
                try statement.bind(part.numbers, at: 1)
                if try statement.step() { throw Overtaken() }
            }
        }
        for (property, numbers) in links.targets where property.deleteRule != .noAction {
            guard let inverse = property.inverse, let destination = property.destination else { continue }
            let found = try connection.scalar(
                "SELECT 1 FROM \(core.layout(of: destination).table) WHERE storekeeper_id IN (SELECT value FROM json_each(?1)) "
                    + "AND \(quoted(inverse.name)) IN (SELECT value FROM json_each(?2)) LIMIT 1",
                .text(numbers.numberList), .text(allDeleted(destination: inverse)))
            if found != nil { throw Overtaken() }
        }
    }

    /// The deleted rows that a relationship may lead to, as a JSON array.
    private func allDeleted(destination property: PropertyMapping) -> String {
        deletions.parts.filter { $0.entity.root === property.destination?.root }.flatMap(\.rows).map(\.id).numberList
    }
}

extension PendingRows.Part {
    /// The numbers of its rows, as a JSON array.
    fileprivate var numbers: String { rows.map(\.id).numberList }
}

extension ContextCore {
    /// Writes what is pending, in one transaction; where others have connected something to what is deleted, by the delete rules as if the
    /// deletion had come after.
    ///
    /// - Returns: what was done, and the identifiers of what was deleted.
    func save() throws -> (operation: SaveOperation, deleted: [PersistentIdentifier]) {
        while true {
            try applyDeleteRulesAgain()
            let operation = SaveOperation(self)
            let deleted = operation.deleted
            do {
                try operation.run()
                return (operation, deleted)
            } catch is SaveOperation.Overtaken {
                // They have saved again, or this would not be looked for.
                continue
            }
        }
    }
}
