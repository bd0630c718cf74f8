import Foundation
import StoreSQLite

extension ModelContext {
    /// The models that the descriptor describes, pending changes included unless it says otherwise.
    ///
    /// - Throws: `SwiftDataError.unsupportedPredicate`, `.unsupportedKeyPath` or `.unsupportedSortDescriptor` naming the
    ///   part that has no form in SQL; what the store meets while reading; and once what an earlier getter met.
    public func fetch<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel {
        try core.throwPendingError()
        return try FetchOperation(core, descriptor).models()
    }

    /// How many models there are.
    public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int where T: PersistentModel {
        try core.throwPendingError()
        return try FetchOperation(core, descriptor).count()
    }

    /// The identifiers of the models.
    public func fetchIdentifiers<T>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] where T: PersistentModel {
        try core.throwPendingError()
        return try FetchOperation(core, descriptor).identifiers()
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
        try core.throwPendingError()
        let identifiers = try FetchOperation(core, fetch).rowNumbers()
        guard let table = core.table(for: T.self) else { return }
        let storage = try core.openStorage()
        storage.expect(rows: identifiers.count)
        var start = 0
        while start < identifiers.count {
            let end = min(start + max(batchSize, 1), identifiers.count)
            for model in try core.models(identifiers[start..<end], in: table) {
                if let model = model as? T, model._$modelRow?.state != .deleted { try block(model) }
            }
            if !allowEscapingMutations, storage.allowsSave, core.hasChanges { try save() }
            core.saveIfFull()
            try core.throwPendingError()
            try storage.advance(rows: end - start)
            start = end
        }
    }
}
