extension ContextCore {
    /// Marks a model as deleted, with all that its delete rules take along. `.deny` is judged by the save.
    func delete(_ model: any PersistentModel) {
        var waiting = [model]
        while let model = waiting.popLast() {
            guard let row = model._$modelRow, let table = row.table else { continue }
            guard table.core === self else {
                reportForeign(model)
                continue
            }
            guard row.state != .deleted, row.state != .gone else { continue }
            if row.missing != 0 { complete(row) }
            let wasInserted = row.state == .inserted
            // Before its relationships let go, so that undoing gives them back after the model.
            recorder?.noteDeletion(model)
            onChange?()
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
