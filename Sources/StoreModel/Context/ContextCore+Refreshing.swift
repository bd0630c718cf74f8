import StoreSQLite

extension ContextCore {
    /// How many rows one statement reads again.
    private static let batch = 5_000

    /// Reads again what other contexts of this process have saved of the models that are here, without pending changes. Errors are
    /// reported, not thrown.
    ///
    /// A model with a pending change keeps all its values; it is read again once that is saved or taken back. The model of a row that is gone
    /// keeps its last values and is found no more.
    func refresh() {
        calls &+= 1
        takeMail()
    }

    /// The same within a call: what lists have shown to the program stays what they have shown.
    func takeMail() {
        guard !isAbandoned, let inbox, let mail = inbox.take() else { return }
        for (name, changed) in mail {
            guard let table = tables.first(where: { $0.entity.parent == nil && $0.entity.tableName == name }) else { continue }
            var clean: [Int64] = []
            var waiting = Inbox.Rows()
            for number in changed.isAll ? table.storedNumbers : Array(changed.numbers) {
                switch table.model(number)?._$modelRow?.state {
                case .clean: clean.append(number)
                case .changed, .deleted: waiting.numbers.insert(number)
                default: break
                }
            }
            if !waiting.numbers.isEmpty { inbox.put([name: waiting]) }
            do {
                for start in stride(from: 0, to: clean.count, by: Self.batch) {
                    try reread(clean[start..<min(start + Self.batch, clean.count)], table)
                }
            } catch {
                inbox.put([name: Inbox.Rows(numbers: Set(clean))])
                report(
                    SwiftDataError(
                        .modelValidationFailure, "what another context has saved of \(name) could not be read", cause: error))
            }
        }
    }

    /// Tells the other contexts which rows have been saved, by table.
    func tellOthers(_ rows: () -> [String: Inbox.Rows]) {
        guard let storage = try? openStorage() else { return }
        storeHub.deliver(rows, of: storage, but: inbox)
    }

    private func reread(_ numbers: ArraySlice<Int64>, _ table: RowTable) throws {
        let list = numbers.numberList
        var left = Set(numbers)
        /// Rows that somebody observes, with their new values: he is told when nothing is being read any more.
        var observed: [(row: ModelRow, model: any PersistentModel, values: ModelRow)] = []
        try openStorage().read { connection in
            let layout = layout(of: table.entity)
            let statement = try connection.statement(layout.selectByIDs())
            defer { statement.reset() }
            try statement.bind(list, at: 1)
            while try statement.step() {
                let number = statement.int64(0)
                left.remove(number)
                guard let model = table.model(number), let row = model._$modelRow, let entity = row.table?.entity else { continue }
                let member = layout.members?[entity.name]
                var cursor = RowCursor(statement, from: layout.members == nil ? 1 : 2, starts: member?.starts)
                withExtendedLifetime(member) {
                    guard row.existingRegistrar != nil else { return load(row, &cursor, entity) }
                    let values = type(of: row).init()
                    load(values, &cursor, entity)
                    observed.append((row, model, values))
                }
            }
        }
        for number in left { table.remove(number) }
        for (row, model, values) in observed where row.state == .clean {
            row.table?.entity.changingAll(of: model, row) {
                row.copyValues(from: values)
                row.missing = PropertySet()
            }
        }
    }
}

extension SaveOperation {
    /// The rows of the store that the save has changed or deleted, by table.
    var changedRows: [String: Inbox.Rows] {
        var rows: [String: Inbox.Rows] = [:]
        for part in changes.parts + deletions.parts {
            rows[part.entity.tableName, default: Inbox.Rows()].numbers.formUnion(part.rows.map(\.id))
        }
        for partner in parted { rows[partner.owner.tableName, default: Inbox.Rows()].numbers.insert(partner.target) }
        let taken = Set(replaced.map { ObjectIdentifier($0) })
        for part in insertions.parts where !taken.isEmpty {
            let numbers = part.rows.filter { taken.contains(ObjectIdentifier($0)) }.map(\.id)
            rows[part.entity.tableName, default: Inbox.Rows()].numbers.formUnion(numbers)
        }
        return rows
    }
}
