extension ContextCore {
    /// Drops insertions, and gives changed and deleted models back the values of the last save.
    func rollback() {
        for model in inserted {
            guard let row = model._$modelRow, row.state == .inserted, let table = row.table else { continue }
            table.remove(row.id)
            row.table = nil
            row.id = 0
            row.state = .detached
        }
        for model in changed + deleted {
            guard let row = model._$modelRow, row.state == .changed || row.state == .deleted else { continue }
            restore(row, model)
        }
        inserted = []
        changed = []
        deleted = []
    }

    private func restore(_ row: ModelRow, _ model: any PersistentModel) {
        let entity = row.table?.entity
        let body = {
            if let original = row.original { row._copySlots(from: original) }
            for property in entity?.relationships ?? [] where property.isToMany { row.setToMany(nil, at: property.index) }
            row.original = nil
            row.dirty = 0
            row.state = .clean
        }
        guard let registrar = row.existingRegistrar, let entity else { return body() }
        var told = body
        for property in entity.properties {
            let next = told
            told = { Notifier(registrar, property.keyPath).mutate(model, next) }
        }
        told()
    }
}
