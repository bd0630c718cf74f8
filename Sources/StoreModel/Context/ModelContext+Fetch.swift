import Foundation
import StoreSQLite

extension ModelContext {
    /// The models that the descriptor describes, pending changes included unless it says otherwise.
    ///
    /// - Throws: `SwiftDataError.unsupportedPredicate`, `.unsupportedKeyPath` or `.unsupportedSortDescriptor` naming the
    ///   part that has no form in SQL; what the store meets while reading; and once what an earlier getter met.
    public func fetch<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel {
        try autosaveIfDue()
        try throwPendingError()
        let core = core(for: T.self)
        try bringUpToDate(descriptor, core)
        return try FetchOperation(core, descriptor).models()
    }

    /// How many models there are.
    public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int where T: PersistentModel {
        try autosaveIfDue()
        try throwPendingError()
        let core = core(for: T.self)
        try bringUpToDate(descriptor, core)
        return try FetchOperation(core, descriptor).count()
    }

    /// The identifiers of the models.
    public func fetchIdentifiers<T>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] where T: PersistentModel {
        try autosaveIfDue()
        try throwPendingError()
        let core = core(for: T.self)
        try bringUpToDate(descriptor, core)
        return try FetchOperation(core, descriptor).identifiers()
    }

    /// The models that the descriptor describes, read in batches when they are first asked for. Which they are, and their order, is
    /// settled now.
    ///
    /// A row that is deleted before its batch is read leaves a model that is in no context; the error goes to the fault handler.
    ///
    /// - Throws: `SwiftDataError.includePendingChangesWithBatchSize` while changes are pending that the descriptor includes, and what
    ///   `fetch` throws.
    public func fetch<T>(_ descriptor: FetchDescriptor<T>, batchSize: Int) throws -> FetchResultsCollection<T> where T: PersistentModel {
        let (operation, numbers) = try settled(descriptor)
        let (leftOut, relationships) = (try operation.leftOut(), try operation.relationships())
        let core = core(for: T.self)
        return FetchResultsCollection(count: numbers.count, batchSize: batchSize) { [self] range in
            withExtendedLifetime(self) { core.batch(numbers[range], of: T.self, leavingOut: leftOut, relationships) }
        }
    }

    /// The identifiers of the models, made in batches when they are first asked for.
    public func fetchIdentifiers<T>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
        let (operation, numbers) = try settled(descriptor)
        return FetchResultsCollection(count: numbers.count, batchSize: batchSize) { range in
            numbers[range].map(operation.identifier)
        }
    }

    private func settled<T>(_ descriptor: FetchDescriptor<T>) throws -> (FetchOperation<T>, RowNumbers) {
        try autosaveIfDue()
        try throwPendingError()
        let core = core(for: T.self)
        guard !descriptor.includePendingChanges || !core.hasChanges else {
            throw SwiftDataError(
                .includePendingChangesWithBatchSize, "\(T.self) cannot be fetched in batches while changes are pending",
                remedy: "save first, or set includePendingChanges to false")
        }
        try bringUpToDate(descriptor, core)
        let operation = try FetchOperation(core, descriptor)
        return (operation, try operation.rowNumbers())
    }

    /// Shows the models to the block, one after the other, holding one batch of them at a time.
    ///
    /// - Parameters:
    ///   - batchSize: rows that are read at a time.
    ///   - allowEscapingMutations: whether models that the block changed may stay pending. Otherwise they are saved at the
    ///     end of their batch.
    public func enumerate<T>(
        _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false, block: (_ model: T) throws -> Void
    ) throws where T: PersistentModel {
        try autosaveIfDue()
        try throwPendingError()
        let core = core(for: T.self)
        try bringUpToDate(fetch, core)
        let operation = try FetchOperation(core, fetch)
        let (leftOut, relationships) = (try operation.leftOut(), try operation.relationships())
        var batches = try ModelBatches(operation, size: batchSize, leavingOut: leftOut)
        let storage = try core.openStorage()
        storage.expect(rows: batches.count)
        while let batch = try batches.next() {
            try core.prefetch(relationships, of: batch.models)
            for model in batch.models {
                if !core.deleted.isEmpty, model._$modelRow?.state == .deleted { continue }
                if let model = FetchOperation<T>.typed(model) { try block(model) }
            }
            if !allowEscapingMutations, storage.allowsSave, hasChanges { try save() }
            core.saveIfFull()
            try core.throwPendingError()
            try storage.advance(rows: batch.rows)
        }
    }

    /// Takes what other contexts have saved, and asks the store that the program brings for what it has now; a store of ours is read as it is.
    final func bringUpToDate<T>(_ descriptor: FetchDescriptor<T>, _ core: ContextCore) throws where T: PersistentModel {
        core.refresh()
        if let custom = core.custom { try custom.bringUpToDate(descriptor, core, editingState) }
    }
}
