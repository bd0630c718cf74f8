extension ContextCore {
    /// Takes a new model in, with all models that it points to.
    func insert(_ model: any PersistentModel) {
        var waiting = insertOne(model)
        while let model = waiting.popLast() { waiting += insertOne(model) }
    }

    /// Takes a deletion back that has not been saved.
    private func restore(_ model: any PersistentModel, _ row: ModelRow) {
        recorder?.noteInsertion(model)
        onChange?()
        deleted.removeAll { $0 === model }
        let isUnchanged = row.original == nil && row.dirty.isEmpty
        row.state = isUnchanged ? .clean : .changed
        if !isUnchanged, !changed.contains(where: { $0 === model }) { changed.append(model) }
        if let entity = row.table?.entity { linkAgain(row, entity) }
    }

    /// Lets the targets of a row point to it again, which its deletion made let go of it.
    private func linkAgain(_ row: ModelRow, _ entity: EntityMapping) {
        for property in entity.relationships {
            let targets = targets(property, row).filter { $0._$modelRow?.isLeaving == false }
            if !property.isToMany, targets.isEmpty, row.toOne(at: property.index).isSet, property.inverse?.deleteRule != .noAction {
                // It was deleted meanwhile, and looked for nobody that is being deleted too.
                willChange(row, property.index)
                row.setToOne(.none, at: property.index)
            }
            guard property.deleteRule == .nullify || property.deleteRule == .cascade else { continue }
            for target in targets { linkInverse(of: property, from: row, to: target) }
        }
    }

    /// Gives the models that it points to and that are not there yet.
    private func insertOne(_ model: any PersistentModel) -> [any PersistentModel] {
        guard let row = model._$modelRow else {
            report(
                .modelValidation(
                    "\(type(of: model)) keeps its values in a backing data of its own", remedy: "let @Model write its storage"))
            return []
        }
        if let table = row.table {
            if table.core !== self { reportForeign(model) }
            if row.state == .deleted { restore(model, row) }
            return []
        }
        guard let table = table(for: type(of: model)) else {
            if let other = context?.core(for: type(of: model)), other !== self {
                other.insert(model)
                return []
            }
            report(
                .modelValidation(
                    "\(type(of: model)) is not part of the schema of this container", remedy: "add it to the container's schema"))
            return []
        }
        // One that was dropped before it was saved may stand there still.
        let isBack = row.state == .gone
        if isBack { inserted.removeAll { $0 === model } }
        row.state = .inserted
        row.id = 0
        row.model = model
        row.table = table
        row.dirty = table.entity.allProperties
        if isBack { loosenFromGone(row, table.entity) }
        table.insert(row.assuredID, row)
        inserted.append(model)
        recorder?.noteInsertion(model)
        onChange?()
        return table.entity.relationships.isEmpty ? [] : connectGraph(row, table.entity)
    }

    /// Leaves a row that was deleted and is inserted again those targets that are there still.
    private func loosenFromGone(_ row: ModelRow, _ entity: EntityMapping) {
        for property in entity.relationships {
            if property.isToMany {
                let kept = row.toMany(at: property.index).added.filter { $0._$modelRow?.isLeaving == false }
                row.setToMany(kept.isEmpty ? nil : ToManyReferences(kept), at: property.index)
            } else {
                let target = targets(property, row).first { $0._$modelRow?.isLeaving == false }
                row.setToOne(ToOneReference(id: 0, model: target), at: property.index)
            }
        }
    }

    func reportForeign(_ model: any PersistentModel) {
        let name = "\(type(of: model)) \(model.persistentModelID)"
        guard let theirs = model._$modelRow?.core, theirs.storeIdentifier == storeIdentifier else {
            return report(
                .modelValidation(
                    "\(name) belongs to another store", remedy: "insert a new model with its values into this one"))
        }
        report(
            .modelValidation(
                "\(name) belongs to another context",
                remedy: model._rowID > 0 ? "fetch it in this context by its persistentModelID" : "save it there, then fetch it here"))
    }

    /// Keeps the other sides right for what a new model's initialiser set; gives the models that are to be inserted too.
    private func connectGraph(_ row: ModelRow, _ entity: EntityMapping) -> [any PersistentModel] {
        var found: [any PersistentModel] = []
        /// The target as this context knows it; nil if it belongs to another store.
        func known(_ target: any PersistentModel) -> (any PersistentModel)? {
            guard target._$modelRow?.table == nil else { return adopt(target) }
            found.append(target)
            return target
        }
        for property in entity.relationships {
            if property.isToMany {
                let targets = row.toMany(at: property.index).added.compactMap(known)
                row.toMany(at: property.index).reset(to: targets)
                for target in targets { linkInverse(of: property, from: row, to: target) }
            } else if let set = row.toOne(at: property.index).model {
                let target = known(set)
                if target !== set { row.setToOne(ToOneReference(id: 0, model: target), at: property.index) }
                if let target { linkInverse(of: property, from: row, to: target) }
            }
        }
        return found
    }
}
