import StoreSQLite

/// One save: writes what is pending in a context in one transaction.
///
/// The order is deletions, changes, insertions, pairs, so that a unique value that a deleted or changed model had can be
/// taken by a new one. Row numbers of new models are chosen before anything is written: a foreign key never waits.
final class SaveOperation {
    let core: ContextCore
    let insertions: PendingRows
    let changes: PendingRows
    let deletions: PendingRows
    /// The temporary number of each inserted row, to give back if the transaction fails.
    private var temporary: [[Int64]] = []
    /// New models that turned out to stand for a row that is there, with the number they had before.
    var replaced: [ModelRow] = []
    /// What their rows had before, where that can be undone.
    var former: [(row: ModelRow, values: FormerValues)] = []
    /// Rows of the store from which the save has taken a partner.
    var parted: [Partner] = []
    /// Changed rows that are not written yet, by table and number; filled at the first clash.
    var unwritten: [Int: [Int64: ModelRow]]?
    /// Held to the end: a row in a table must not outlive its model.
    private let models: [[any PersistentModel]]

    init(_ core: ContextCore) {
        self.core = core
        insertions = PendingRows(core.inserted, .inserted, in: core)
        changes = PendingRows(core.changed, .changed, in: core)
        deletions = PendingRows(core.deleted, .deleted, in: core)
        models = [core.inserted, core.changed, core.deleted]
    }

    /// The identifiers of new models, once they are saved.
    var inserted: [PersistentIdentifier] { insertions.identifiers(in: core) }
    var changed: [PersistentIdentifier] { changes.identifiers(in: core) }
    var deleted: [PersistentIdentifier] { deletions.identifiers(in: core) }

    /// Writes everything and commits.
    ///
    /// - Throws: `SwiftDataError.modelValidationFailure` for what a delete rule or a constraint forbids, else what SQLite
    ///   says. Nothing is written then, and all stays pending.
    func run() throws {
        var validation = SaveValidation(core)
        try validation.check(inserted: insertions, changed: changes, deleted: deletions)
        for part in changes.parts where !part.entity.externals.isEmpty { validation.named.note(bytesOf: part) }
        temporary = insertions.parts.map { $0.rows.map(\.id) }
        let names = Set(changedEntities)
        do {
            try core.openStorage().write(changing: names) { connection in
                try chooseNumbers(connection)
                let links = try linksOfDeletions(connection)
                for part in deletions.parts {
                    for row in part.rows { try delete(row, part, connection) }
                }
                let partners = try unknownPartners(connection)
                for part in changes.parts { try update(part, connection) }
                for part in insertions.parts { try insert(part, connection) }
                if !replaced.isEmpty { try repoint(connection) }
                for part in changes.parts + insertions.parts where !part.layout.pairs.isEmpty {
                    for row in part.rows { try writePairs(row, part.layout, connection) }
                }
                for part in changes.parts + insertions.parts where !part.layout.sides.isEmpty {
                    for row in part.rows { try writeBytes(row, part.layout, connection) }
                }
                try part(partners, connection)
                if let links { try check(links, connection) }
                if !core.isOfStage { try check(validation.named, connection) }
                transaction = try writeHistory(connection)
                try core.custom?.handOver(inserted: insertions.rows, changed: changes.rows, deleted: deletions.rows, core)
            }
        } catch {
            for (part, ids) in zip(insertions.parts, temporary) {
                for (row, id) in zip(part.rows, ids) { row.id = id }
            }
            replaced = []
            former = []
            parted = []
            unwritten = nil
            throw error
        }
        finish()
    }

    /// The number of the save in the store's history.
    private(set) var transaction: Int64?

    /// The entities whose rows were written.
    var changedEntities: [String] {
        Set(insertions.entityNames + changes.entityNames + deletions.entityNames + parted.map(\.owner.name)).sorted()
    }

    private func writeHistory(_ connection: Connection) throws -> Int64? {
        guard let retention = try core.openStorage().historyRetention else { return nil }
        var record = HistoryRecord(core)
        let taken = Set(replaced.map { ObjectIdentifier($0) })
        record.note(deletions, .delete)
        record.note(changes, .update)
        record.note(insertions, .insert, updating: taken)
        for partner in parted { record.noteUpdate(of: partner.target, partner.owner, partner.inverse) }
        return try record.write(author: core.author, keeping: retention, connection)
    }

    /// Writes what lies in side tables.
    private func writeBytes(_ row: ModelRow, _ layout: EntityLayout, _ connection: Connection) throws {
        for side in layout.sides where row.dirty.contains(side.property.index) {
            let (isHeld, data) = row.heldExternal(at: side.property.index)
            guard isHeld else { continue }
            guard let data else {
                try run(side.delete, connection, row.id)
                continue
            }
            let statement = try connection.statement(side.upsert)
            try statement.bind(row.id, at: 1)
            try data.withUnsafeBytes { try statement.bind(blob: $0, at: 2) }
            try statement.run()
        }
    }

    // MARK: Rows

    /// Gives each new row the number after the highest that its table ever had.
    private func chooseNumbers(_ connection: Connection) throws {
        let new = insertions.count
        if new > 0, let first = try core.openStorage().reserveNumbers(new) {
            for (offset, row) in insertions.rows.enumerated() { row.id = first + Int64(offset) }
            return
        }
        var next: [Int: Int64] = [:]
        for part in insertions.parts {
            var number = try next[part.entity.root.index] ?? highestNumber(part.entity, connection) + 1
            for row in part.rows {
                row.id = number
                number += 1
            }
            next[part.entity.root.index] = number
        }
    }

    private func highestNumber(_ entity: EntityMapping, _ connection: Connection) throws -> Int64 {
        let layout = core.layout(of: entity)
        let used = try connection.scalar("SELECT seq FROM sqlite_sequence WHERE name = ?1", .text(layout.tableName))?.integer ?? 0
        let present = try connection.scalar("SELECT max(storekeeper_id) FROM \(layout.table)")?.integer ?? 0
        return max(used, present)
    }

    private func delete(_ row: ModelRow, _ part: PendingRows.Part, _ connection: Connection) throws {
        try run(part.layout.delete, connection, row.id)
        for property in part.entity.relationships where property.deleteRule != .noAction || property.inverse == nil {
            if let pairs = part.layout.pairs[property.index] { try run(pairs.removeAll, connection, row.id) }
        }
        for statement in part.layout.incoming { try run(statement, connection, row.id) }
        for side in part.layout.sides { try run(side.delete, connection, row.id) }
    }

    /// Writes the changed columns of each row. Rows of which the same has changed share a statement.
    private func update(_ part: PendingRows.Part, _ connection: Connection) throws {
        let (entity, rows) = (part.entity, part.rows)
        var start = 0
        while start < rows.count {
            let dirty = rows[start].dirty
            let end = rows[start...].firstIndex { $0.dirty != dirty } ?? rows.count
            if let sql = part.layout.update(dirty) {
                var binder = RowBinder(try connection.statement(sql), wanted: dirty)
                for row in rows[start..<end] { try updateMakingRoom(row, &binder, entity, connection) }
            }
            start = end
        }
    }

    func update(_ row: ModelRow, _ dirty: PropertySet, _ connection: Connection) throws {
        guard let entity = row.table?.entity, let sql = core.layout(of: entity).update(dirty) else { return }
        var binder = RowBinder(try connection.statement(sql), wanted: dirty)
        try update(row, &binder, entity, connection)
    }

    /// Writes the columns that the binder wants.
    func update(_ row: ModelRow, _ binder: inout RowBinder, _ entity: EntityMapping, _ connection: Connection) throws {
        binder.rewind()
        binder.undecoded = row.undecoded
        row._bind(&binder)
        try check(binder, entity, row)
        try binder.statement.bind(row.id, at: binder.parameter)
        do {
            try binder.statement.run()
        } catch {
            throw refusal(error, entity, row)
        }
        guard connection.changes == 1 else {
            throw SwiftDataError.modelValidation(
                "\(entity.name) \(row.id) has been deleted from the store since it was read",
                remedy: "roll back, or delete the model, then save again")
        }
    }

    private func insert(_ part: PendingRows.Part, _ connection: Connection) throws {
        let (entity, statement) = (part.entity, try connection.statement(part.layout.insert))
        for row in part.rows {
            try statement.bind(row.id, at: 1)
            var binder = RowBinder(statement, from: 2, wanted: entity.allProperties)
            binder.undecoded = row.undecoded
            row._bind(&binder)
            try check(binder, entity, row)
            do {
                try statement.run()
            } catch {
                throw refusal(error, entity, row)
            }
            if !entity.uniqueness.isEmpty, connection.changes == 0 { try replace(row, entity, connection) }
        }
    }

    private func writePairs(_ row: ModelRow, _ layout: EntityLayout, _ connection: Connection) throws {
        for (index, pairs) in layout.pairs where row.dirty.contains(index) {
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

    private func check(_ binder: RowBinder, _ entity: EntityMapping, _ row: ModelRow) throws {
        guard let failure = binder.failure else { return }
        let name = entity.properties.indices.contains(binder.failed) ? ".\(entity.properties[binder.failed].name)" : ""
        throw SwiftDataError.modelValidation(
            "the value of \(entity.name)\(name) of row \(row.id) cannot be stored", remedy: "correct the value, then save again",
            cause: failure)
    }

    /// Says in the model's words what a constraint of its table refused; any other error as it is.
    private func refusal(_ error: any Error, _ entity: EntityMapping, _ row: ModelRow) -> any Error {
        guard let error = error as? SQLiteError, error.code.primary == .constraint else { return error }
        return SwiftDataError.modelValidation(
            "\(entity.name) \(row.id) cannot be saved: \(error.message)",
            remedy: error.code == .constraintUnique
                ? "give it a value that no other row has, or roll back" : "give the required property a value, or roll back",
            cause: error)
    }

    // MARK: Afterwards

    /// Makes the rows clean. Strong references between models end here, so that clean models keep nobody alive.
    private func finish() {
        core.recorder?.noteSaved(replacing: former)
        for partner in parted { core.inbox?.put([partner.owner.tableName: Inbox.Rows(numbers: [partner.target])]) }
        for (part, ids) in zip(insertions.parts, temporary) {
            for (row, id) in zip(part.rows, ids) {
                part.table.remove(id)
                settle(row, part.entity.relationships)
                if !replaced.isEmpty, let twin = part.table.model(row.id), twin._$modelRow !== row, join(row, to: twin) { continue }
                part.table.insert(row.id, row)
            }
        }
        for part in changes.parts {
            for row in part.rows { settle(row, part.entity.relationships) }
        }
        for part in deletions.parts {
            for row in part.rows {
                part.table.remove(row.id)
                row.table = nil
                row.original = nil
                row.state = .gone
            }
        }
        core.inserted = []
        core.changed = []
        core.deleted = []
        core.deletionsAt = nil
    }

    private func settle(_ row: ModelRow, _ relationships: [PropertyMapping]) {
        for property in relationships where row.dirty.contains(property.index) { letGo(property, row) }
        row.original = nil
        row.dirty = PropertySet()
        row.state = .clean
    }

    /// Keeps the number of a to-one's target and nothing of a to-many.
    private func letGo(_ property: PropertyMapping, _ row: ModelRow) {
        if property.isToMany {
            row.setToMany(nil, at: property.index)
        } else {
            row.setToOne(ToOneReference(id: row.toOne(at: property.index).id, model: nil), at: property.index)
        }
    }
}
