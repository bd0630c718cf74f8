import StoreMigration

/// What the properties of a version were called in the one before, from the `originalName`s of the newer of the two.
enum VersionRenames {
    static func between(_ old: SchemaMapping, _ new: SchemaMapping) -> [Rename] {
        old.isAfter(new) ? turned(forward(new, old)) : forward(old, new)
    }

    private static func forward(_ old: SchemaMapping, _ new: SchemaMapping) -> [Rename] { columns(old, new) + pairTables(old, new) }

    /// The same renames for the way back.
    private static func turned(_ renames: [Rename]) -> [Rename] {
        var tables: [String: String] = [:]
        for case .table(let from, let to) in renames { tables[to] = from }
        return renames.map { rename in
            switch rename {
            case .table(let from, let to): .table(from: to, to: from)
            case .column(let table, let from, let to): .column(table: tables[table] ?? table, from: to, to: from)
            }
        }
    }

    /// Renames that hold when a version is edited in place, where the older form is not known as models: whether names have been swapped already cannot
    /// be told, so that they are not.
    static func inPlace(_ mapping: SchemaMapping) -> [Rename] { mapping.entities.flatMap { declared($0, allowsCycles: false) } }

    private static func columns(_ old: SchemaMapping, _ new: SchemaMapping) -> [Rename] {
        new.entities.flatMap { entity in
            guard let formers = old.formers(of: entity, new) else { return declared(entity) }
            return entity.ownColumns.compactMap { property in
                guard let former = formers.former(property), former.hasColumn, former.name != property.name else { return nil }
                return .column(table: entity.tableName, from: former.name, to: property.name)
            }
        }
    }

    /// What a version says of its columns alone. The engine passes over what cannot be.
    private static func declared(_ entity: EntityMapping, allowsCycles: Bool = true) -> [Rename] {
        let original = Dictionary(
            entity.properties.filter { $0.originalName != $0.name }.map { ($0.name, $0.originalName) },
            uniquingKeysWith: { first, _ in first })
        func isInCycle(_ name: String) -> Bool {
            var (current, steps) = (original[name], 0)
            while let next = current, next != name, steps < original.count { (current, steps) = (original[next], steps + 1) }
            return current == name
        }
        return entity.ownColumns.filter { original[$0.name] != nil && (allowsCycles || !isInCycle($0.name)) }.map {
            .column(table: entity.tableName, from: $0.originalName, to: $0.name)
        }
    }

    /// A to-many in a table of pairs: another property name, here or on the other side, is another table name, and may turn
    /// the pairs round.
    private static func pairTables(_ old: SchemaMapping, _ new: SchemaMapping) -> [Rename] {
        var renames: [Rename] = []
        for entity in new.entities {
            guard let formers = old.formers(of: entity, new) else { continue }
            for property in entity.ownProperties {
                let former = formers.former(property)
                if let side = property.sideTable, let before = former?.sideTable, side != before {
                    renames.append(.table(from: before, to: side))
                }
                guard let pairs = property.pairs, pairs.isNamedAfterThis, let formerly = former?.pairs else { continue }
                if formerly.table != pairs.table { renames.append(.table(from: formerly.table, to: pairs.table)) }
                if formerly.ownColumn != pairs.ownColumn {
                    renames.append(.column(table: pairs.table, from: "source", to: "target"))
                    renames.append(.column(table: pairs.table, from: "target", to: "source"))
                }
            }
        }
        return renames
    }
}
