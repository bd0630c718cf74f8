import StoreMigration

/// What the properties of a version were called in the one before, from the `originalName`s of the newer of the two.
enum VersionRenames {
    static func between(_ old: SchemaMapping, _ new: SchemaMapping) -> [Rename] {
        old.isAfter(new) ? turned(forward(new, old)) : forward(old, new)
    }

    private static func forward(_ old: SchemaMapping, _ new: SchemaMapping) -> [Rename] { columns(new) + pairTables(old, new) }

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

    /// Renames that hold when a version is edited in place, where the older form is not known as models.
    static func inPlace(_ mapping: SchemaMapping) -> [Rename] { columns(mapping) }

    private static func columns(_ mapping: SchemaMapping) -> [Rename] {
        mapping.entities.flatMap { entity in
            entity.ownColumns.filter { $0.originalName != $0.name }.map {
                .column(table: entity.tableName, from: $0.originalName, to: $0.name)
            }
        }
    }

    /// A to-many in a table of pairs: another property name, here or on the other side, is another table name, and may turn
    /// the pairs round.
    private static func pairTables(_ old: SchemaMapping, _ new: SchemaMapping) -> [Rename] {
        var renames: [Rename] = []
        for entity in new.entities {
            for property in entity.ownProperties {
                if let side = property.sideTable, property.originalName != property.name,
                    old.entity(named: entity.name)?.ownProperties.contains(where: { $0.name == property.originalName && $0.isExternal })
                        == true
                {
                    renames.append(.table(from: "\(entity.name)_\(property.originalName)", to: side))
                }
                guard let pairs = property.pairs, pairs.isNamedAfterThis, let older = old.entity(named: entity.name) else { continue }
                let before =
                    older.properties.first { $0.name == property.originalName } ?? older.properties.first { $0.name == property.name }
                guard let formerly = before?.pairs else { continue }
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
