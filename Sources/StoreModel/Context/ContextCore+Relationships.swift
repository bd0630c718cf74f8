import StoreSQLite

extension ContextCore {
    // MARK: Reading

    /// The target of a to-one; nil if its row is gone. Errors are reported, not thrown.
    func related(_ id: Int64, of property: PropertyMapping) -> (any PersistentModel)? {
        guard let destination = property.destination else { return nil }
        do {
            let model = try model(id, in: table(of: destination))
            switch model?._$modelRow?.state {
            case .deleted, .gone: return nil
            default: return model
            }
        } catch {
            report(readFailure(property, error))
            return nil
        }
    }

    /// The targets of a to-many, pending changes included. Errors are reported, not thrown.
    ///
    /// - Parameter asShown: whether those are wanted that the program has seen since its last call into the context, and not what others
    ///   have saved meanwhile.
    func relatedModels(_ row: ModelRow, _ index: Int, asShown: Bool = false) -> [any PersistentModel] {
        let property = row.table?.entity.properties[index]
        guard let property, let destination = property.destination else { return [] }
        let references = row.toMany(at: index)
        do {
            var models = try storedTargets(row, references, property, table(of: destination), asShown: asShown)
            if !references.added.isEmpty {
                let known = Set(models.map { ObjectIdentifier($0) })
                models += references.added.filter { !known.contains(ObjectIdentifier($0)) }
            }
            return models.filter { $0._$modelRow?.state != .deleted && $0._$modelRow?.state != .gone }
        } catch {
            report(readFailure(property, error))
            return references.added
        }
    }

    /// The rows that the store has for a to-many, without those that were removed since.
    private func storedTargets(
        _ row: ModelRow, _ references: ToManyReferences, _ property: PropertyMapping, _ targets: RowTable, asShown: Bool
    ) throws -> [any PersistentModel] {
        guard row.id > 0 else { return [] }
        let storage = try openStorage()
        let commits = storage.commitCount
        var models: [any PersistentModel]
        let isKnown = references.isPrefetched || references.storedAt == commits || (asShown && references.shownAt == calls)
        references.shownAt = calls
        if let stored = references.stored, isKnown {
            references.isPrefetched = false
            models = try self.models(stored, in: targets)
        } else {
            models = try storage.read { connection in
                let statement = try connection.statement(layout(of: row.table?.entity ?? targets.entity).related(property))
                defer { statement.reset() }
                try statement.bind(row.id, at: 1)
                var models: [any PersistentModel] = []
                while try statement.step() { models.append(self.model(statement, targets)) }
                return models
            }
            references.stored = models.map(\._rowID)
            references.storedAt = commits
        }
        if !references.removed.isEmpty { models.removeAll { references.removed.contains($0._rowID) } }
        if property.pairs == nil, let inverse = property.inverse {
            // A target that has been given another owner since, before this one was loaded.
            models.removeAll { target in
                guard let theirs = target._$modelRow, theirs.state == .changed else { return false }
                if references.storedAt == commits { takeStored(inverse, of: theirs, row.id) }
                return theirs.toOne(at: inverse.index).id != row.id
            }
        }
        return models
    }

    /// Lets a row with other pending changes take the target of a to-one that the store has by now.
    func takeStored(_ property: PropertyMapping, of row: ModelRow, _ target: Int64) {
        guard row.state == .changed, !row.dirty.contains(property.index) else { return }
        for row in [row, row.original].compactMap({ $0 }) { row.setToOne(ToOneReference(id: target, model: nil), at: property.index) }
    }

    private func readFailure(_ property: PropertyMapping, _ error: any Error) -> SwiftDataError {
        SwiftDataError(
            .modelValidationFailure, "the relationship \(property.entityName).\(property.name) could not be read", cause: error)
    }

    // MARK: Changing

    /// A to-one of a registered row has got another target.
    func toOneChanged(_ row: ModelRow, _ index: Int, old: ToOneReference, new: (any PersistentModel)?) {
        guard !isAbandoned, let property = row.table?.entity.properties[index] else { return }
        var target = new
        if let model = new {
            target = adopt(model)
            if target !== model { row.setToOne(ToOneReference(id: 0, model: target), at: index) }
        }
        let newID = target?._rowID ?? 0
        let oldID = old.model?._rowID ?? old.id
        if oldID == newID, row.state == .changed, row.original?.toOne(at: index).id == newID {
            // Nothing has changed, and the other side stays: a save must not write what this context takes for it over another's change.
            row.dirty.remove(index)
        }
        guard oldID != newID, let inverse = property.inverse, let destination = property.destination else { return }
        if oldID != 0 {
            // A to-many that is not loaded will be read without this row; a to-one has a column that must be emptied.
            let previous =
                old.model ?? table(of: destination).model(oldID)
                ?? (inverse.isToMany ? nil : related(oldID, of: property))
            if let previous { unlink(inverse, of: previous, from: row) }
        }
        if let target { linkInverse(of: property, from: row, to: target) }
    }

    /// A to-many of a registered row is to have these targets.
    func toManyChanged(_ row: ModelRow, _ index: Int, to value: [any PersistentModel]) {
        guard let property = row.table?.entity.properties[index] else { return }
        if isAbandoned { return row.toMany(at: index).reset(to: value) }
        // What others have saved since the program looked is not removed by a list that does not have it.
        let old = relatedModels(row, index, asShown: true)
        // What was appended to is the common case, and cheap: everything before is the same object.
        var prefix = 0
        while prefix < old.count, prefix < value.count, old[prefix] === value[prefix] { prefix += 1 }
        let new = value[prefix...].compactMap(adopt)
        let kept = Set(new.map { ObjectIdentifier($0) })
        let known = Set(old[prefix...].map { ObjectIdentifier($0) })
        for model in old[prefix...] where !kept.contains(ObjectIdentifier(model)) {
            row.toMany(at: index).remove(model)
            if let inverse = property.inverse { unlink(inverse, of: model, from: row) }
        }
        for model in new where !known.contains(ObjectIdentifier(model)) {
            row.toMany(at: index).add(model)
            linkInverse(of: property, from: row, to: model)
        }
    }

    /// The model as this context knows it: inserted if it is in none, its twin if it is in another context of the same store.
    func adopt(_ model: any PersistentModel) -> (any PersistentModel)? {
        guard let table = model._$modelRow?.table else {
            insert(model)
            return model
        }
        if table.core === self { return model }
        if table.core.storeIdentifier == storeIdentifier, model._rowID > 0, let own = self.table(for: type(of: model)),
            let twin = try? self.model(model._rowID, in: own)
        {
            return twin
        }
        reportForeign(model)
        return nil
    }

    /// Makes the other side of a relationship point back, and lets go of what it pointed to.
    func linkInverse(of property: PropertyMapping, from row: ModelRow, to target: any PersistentModel) {
        // One that is to be deleted is nobody's target any more; taking that back links it again.
        guard let inverse = property.inverse, let model = row.model, let theirs = target._$modelRow, row.state != .deleted else { return }
        if inverse.isToMany {
            change(theirs, inverse) { $0.toMany(at: inverse.index).add(model) }
            return
        }
        let previous = theirs.toOne(at: inverse.index)
        guard previous.id != row.assuredID else { return }
        change(theirs, inverse) { $0.setToOne(ToOneReference(id: 0, model: model), at: inverse.index) }
        guard previous.id != 0 else { return }
        let owner = previous.model ?? row.table?.model(previous.id)
        if property.isToMany {
            if let owner, let owner = owner._$modelRow { change(owner, property) { $0.toMany(at: property.index).remove(target) } }
        } else if let owner = owner ?? related(previous.id, of: inverse) {
            if let owner = owner._$modelRow { change(owner, property) { $0.setToOne(.none, at: property.index) } }
        }
    }

    /// Makes a model not point to a row any more.
    func unlink(_ property: PropertyMapping, of model: any PersistentModel, from row: ModelRow) {
        guard let theirs = model._$modelRow, let target = row.model else { return }
        if property.isToMany {
            change(theirs, property) { $0.toMany(at: property.index).remove(target) }
        } else if theirs.toOne(at: property.index).id == row.assuredID {
            change(theirs, property) { $0.setToOne(.none, at: property.index) }
        }
    }

    /// Changes the other side of a relationship, and tells its observers.
    private func change(_ row: ModelRow, _ property: PropertyMapping, _ body: (ModelRow) -> Void) {
        guard row.state != .deleted, row.state != .gone else { return }
        if row.table != nil { willChange(row, property.index) }
        guard let registrar = row.existingRegistrar, let model = row.model else { return body(row) }
        Notifier(registrar, property.keyPath).mutate(model) { body(row) }
    }
}

extension ToManyReferences {
    func add(_ model: any PersistentModel) {
        let id = model._rowID
        // The store may have one that was removed, or not: it is shown once all the same.
        removed.remove(id)
        if addedIDs.insert(id).inserted { added.append(model) }
    }

    func remove(_ model: any PersistentModel) {
        let id = model._rowID
        if addedIDs.remove(id) != nil {
            if added.last === model {
                added.removeLast()
            } else {
                added.removeAll { $0 === model }
            }
        }
        if id > 0 { removed.insert(id) }
    }

    /// Takes what an initialiser set, each model once.
    func reset(to models: [any PersistentModel]) {
        added = []
        addedIDs = []
        models.forEach(add)
    }
}
