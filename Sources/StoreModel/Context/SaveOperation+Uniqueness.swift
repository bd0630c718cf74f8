import StoreSQLite

/// What a save does about unique values that several rows want.
extension SaveOperation {
    // MARK: Insertions

    /// A row with the same unique value is there: it takes the new model's values, and the model stands for it from now on.
    func replace(_ row: ModelRow, _ entity: EntityMapping, _ connection: Connection) throws {
        for constraint in entity.uniqueness {
            guard let id = try holder(of: constraint, like: row, entity, connection) else { continue }
            if core.context?.uniqueClash == .fails { throw clash(row, entity, constraint, with: id) }
            try checkClass(of: id, entity, connection)
            replaced.append(row)
            if core.recorder != nil { former.append((row, try FormerValues(of: id, entity, core, connection))) }
            row.id = id
            return try update(row, entity.allProperties, connection)
        }
        throw SwiftDataError.modelValidation(
            "a new \(entity.name) clashes with a row that is there, but not in what its schema says is unique",
            remedy: "look for a trigger or an index that the schema does not know")
    }

    private func clash(_ row: ModelRow, _ entity: EntityMapping, _ constraint: [Int], with id: Int64) -> SwiftDataError {
        let values = constraint.map { "\(entity.properties[$0].name) \(row.value(at: $0).map { "\($0)" } ?? "nil")" }
        return .modelValidation(
            "a new \(entity.name) has the \(values.joined(separator: " and ")) of row \(id), and only one may",
            remedy: "change that model instead, or let the context's uniqueClash be .updates")
    }

    /// A row keeps its class: a new model of another one cannot stand for it.
    private func checkClass(of id: Int64, _ entity: EntityMapping, _ connection: Connection) throws {
        guard entity.isInHierarchy else { return }
        let name = try connection.scalar(
            "SELECT \(EntityTable.classColumn) FROM \(core.layout(of: entity).table) WHERE storekeeper_id = ?1", .integer(id))?.text
        guard let name, name != entity.name else { return }
        throw SwiftDataError.modelValidation(
            "a new \(entity.name) has a unique value that \(name) \(id) has, and a row keeps its class",
            remedy: "change that model, or delete it first")
    }

    /// The number of another row that has the values of a constraint.
    private func holder(of constraint: [Int], like row: ModelRow, _ entity: EntityMapping, _ connection: Connection) throws -> Int64? {
        var condition = constraint.map { "\(quoted(entity.properties[$0].name)) = ?" }.joined(separator: " AND ")
        if let owner = entity.chain.first(where: { $0.ownUniqueness.contains(constraint) }), owner.parent != nil {
            condition += " AND \(owner.classCondition)"
        }
        let table = core.layout(of: entity).table
        let statement = try connection.statement(
            "SELECT storekeeper_id FROM \(table) WHERE \(condition) AND storekeeper_id <> ?")
        defer { statement.reset() }
        for (offset, index) in constraint.enumerated() {
            try statement.bind(row.sqlValue(at: index) ?? .null, at: Int32(offset + 1))
        }
        try statement.bind(row.id, at: Int32(constraint.count + 1))
        return try statement.step() ? statement.int64(0) : nil
    }

    /// Writes again the to-ones that were bound to the number a replaced model had been given.
    func repoint(_ connection: Connection) throws {
        let moved = Set(replaced.map { ObjectIdentifier($0) })
        for part in insertions.parts + changes.parts {
            for property in part.entity.relationships where !property.isToMany {
                for row in part.rows {
                    guard let target = row.toOne(at: property.index).model?._$modelRow, moved.contains(ObjectIdentifier(target)) else {
                        continue
                    }
                    try update(row, PropertySet(property.index), connection)
                }
            }
        }
    }

    /// Lets a new model that stands for a row read and write the values of the model that the context has of that row already, which
    /// stays the one that fetches give.
    ///
    /// - Returns: false if they are of different classes.
    func join(_ row: ModelRow, to twin: any PersistentModel) -> Bool {
        guard let model = row.model, let entity = row.table?.entity, let kept = twin._$modelRow else { return false }
        guard type(of: model) == type(of: twin) else { return false }
        entity.changingAll(of: twin, kept) {
            kept.copyValues(from: row)
            kept.original = nil
            kept.dirty = PropertySet()
            kept.state = .clean
        }
        row.table = nil
        entity.changingAll(of: model, row) { Self.share(model, with: twin) }
        return true
    }

    private static func share<M: PersistentModel>(_ model: M, with twin: any PersistentModel) {
        guard let twin = twin as? M else { return }
        model.persistentBackingData = twin.persistentBackingData
    }

    // MARK: Changes

    /// Writes a changed row. Where a row that this save has yet to write still holds a unique value that is wanted, such as when two
    /// rows swap them, that one gives it up first.
    func updateMakingRoom(_ row: ModelRow, _ binder: inout RowBinder, _ entity: EntityMapping, _ connection: Connection) throws {
        do {
            try update(row, &binder, entity, connection)
        } catch let error as SwiftDataError where (error.cause as? SQLiteError)?.code == .constraintUnique {
            guard try makeRoom(for: row, entity, connection) else { throw error }
            try update(row, &binder, entity, connection)
        }
        if !entity.uniqueness.isEmpty { unwritten?[entity.root.index]?[row.id] = nil }
    }

    /// - Returns: whether a row has given a value up.
    private func makeRoom(for row: ModelRow, _ entity: EntityMapping, _ connection: Connection) throws -> Bool {
        let waiting = unwritten ?? rows(after: row)
        unwritten = waiting
        var hasMadeRoom = false
        for constraint in entity.uniqueness where constraint.contains(where: { row.dirty.contains($0) }) {
            guard let id = try holder(of: constraint, like: row, entity, connection), let holder = waiting[entity.root.index]?[id],
                let index = constraint.first(where: { holder.dirty.contains($0) })
            else { continue }
            // A value that no row has, until the row is written.
            let statement = try connection.statement(
                "UPDATE \(core.layout(of: entity).table) SET \(quoted(entity.properties[index].name)) = randomblob(16) "
                    + "WHERE storekeeper_id = ?1")
            try statement.bind(id, at: 1)
            try statement.run()
            hasMadeRoom = true
        }
        return hasMadeRoom
    }

    /// The changed rows that are written after this one, by table and number.
    private func rows(after row: ModelRow) -> [Int: [Int64: ModelRow]] {
        var rows: [Int: [Int64: ModelRow]] = [:]
        var isAfter = false
        for part in changes.parts {
            for other in part.rows {
                if isAfter { rows[part.entity.root.index, default: [:]][other.id] = other }
                isAfter = isAfter || other === row
            }
        }
        return rows
    }
}

extension EntityMapping {
    /// Changes any of a model's properties and tells those who observe one.
    func changingAll(of model: any PersistentModel, _ row: ModelRow, _ body: @escaping () -> Void) {
        guard let registrar = row.existingRegistrar else { return body() }
        var told = body
        for property in properties {
            let next = told
            told = { Notifier(registrar, property.keyPath).mutate(model, next) }
        }
        told()
    }
}
