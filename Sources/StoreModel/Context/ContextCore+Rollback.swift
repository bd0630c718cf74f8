import StoreSQLite

extension ContextCore {
    /// Drops insertions, and gives changed and deleted models back the values of the last save.
    func rollback() {
        for model in inserted {
            guard let row = model._$modelRow, row.state == .inserted, let table = row.table else { continue }
            table.remove(row.id)
            giveBackTargets(row, table.entity)
            detach(row)
            row.id = 0
        }
        for model in changed + deleted {
            guard let row = model._$modelRow, row.state == .changed || row.state == .deleted else { continue }
            restore(row, model)
        }
        inserted = []
        changed = []
        deleted = []
        deletionsAt = nil
    }

    /// Of a dropped model, lets those targets go that are rows of the store and have their former owner again.
    private func giveBackTargets(_ row: ModelRow, _ entity: EntityMapping) {
        for property in entity.relationships where property.inverse?.isToMany == false {
            if property.isToMany {
                let references = row.toMany(at: property.index)
                references.reset(to: references.added.filter { $0._rowID <= 0 })
            } else if row.toOne(at: property.index).id > 0 {
                row.setToOne(.none, at: property.index)
            }
        }
    }

    private func restore(_ row: ModelRow, _ model: any PersistentModel) {
        guard let entity = row.table?.entity else { return }
        entity.changingAll(of: model, row) { [self] in
            if let original = row.original {
                row.copyValues(from: original)
            } else {
                reload(row, entity)
            }
            for property in entity.relationships where property.isToMany { row.setToMany(nil, at: property.index) }
            row.original = nil
            row.dirty = PropertySet()
            row.state = .clean
        }
    }

    /// Reads a row's values again: of a changed row that has kept none, nobody but this context writes the store.
    private func reload(_ row: ModelRow, _ entity: EntityMapping) {
        guard !row.dirty.isEmpty else { return }
        do {
            try openStorage().read { connection in
                let statement = try connection.statement(layout(of: entity).selectByID)
                defer { statement.reset() }
                try statement.bind(row.id, at: 1)
                guard try statement.step() else { return }
                let member = layout(of: entity).members?[entity.name]
                var cursor = RowCursor(statement, from: member == nil ? 1 : 2, starts: member?.starts)
                withExtendedLifetime(member) { load(row, &cursor, entity) }
            }
        } catch {
            report(SwiftDataError(.modelValidationFailure, "\(entity.name) \(row.id) could not be read for a rollback", cause: error))
        }
    }

    // MARK: Leaving

    /// Takes a row out of the context.
    func detach(_ row: ModelRow) {
        loosen(row)
        row.table = nil
        row.state = .detached
    }

    /// Lets go of what would keep a row and its targets alive by each other once nobody saves them: a context that keeps both sides of
    /// a relationship right has each hold the other.
    ///
    /// A row of the store goes back to what it is there. Of two that are not in it one side holds the other, the to-many where there
    /// is one.
    func loosen(_ row: ModelRow) {
        guard let entity = row.table?.entity else { return }
        for property in entity.relationships {
            if row.id > 0 {
                if property.isToMany {
                    row.setToMany(nil, at: property.index)
                } else {
                    let target = max(row.toOne(at: property.index).id, 0)
                    row.setToOne(ToOneReference(id: target, model: nil), at: property.index)
                }
            } else if let inverse = property.inverse {
                if property.isToMany {
                    guard inverse.isToMany, !property.keepsLoose else { continue }
                    let references = row.toMany(at: property.index)
                    references.reset(to: references.added.filter { $0._rowID > 0 })
                } else if row.toOne(at: property.index).id < 0, inverse.isToMany || !property.keepsLoose {
                    row.setToOne(.none, at: property.index)
                }
            }
        }
    }
}

extension PropertyMapping {
    /// Whether it is the first by name of two sides of one kind.
    fileprivate var keepsLoose: Bool {
        guard let inverse else { return true }
        return (entityName, name) < (inverse.entityName, inverse.name)
    }
}
