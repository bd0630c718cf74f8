import StoreSQLite

extension ContextCore {
    /// Marks a model as deleted, with all that its delete rules take along. `.deny` is judged by the save.
    func delete(_ model: any PersistentModel) {
        if deletionsAt == nil, !isOfStage { deletionsAt = storage?.commitCount }
        takeMail()
        var waiting = [model]
        while let model = waiting.popLast() {
            guard let row = model._$modelRow, let table = row.table else { continue }
            guard table.core === self else {
                reportForeign(model)
                continue
            }
            guard row.state != .deleted, row.state != .gone else { continue }
            if !row.missing.isEmpty { complete(row) }
            let wasInserted = row.state == .inserted
            for property in table.entity.externals {
                if recorder != nil { keepExternal(property, of: row, in: row) }
                if property.isPreserved { keepExternal(property, of: row, in: row.original ?? row) }
            }
            // Before its relationships let go, so that undoing gives them back after the model.
            recorder?.noteDeletion(model)
            onChange?()
            if row.state == .changed, deletionsAt != nil { waiting += applyRulesToStoredPartners(row, table.entity) }
            for property in table.entity.relationships { waiting += applyDeleteRule(property, row) }
            if wasInserted {
                // It was never in the store, so there is nothing to delete there.
                table.remove(row.id)
                row.table = nil
                row.state = .gone
            } else {
                row.state = .deleted
                deleted.append(model)
            }
        }
    }

    /// Applies the delete rules of what is to be deleted once more, where others have saved since: what they have connected to it follows
    /// the rules as if the deletion had come after.
    func applyDeleteRulesAgain() throws {
        guard let before = deletionsAt else { return }
        let commits = try openStorage().commitCount
        guard commits != before else { return }
        var found: [any PersistentModel] = []
        for model in pending(deleted, .deleted) {
            guard let row = model._$modelRow, let entity = row.table?.entity else { continue }
            for property in entity.relationships where property.isToMany || property.isOneToOne {
                found += try property.isToMany ? applyDeleteRule(property, row) : applyDeleteRule(property, row, entity)
            }
        }
        found.forEach(delete)
        deletionsAt = commits
    }

    /// The same for a to-one whose inverse is one too, and which the store may have another target of by now.
    private func applyDeleteRule(_ property: PropertyMapping, _ row: ModelRow, _ entity: EntityMapping) throws -> [any PersistentModel] {
        guard let inverse = property.inverse, let destination = property.destination, property.deleteRule != .noAction else { return [] }
        let found = try openStorage().read { connection -> (any PersistentModel)? in
            let number = try connection.scalar(
                "SELECT \(quoted(property.name)) FROM \(layout(of: entity).table) WHERE storekeeper_id = ?1", .integer(row.id))?.integer
            let statement = try connection.statement(layout(of: destination).selectByID)
            defer { statement.reset() }
            try statement.bind(number ?? 0, at: 1)
            return try statement.step() ? model(statement, table(of: destination)) : nil
        }
        guard let target = found, let theirs = target._$modelRow, !theirs.isLeaving else { return [] }
        takeStored(inverse, of: theirs, row.id)
        guard theirs.toOne(at: inverse.index).id == row.id else { return [] }
        if property.deleteRule == .cascade { return [target] }
        if property.deleteRule == .deny, !row.dirty.contains(property.index) {
            // The save judges by what the row has.
            row.setToOne(ToOneReference(id: 0, model: target), at: property.index)
            return []
        }
        unlink(inverse, of: target, from: row)
        return []
    }

    /// A row with pending changes was not brought up to date: others may have given it partners since. Errors are reported, not thrown.
    private func applyRulesToStoredPartners(_ row: ModelRow, _ entity: EntityMapping) -> [any PersistentModel] {
        do {
            return try entity.relationships.filter(\.isOneToOne).flatMap { try applyDeleteRule($0, row, entity) }
        } catch {
            report(SwiftDataError(.modelValidationFailure, "the partners of \(entity.name) \(row.id) could not be read", cause: error))
            return []
        }
    }

    /// Lets the targets of a relationship go; gives those that are to be deleted too.
    private func applyDeleteRule(_ property: PropertyMapping, _ row: ModelRow) -> [any PersistentModel] {
        switch property.deleteRule {
        case .noAction, .deny: return []
        case .cascade: return targets(property, row)
        case .nullify:
            guard let inverse = property.inverse else { return [] }
            for target in targets(property, row) { unlink(inverse, of: target, from: row) }
            return []
        }
    }

    /// What a relationship points to now.
    func targets(_ property: PropertyMapping, _ row: ModelRow) -> [any PersistentModel] {
        if property.isToMany { return relatedModels(row, property.index) }
        let reference = row.toOne(at: property.index)
        if let model = reference.model { return [model] }
        guard reference.id != 0, let model = related(reference.id, of: property) else { return [] }
        return [model]
    }
}
