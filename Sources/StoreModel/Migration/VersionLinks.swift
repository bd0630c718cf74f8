import StoreMigration
import StoreShared

/// Relationships that lie elsewhere in the next version, so that no change of a column or table takes their links along.
struct VersionLinks {
    private let old: SchemaMapping
    private let new: SchemaMapping
    private let renames: [Rename]

    /// - Parameter renames: what the engine takes along under another name.
    init(from old: SchemaMapping, to new: SchemaMapping, renames: [Rename]) {
        self.old = old
        self.new = new
        self.renames = renames
    }

    /// Where a version keeps the links of a relationship, seen from the side of its first end.
    private enum Place: Hashable {
        /// A column of the first end's table.
        case ownColumn(table: String, column: String)
        /// A column of the second end's table.
        case otherColumn(table: String, column: String)
        case pairs(table: String, first: String, second: String)

        /// The same links, seen from the other side.
        var reversed: Place {
            switch self {
            case .ownColumn(let table, let column): .otherColumn(table: table, column: column)
            case .otherColumn(let table, let column): .ownColumn(table: table, column: column)
            case .pairs(let table, let first, let second): .pairs(table: table, first: second, second: first)
            }
        }
    }

    /// - Throws: `StoreError.planRefused` for a relationship that points to other models than before, whose numbers would then mean
    ///   other rows.
    func carried() throws -> [CarriedLinks] {
        var found: [CarriedLinks] = []
        var seen: Set<[Place]> = []
        for entity in new.entities {
            for property in entity.ownProperties where property.destinationType != nil {
                guard let before = try placeBefore(property, of: entity), let after = place(property, of: entity) else { continue }
                guard renamed(before.place) != after, seen.insert([before.place, after]).inserted else { continue }
                seen.insert([before.place.reversed, after.reversed])
                found.append(
                    CarriedLinks(
                        name: "\(entity.name).\(property.name)",
                        source: source(before.place, first: table(entity.name), second: table(before.destination)), place: target(after)))
            }
        }
        return found
    }

    private func place(_ property: PropertyMapping, of entity: EntityMapping) -> Place? {
        if !property.isToMany { return .ownColumn(table: entity.tableName, column: property.name) }
        if let pairs = property.pairs { return .pairs(table: pairs.table, first: pairs.ownColumn, second: pairs.targetColumn) }
        guard let destination = property.destination, let inverse = property.inverse else { return nil }
        return .otherColumn(table: destination.tableName, column: inverse.name)
    }

    /// Where the version before has the links of a relationship: its own, or those of its new other side.
    private func placeBefore(_ property: PropertyMapping, of entity: EntityMapping) throws -> (place: Place, destination: String)? {
        guard let older = old.predecessors(of: entity).first, let destination = property.destination else { return nil }
        if let former = former(property, of: entity) {
            guard former.destination.map(\.name) == old.predecessors(of: destination).first?.name else {
                throw StoreError(
                    .planRefused,
                    "\(entity.name).\(property.name) points to \(destination.name), but to \(former.destination?.name ?? "nothing") in "
                        + "version \(old.schema.version): its rows would mean others",
                    remedy: "give the relationship another name, or make the stage mapped, with both contexts")
            }
            return place(former, of: older).map { ($0, destination.name) }
        }
        guard let inverse = property.inverse, let owner = old.predecessors(of: destination).first,
            let former = former(inverse, of: destination), former.destination?.name == older.name
        else { return nil }
        return place(former, of: owner).map { ($0.reversed, destination.name) }
    }

    /// The relationship that a property was.
    private func former(_ property: PropertyMapping, of entity: EntityMapping) -> PropertyMapping? {
        old.formers(of: entity, new)?.former(property).flatMap { $0.destinationType == nil ? nil : $0 }
    }

    /// Where the engine's own change takes what is in a place.
    private func renamed(_ place: Place) -> Place {
        func table(_ name: String) -> String {
            for case .table(name, let to) in renames { return to }
            return name
        }
        func column(_ name: String, of table: String) -> String {
            for case .column(table, name, let to) in renames { return to }
            return name
        }
        switch place {
        case .ownColumn(let name, let own): return .ownColumn(table: table(name), column: column(own, of: table(name)))
        case .otherColumn(let name, let own): return .otherColumn(table: table(name), column: column(own, of: table(name)))
        case .pairs(let name, let first, let second):
            let table = table(name)
            return .pairs(table: table, first: column(first, of: table), second: column(second, of: table))
        }
    }

    // MARK: As the engine wants it

    /// The table that the version before has an entity's rows in.
    private func table(_ entity: String) -> String {
        new.entity(named: entity).flatMap { old.predecessors(of: $0).first?.tableName } ?? entity
    }

    private func source(_ place: Place, first: String, second: String) -> String {
        switch place {
        case .ownColumn(let table, let column):
            "SELECT storekeeper_id, \(quoted(column)) FROM \(quoted(table)) WHERE \(quoted(column)) IN \(rows(second))"
        case .otherColumn(let table, let column):
            "SELECT \(quoted(column)), storekeeper_id FROM \(quoted(table)) WHERE \(quoted(column)) IN \(rows(first))"
        case .pairs(let table, let own, let other):
            "SELECT \(own), \(other) FROM \(quoted(table)) WHERE \(own) IN \(rows(first)) AND \(other) IN \(rows(second))"
        }
    }

    private func rows(_ table: String) -> String { "(SELECT storekeeper_id FROM \(quoted(table)))" }

    private func target(_ place: Place) -> CarriedLinks.Place {
        switch place {
        case .ownColumn(let table, let column): .column(table: table, column: column, holds: .first)
        case .otherColumn(let table, let column): .column(table: table, column: column, holds: .second)
        case .pairs(let table, let first, let second): .pairs(table: table, first: first, second: second)
        }
    }
}
