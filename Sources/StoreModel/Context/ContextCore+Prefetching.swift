import StoreSQLite

extension ContextCore {
    // MARK: Relationships

    /// Reads what relationships of models point to: one query for each relationship, however many models there are.
    ///
    /// What was read is held until the next call.
    func prefetch(_ properties: [PropertyMapping], of models: [any PersistentModel]) throws {
        guard !properties.isEmpty else { return }
        var held: [any PersistentModel] = []
        for property in properties {
            guard let destination = property.destination else { continue }
            let targets = table(of: destination)
            held += try property.isToMany ? prefetchMany(property, of: models, targets) : prefetchOne(property, of: models, targets)
        }
        prefetched = held
    }

    private func prefetchOne(
        _ property: PropertyMapping, of models: [any PersistentModel], _ targets: RowTable
    ) throws -> [any PersistentModel] {
        var seen: Set<Int64> = []
        let ids = models.compactMap { model -> Int64? in
            guard let id = model._$modelRow?.toOne(at: property.index).id, id > 0 else { return nil }
            return seen.insert(id).inserted ? id : nil
        }
        return try self.models(ids, in: targets)
    }

    private func prefetchMany(
        _ property: PropertyMapping, of models: [any PersistentModel], _ targets: RowTable
    ) throws -> [any PersistentModel] {
        let rows = models.compactMap(\._$modelRow).filter { $0.id > 0 }
        guard let entity = rows.first?.table?.entity, !rows.isEmpty else { return [] }
        let storage = try openStorage()
        let commits = storage.commitCount
        let list = rows.map(\.id).numberList
        var found: [any PersistentModel] = []
        var byOwner: [Int64: [Int64]] = [:]
        try storage.read { connection in
            let statement = try connection.statement(layout(of: entity).relatedOfMany(property))
            defer { statement.reset() }
            try statement.bind(list, at: 1)
            let owner = statement.columnCount - 1
            while try statement.step() {
                byOwner[statement.int64(owner), default: []].append(statement.int64(0))
                found.append(self.model(statement, targets))
            }
        }
        for row in rows {
            let references = row.toMany(at: property.index)
            references.stored = byOwner[row.id] ?? []
            references.storedAt = commits
            references.isPrefetched = true
        }
        return found
    }

    // MARK: Batches

    /// The models of rows, one for each. Errors are reported, not thrown: a model that is in no context stands for what cannot be read.
    func batch<T: PersistentModel>(
        _ ids: [Int64], of type: T.Type, leavingOut leftOut: PropertySet, _ relationships: [PropertyMapping]
    ) -> [T] {
        var found: [Int64: T] = [:]
        do {
            guard let table = table(for: type) else { throw SwiftDataError.unknownSchema }
            let models = try models(ids, in: table, leavingOut: leftOut)
            try prefetch(relationships, of: models)
            for case let model as T in models { found[model._rowID] = model }
            if found.count < ids.count {
                report(
                    .modelValidation(
                        "\(ids.count - found.count) of \(ids.count) rows of \(table.entity.name) have been deleted since they were fetched",
                        remedy: "fetch again"))
            }
        } catch {
            report(SwiftDataError(.modelValidationFailure, "a batch of \(type) could not be read", cause: error))
        }
        return ids.map { found[$0] ?? T(backingData: T.createBackingData() as any BackingData<T>) }
    }

    // MARK: Properties

    /// Reads the rest of a row of which a fetch has read a part. Errors are reported, not thrown.
    func complete(_ row: ModelRow) {
        guard !row.missing.isEmpty, let entity = row.table?.entity else { return }
        row.missing = PropertySet()
        do {
            let isThere = try openStorage().read { connection in
                let statement = try connection.statement(layout(of: entity).selectByID)
                defer { statement.reset() }
                try statement.bind(row.id, at: 1)
                guard try statement.step() else { return false }
                let lists = entity.relationships.filter(\.isToMany).map { ($0.index, row.toMany(at: $0.index)) }
                // The row is known and has no change: it takes what is there.
                _ = self.model(statement, table(of: entity))
                for (index, references) in lists { row.setToMany(references, at: index) }
                return true
            }
            if isThere { return }
            report(
                .modelValidation(
                    "\(entity.name) \(row.id) has been deleted from the store since a part of it was read",
                    remedy: "fetch it with all the properties that are used"))
        } catch {
            report(
                SwiftDataError(.modelValidationFailure, "the rest of \(entity.name) \(row.id) could not be read", cause: error))
        }
    }
}
