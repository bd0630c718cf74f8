import StoreSQLite

/// The rows of the store that a save names in what it writes without writing them: the targets of its relationships, and the rows to which
/// it adds pairs or bytes. Another context may have deleted one since.
struct NamedRows {
    /// By the index of the table's entity.
    fileprivate var numbers: [Int: Set<Int64>] = [:]

    /// Notes the target of a to-one.
    mutating func note(_ number: Int64, _ property: PropertyMapping) {
        guard number > 0, property.mustFind, let destination = property.destination else { return }
        numbers[destination.root.index, default: []].insert(number)
    }

    /// Notes both ends of pairs that a row adds.
    mutating func note(_ added: [any PersistentModel], _ property: PropertyMapping, of row: ModelRow, _ entity: EntityMapping) {
        guard !added.isEmpty else { return }
        if row.id > 0 { numbers[entity.root.index, default: []].insert(row.id) }
        guard property.mustFind, let destination = property.destination else { return }
        for model in added where model._$modelRow?.isLeaving == false && model._rowID > 0 {
            numbers[destination.root.index, default: []].insert(model._rowID)
        }
    }

    /// Notes the changed rows whose bytes lie in side tables.
    mutating func note(bytesOf part: PendingRows.Part) {
        for row in part.rows where part.entity.externals.contains(where: { row.dirty.contains($0.index) }) {
            numbers[part.entity.root.index, default: []].insert(row.id)
        }
    }
}

extension PropertyMapping {
    /// Whether a target has to be there: not where its deletion leaves the reference behind anyway, and a missing one is nil everywhere.
    fileprivate var mustFind: Bool {
        if let inverse { return inverse.deleteRule != .noAction || (!isToMany && !isOptional) }
        return isToMany || !isOptional
    }
}

extension SaveOperation {
    /// Sees to it that all rows which the save names are there at its end: one statement for each table.
    ///
    /// - Throws: `SwiftDataError.modelValidationFailure`, naming the model, the property and the row that is gone.
    func check(_ named: NamedRows, _ connection: Connection) throws {
        for (index, numbers) in named.numbers {
            let list = numbers.numberList
            let entity = core.layout.mapping.entities[index]
            guard let missing = try connection.scalar(core.layout(of: entity).selectMissing, .text(list))?.integer else { continue }
            throw refusal(of: missing, in: entity)
        }
    }

    private func refusal(of missing: Int64, in root: EntityMapping) -> SwiftDataError {
        for part in changes.parts + insertions.parts {
            for row in part.rows where row.id != missing || part.entity.root !== root {
                for property in part.entity.relationships where row.dirty.contains(property.index) {
                    guard let destination = property.destination, destination.root === root, names(missing, property, row) else { continue }
                    return .modelValidation(
                        "\(row.state == .inserted ? "a new \(part.entity.name)" : "\(part.entity.name) \(row.id)") cannot be saved: "
                            + "its \(property.name), \(destination.name) \(missing), has been deleted",
                        remedy: property.isToMany
                            ? "take it out of \(property.name), or roll back"
                            : "give \(property.name) another \(destination.name)\(property.isOptional ? " or nil" : ""), or roll back")
                }
            }
        }
        return .modelValidation(
            "\(root.name) \(missing) has been deleted from the store since it was read",
            remedy: "roll back, or delete the model, then save again")
    }

    private func names(_ number: Int64, _ property: PropertyMapping, _ row: ModelRow) -> Bool {
        if !property.isToMany { return row.toOne(at: property.index).id == number }
        return property.pairs != nil && row.toMany(at: property.index).added.contains { $0._rowID == number }
    }
}
