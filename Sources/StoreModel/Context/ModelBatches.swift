import StoreSQLite

/// The models of one fetch, a batch at a time: of the rows that were there when it began, those that still are.
struct ModelBatches {
    /// Some models, and how many rows they were looked for in.
    struct Batch {
        let models: [any PersistentModel]
        let rows: Int
    }

    private enum Rows {
        /// Every row of the table from one number to another, as the table lies: it is read once, and nothing is kept of the rows to come.
        case all(above: Int64, last: Int64)
        /// Rows that a predicate, a sort or a window has chosen. They stay chosen, whatever the block changes.
        case chosen(RowNumbers, next: Int)
    }

    private let core: ContextCore
    private let table: RowTable
    private let size: Int
    /// The attributes whose values are not read.
    private let leftOut: PropertySet
    private var rows: Rows
    /// How many rows there are.
    let count: Int

    init<T>(_ operation: FetchOperation<T>, size: Int, leavingOut leftOut: PropertySet) throws {
        self.leftOut = leftOut
        core = operation.core
        table = operation.table
        // Rows that are handled and saved while they are at hand cost less than many that come back after a while.
        self.size = min(max(size, 1), core.pendingLimit ?? .max)
        if operation.takesEveryRow {
            let extent = try core.extent(of: table)
            count = extent.count
            rows = .all(above: 0, last: extent.last)
        } else {
            let numbers = try operation.rowNumbers()
            count = numbers.count
            rows = .chosen(numbers, next: 0)
        }
    }

    /// The next batch; nil at the end.
    mutating func next() throws -> Batch? {
        switch rows {
        case .all(let above, let last):
            guard above < last else { return nil }
            let (models, highest) = try core.models(above: above, upTo: last, limit: size, in: table)
            guard let highest else { return nil }
            rows = .all(above: highest, last: last)
            return Batch(models: models, rows: models.count)
        case .chosen(let numbers, let start):
            guard start < numbers.count else { return nil }
            let end = min(start + size, numbers.count)
            rows = .chosen(numbers, next: end)
            return Batch(models: try core.models(numbers[start..<end], in: table, leavingOut: leftOut), rows: end - start)
        }
    }
}

extension ContextCore {
    /// How many rows a table has, and the highest number among them.
    fileprivate func extent(of table: RowTable) throws -> (count: Int, last: Int64) {
        try openStorage().read { connection in
            let statement = try connection.statement(layout(of: table.entity).extent)
            defer { statement.reset() }
            return try statement.step() ? (Int(statement.int64(0)), statement.int64(1)) : (0, 0)
        }
    }

    /// The models of the next rows of a table by their numbers, and the last of those; nil without any row.
    fileprivate func models(
        above: Int64, upTo last: Int64, limit: Int, in table: RowTable
    ) throws -> (models: [any PersistentModel], highest: Int64?) {
        var models: [any PersistentModel] = []
        models.reserveCapacity(min(limit, 10_000))
        var highest: Int64?
        try openStorage().read { connection in
            let statement = try connection.statement(layout(of: table.entity).selectAbove)
            defer { statement.reset() }
            for (index, value) in [above, last, Int64(limit)].enumerated() { try statement.bind(value, at: Int32(index + 1)) }
            // The rows are all different: where none is known before the first, none is known at the last.
            let isEmpty = table.isEmpty
            while try statement.step() {
                highest = statement.int64(0)
                models.append(model(statement, table, isNew: isEmpty))
            }
        }
        return (models, highest)
    }
}
