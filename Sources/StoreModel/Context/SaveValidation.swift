/// What a save refuses before it writes.
struct SaveValidation {
    private let core: ContextCore
    /// The rows of the store that the save is going to name.
    var named = NamedRows()

    init(_ core: ContextCore) {
        self.core = core
    }

    /// - Throws: `SwiftDataError.modelValidationFailure` naming the model and the relationship.
    mutating func check(inserted: PendingRows, changed: PendingRows, deleted: PendingRows) throws {
        for part in deleted.parts where !part.entity.relationships.isEmpty {
            for row in part.rows { try checkDeny(row, part.entity) }
        }
        for part in inserted.parts where !part.entity.relationships.isEmpty {
            for row in part.rows { try checkTargets(row, part.entity) }
        }
        for part in changed.parts where !part.entity.relationships.isEmpty {
            for row in part.rows { try checkTargets(row, part.entity) }
        }
    }

    private func checkDeny(_ row: ModelRow, _ entity: EntityMapping) throws {
        for property in entity.relationships where property.deleteRule == .deny {
            let targets = core.targets(property, row)
            guard !targets.isEmpty else { continue }
            throw SwiftDataError.modelValidation(
                "\(entity.name) \(row.id) cannot be deleted: its relationship \(property.name) still has \(targets.count) "
                    + "\(property.destination?.name ?? "model")(s), and its delete rule is deny",
                remedy: "delete those or give them another \(entity.name) first, or roll back")
        }
    }

    private mutating func checkTargets(_ row: ModelRow, _ entity: EntityMapping) throws {
        for property in entity.relationships where row.dirty.contains(property.index) {
            if !property.isToMany {
                let reference = row.toOne(at: property.index)
                let isMissing = reference.id == 0 || reference.model?._$modelRow?.state == .gone
                if !isMissing { named.note(reference.id, property) }
                guard isMissing, !property.isOptional else { continue }
                throw SwiftDataError.modelValidation(
                    "\(entity.name) has no \(property.name), which is required",
                    remedy: "give it one, delete it too, or declare the property optional")
            }
            if property.pairs != nil { named.note(row.toMany(at: property.index).added, property, of: row, entity) }
            try checkCount(row, property)
        }
    }

    private func checkCount(_ row: ModelRow, _ property: PropertyMapping) throws {
        let most = property.relationship?.maximumModelCount ?? 0
        let least = property.relationship?.minimumModelCount ?? 0
        guard most > 0 || least > 0 else { return }
        let count = core.relatedModels(row, property.index).count
        guard (most > 0 && count > most) || count < least else { return }
        let name = row.table?.entity.name ?? property.entityName
        throw SwiftDataError.modelValidation(
            "\(row.id > 0 ? "\(name) \(row.id)" : "a new \(name)") cannot be saved: \(property.entityName).\(property.name) has \(count) models, but \(least) to \(most == 0 ? "any number" : "\(most)") are allowed",
            remedy: "add or remove some, then save again")
    }
}
