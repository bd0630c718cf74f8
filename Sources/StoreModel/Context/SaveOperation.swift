import StoreSQLite

/// One save: writes what is pending in a context in one transaction.
///
/// The order is deletions, changes, insertions, pairs, so that a unique value that a deleted or changed model had can be
/// taken by a new one. Row numbers of new models are chosen before anything is written: a foreign key never waits.
final class SaveOperation {
    let core: ContextCore
    let inserted: [any PersistentModel]
    let changed: [any PersistentModel]
    let deleted: [any PersistentModel]
    /// The temporary number of each inserted row, to give back if the transaction fails.
    private var temporary: [Int64] = []
    /// New models that turned out to stand for a row that is there, with the number they had before.
    var replaced: [ModelRow] = []
    /// Changed rows that are not written yet, by table and number; filled at the first clash.
    var unwritten: [Int: [Int64: ModelRow]]?
    private var insertions: [Int: Statement] = [:]
    let insertedRows: [ModelRow]
    let changedRows: [ModelRow]
    private let deletedRows: [ModelRow]

    init(_ core: ContextCore) {
        self.core = core
        inserted = core.pending(core.inserted, .inserted)
        changed = core.pending(core.changed, .changed)
        deleted = core.pending(core.deleted, .deleted)
        insertedRows = inserted.compactMap(\._$modelRow)
        changedRows = changed.compactMap(\._$modelRow)
        deletedRows = deleted.compactMap(\._$modelRow)
    }

    var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

    /// Writes everything and commits.
    ///
    /// - Throws: `SwiftDataError.modelValidationFailure` for what a delete rule or a constraint forbids, else what SQLite
    ///   says. Nothing is written then, and all stays pending.
    func run() throws {
        try SaveValidation(core).check(inserted: insertedRows, changed: changedRows, deleted: deletedRows)
        temporary = insertedRows.map(\.id)
        do {
            try core.openStorage().write(changing: entityNames) { connection in
                try chooseNumbers(connection)
                for row in deletedRows { try delete(row, connection) }
                for row in changedRows { try updateMakingRoom(row, connection) }
                for row in insertedRows { try insert(row, connection) }
                if !replaced.isEmpty { try repoint(connection) }
                for row in changedRows { try writePairs(row, connection) }
                for row in insertedRows { try writePairs(row, connection) }
                insertions = [:]
            }
        } catch {
            for (row, id) in zip(insertedRows, temporary) { row.id = id }
            replaced = []
            unwritten = nil
            throw error
        }
        finish()
    }

    private var entityNames: Set<String> {
        Set((insertedRows + changedRows + deletedRows).compactMap { $0.table?.entity.name })
    }

    // MARK: Rows

    /// Gives each new row the number after the highest that its table ever had.
    private func chooseNumbers(_ connection: Connection) throws {
        var next: [Int: Int64] = [:]
        for row in insertedRows {
            guard let entity = row.table?.entity else { continue }
            let table = entity.root.index
            if next[table] == nil { next[table] = try highestNumber(entity, connection) + 1 }
            let number = next[table] ?? 1
            row.id = number
            next[table] = number + 1
        }
    }

    private func highestNumber(_ entity: EntityMapping, _ connection: Connection) throws -> Int64 {
        let layout = core.layout(of: entity)
        let used = try connection.scalar("SELECT seq FROM sqlite_sequence WHERE name = ?1", .text(layout.tableName))?.integer ?? 0
        let present = try connection.scalar("SELECT max(storekeeper_id) FROM \(layout.table)")?.integer ?? 0
        return max(used, present)
    }

    private func delete(_ row: ModelRow, _ connection: Connection) throws {
        guard let entity = row.table?.entity else { return }
        let layout = core.layout(of: entity)
        try run(layout.delete, connection, row.id)
        for property in entity.relationships where property.deleteRule != .noAction || property.inverse == nil {
            if let pairs = layout.pairs[property.index] { try run(pairs.removeAll, connection, row.id) }
        }
        for statement in layout.incoming { try run(statement, connection, row.id) }
    }

    func update(_ row: ModelRow, _ dirty: UInt64, _ connection: Connection) throws {
        guard let entity = row.table?.entity, let sql = core.layout(of: entity).update(dirty) else { return }
        let statement = try connection.statement(sql)
        var binder = RowBinder(statement, wanted: dirty)
        row._bind(&binder)
        try check(binder, entity)
        try statement.bind(row.id, at: binder.parameter)
        try validating(entity, row) { try statement.run() }
        guard connection.changes == 1 else {
            throw SwiftDataError.modelValidation(
                "\(entity.name) \(row.id) has been deleted from the store since it was read",
                remedy: "roll back, or delete the model, then save again")
        }
    }

    private func insert(_ row: ModelRow, _ connection: Connection) throws {
        guard let entity = row.table?.entity else { return }
        let statement = try insertion(entity, connection)
        try statement.bind(row.id, at: 1)
        var binder = RowBinder(statement, from: 2)
        row._bind(&binder)
        try check(binder, entity)
        try validating(entity, row) { try statement.run() }
        if !entity.uniqueness.isEmpty, connection.changes == 0 { try replace(row, entity, connection) }
    }

    /// The INSERT of an entity, found once for all rows.
    private func insertion(_ entity: EntityMapping, _ connection: Connection) throws -> Statement {
        if let kept = insertions[entity.index] { return kept }
        let made = try connection.statement(core.layout(of: entity).insert)
        insertions[entity.index] = made
        return made
    }

    private func writePairs(_ row: ModelRow, _ connection: Connection) throws {
        guard let entity = row.table?.entity else { return }
        let layout = core.layout(of: entity)
        for (index, pairs) in layout.pairs where row.dirty & ModelRow.mask(index) != 0 {
            let references = row.toMany(at: index)
            for id in references.removed { try run(pairs.remove, connection, row.id, id) }
            for model in references.added {
                guard let target = model._$modelRow, target.state != .gone, target.state != .deleted else { continue }
                try run(pairs.insert, connection, row.id, target.id)
            }
        }
    }

    private func run(_ sql: String, _ connection: Connection, _ first: Int64, _ second: Int64? = nil) throws {
        let statement = try connection.statement(sql)
        try statement.bind(first, at: 1)
        if let second { try statement.bind(second, at: 2) }
        try statement.run()
    }

    private func check(_ binder: RowBinder, _ entity: EntityMapping) throws {
        guard let failure = binder.failure else { return }
        throw SwiftDataError.modelValidation(
            "a value of \(entity.name) cannot be stored", remedy: "correct the value, then save again", cause: failure)
    }

    /// Says in the model's words what a constraint of its table refused.
    private func validating(_ entity: EntityMapping, _ row: ModelRow, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as SQLiteError where error.code.primary == .constraint {
            throw SwiftDataError.modelValidation(
                "\(entity.name) \(row.id) cannot be saved: \(error.message)",
                remedy: error.code == .constraintUnique
                    ? "give it a value that no other row has, or roll back" : "give the required property a value, or roll back",
                cause: error)
        }
    }

    // MARK: Afterwards

    /// Makes the rows clean. Strong references between models end here, so that clean models keep nobody alive.
    private func finish() {
        for (row, id) in zip(insertedRows, temporary) {
            guard let table = row.table else { continue }
            table.remove(id)
            settle(row)
            if !replaced.isEmpty, let twin = table.model(row.id), twin._$modelRow !== row, join(row, to: twin) { continue }
            table.insert(row.id, row)
        }
        for row in changedRows { settle(row) }
        for row in deletedRows {
            row.table?.remove(row.id)
            row.table = nil
            row.original = nil
            row.state = .gone
        }
        core.inserted = []
        core.changed = []
        core.deleted = []
    }

    private func settle(_ row: ModelRow) {
        for property in row.table?.entity.relationships ?? [] where row.dirty & property.mask != 0 {
            if property.isToMany {
                row.setToMany(nil, at: property.index)
            } else {
                row.setToOne(ToOneReference(id: row.toOne(at: property.index).id, model: nil), at: property.index)
            }
        }
        row.original = nil
        row.dirty = 0
        row.state = .clean
    }
}
