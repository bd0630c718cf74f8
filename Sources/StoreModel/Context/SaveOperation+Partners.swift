import StoreSQLite

/// What a save does about one-to-ones that others have written since: both sides have a column, and a context sets those that it knows.
extension SaveOperation {
    /// A row that the store has as the partner of another, which gets a new one.
    struct Partner {
        /// The class of the row, and its number.
        let owner: EntityMapping
        let target: Int64
        /// Its property, and whom that is of by the store.
        let inverse: PropertyMapping
        let row: Int64
    }

    /// Looks before the changes are written: one statement for each one-to-one that has changed.
    func unknownPartners(_ connection: Connection) throws -> [Partner] {
        var found: [Partner] = []
        guard !core.isOfStage, core.custom == nil else { return found }
        for part in changes.parts {
            for property in part.entity.relationships where property.isOneToOne {
                guard let inverse = property.inverse, let destination = property.destination else { continue }
                let rows = part.rows.filter { $0.dirty.contains(property.index) }
                guard !rows.isEmpty else { continue }
                let known = Dictionary(rows.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
                let statement = try connection.statement(
                    "SELECT storekeeper_id, \(quoted(property.name)) FROM \(part.layout.table) "
                        + "WHERE storekeeper_id IN (SELECT value FROM json_each(?1)) AND \(quoted(property.name)) IS NOT NULL")
                defer { statement.reset() }
                try statement.bind(rows.map(\.id).numberList, at: 1)
                while try statement.step() {
                    let (number, target) = (statement.int64(0), statement.int64(1))
                    guard let row = known[number], row.original?.toOne(at: property.index).id != target,
                        row.toOne(at: property.index).id != target
                    else { continue }
                    found.append(Partner(owner: destination, target: target, inverse: inverse, row: number))
                }
            }
        }
        return found
    }

    /// Lets those go that still point to a row with a new partner, once all is written.
    ///
    /// - Throws: `SwiftDataError.modelValidationFailure` where one must have a partner.
    func part(_ partners: [Partner], _ connection: Connection) throws {
        for partner in partners {
            let layout = core.layout(of: partner.owner), column = quoted(partner.inverse.name)
            let condition = "storekeeper_id = ?1 AND \(column) = ?2"
            let names = partner.owner.isInHierarchy ? EntityTable.classColumn : "1"
            guard
                let name = try connection.scalar(
                    "SELECT \(names) FROM \(layout.table) WHERE \(condition)", .integer(partner.target), .integer(partner.row))
            else { continue }
            guard partner.inverse.isOptional else {
                throw SwiftDataError.modelValidation(
                    "\(partner.owner.name) \(partner.target) would lose its \(partner.inverse.name), which is required: another context has "
                        + "given it \(partner.inverse.destination?.name ?? "") \(partner.row)",
                    remedy: "give that one another \(partner.inverse.name) too, or roll back")
            }
            try connection.run(
                "UPDATE \(layout.table) SET \(column) = NULL WHERE \(condition)", .integer(partner.target), .integer(partner.row))
            let owner = name.text.flatMap { core.layout.mapping.entity(named: $0) } ?? partner.owner
            parted.append(Partner(owner: owner, target: partner.target, inverse: partner.inverse, row: partner.row))
        }
    }
}
