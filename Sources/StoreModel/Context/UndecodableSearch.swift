import StoreSQLite

/// Finds the stored value that a statement failed over: SQLite says what it met, not where.
struct UndecodableSearch {
    private let core: ContextCore

    init(_ core: ContextCore) { self.core = core }

    /// The first value in these tables that its property does not understand, as an error that names it; nil where all are understood, or
    /// where they cannot be read.
    func error(in tables: Set<String>, cause: SQLiteError) -> SwiftDataError? {
        for entity in core.layout.mapping.entities where entity.parent == nil && tables.contains(core.layout(of: entity).tableName) {
            if let found = try? first(of: entity.modelType) {
                return SwiftDataError(
                    .modelValidationFailure, found, remedy: "repair it in the store, or let the type understand it", cause: cause)
            }
        }
        return nil
    }

    private func first<T: PersistentModel>(of type: T.Type) throws -> String? {
        var all = FetchDescriptor<T>()
        all.includePendingChanges = false
        let operation = try FetchOperation(core, all)
        var batches = try ModelBatches(operation, size: 1_000, leavingOut: operation.leftOut())
        while let batch = try batches.next() {
            for row in batch.models.compactMap({ $0._$modelRow }) where row.state == .clean {
                if let found = first(of: row) { return found }
            }
        }
        return nil
    }

    private func first(of row: ModelRow) -> String? {
        for property in row.table?.entity.properties ?? [] where property.kind != nil {
            guard let stored = row.undecoded[property.index] ?? row.undecodable(at: property.index) else { continue }
            return "\("\(stored)".shortened) in property \(property.entityName).\(property.name) of row \(row.id) does not decode as "
                + "\(Swift.type(of: property.keyPath).valueType)"
        }
        return nil
    }
}
