import Foundation
import StoreOwner
import StoreShared

/// The SQLite store, as a `DataStore` that can be used without a container.
///
/// A container opens it by itself for a `ModelConfiguration`, and then goes to its rows directly.
// Unchecked: each request uses a context of its own, under the lock.
public final class DefaultStore: DataStore, DataStoreBatching, @unchecked Sendable {
    public typealias Configuration = ModelConfiguration
    public typealias Snapshot = DefaultSnapshot

    /// The name of its configuration.
    public let name: String
    /// The models that it keeps.
    public let schema: Schema
    /// What it was opened with.
    public let configuration: ModelConfiguration
    let container: ModelContainer
    private let lock = NSRecursiveLock()

    /// - Throws: as `ModelContainer`; the configuration needs a schema.
    public convenience init(_ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) throws {
        guard let schema = configuration.schema else {
            throw SwiftDataError(
                .configurationSchemaNotFoundInContainerSchema, "the configuration \(configuration.name) has no schema",
                remedy: "set its schema before the store is opened")
        }
        try self.init(
            configuration, ModelContainer(for: schema, migrationPlan: migrationPlan, configurations: [configuration]))
    }

    private init(_ configuration: ModelConfiguration, _ container: ModelContainer) throws {
        name = configuration.name
        schema = container.schema
        self.configuration = configuration
        self.container = container
    }

    /// The identity that the store got when it was made.
    public var identifier: String { container.stores[0].storage.storeIdentifier }

    /// Deletes every model in one transaction; the file stays.
    public func erase() throws { try container.erase() }
    /// Does nothing: each request uses a context of its own.
    public func initializeState(for editingState: EditingState) {}
    /// Does nothing: each request uses a context of its own.
    public func invalidateState(for editingState: EditingState) {}

    private func withContext<R>(_ editingState: EditingState?, _ body: (ModelContext) throws -> R) throws -> R {
        try lock.withLock {
            let context = ModelContext(container)
            context.author = editingState?.author
            return try body(context)
        }
    }

    /// The values of the models that a descriptor describes.
    ///
    /// - Throws: as `ModelContext.fetch(_:)`, and for a stored value that does not decode, with model and property: a snapshot has no substitutes.
    public func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
        try withContext(request.editingState) { context in
            let snapshots = try context.fetch(request.descriptor).map(Self.snapshot)
            // A value that does not decode is told while the snapshot is taken.
            try context.throwPendingError()
            return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
        }
    }

    private static func snapshot(_ model: any PersistentModel) -> DefaultSnapshot {
        var related: [PersistentIdentifier: any BackingData] = [:]
        return DefaultSnapshot(from: model.backing, relatedBackingDatas: &related)
    }

    /// How many rows a descriptor describes.
    public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
        try withContext(request.editingState) { try $0.fetchCount(request.descriptor) }
    }

    /// The identifiers of the rows that a descriptor describes.
    public func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] where T: PersistentModel {
        try withContext(request.editingState) { try $0.fetchIdentifiers(request.descriptor) }
    }

    /// Deletes by predicate, by all delete rules, in one transaction.
    public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
        try withContext(request.editingState) { context in
            try context.delete(model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
            try context.save()
        }
    }

    /// Writes the changes in one transaction.
    ///
    /// - Throws: `SwiftDataError.modelValidationFailure` for what a rule or a constraint forbids, `.unknownSchema` for a model that the store does not keep; nothing
    ///   is written then.
    public func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        try withContext(request.editingState) { context in
            let core = context.core
            var models: [PersistentIdentifier: any PersistentModel] = [:]
            for snapshot in request.inserted {
                guard let table = core.table(named: snapshot.persistentIdentifier.entityName) else {
                    throw SwiftDataError(
                        .unknownSchema, "\(snapshot.persistentIdentifier.entityName) is not part of the schema of \(name)",
                        remedy: "add it to the configuration's schema")
                }
                models[snapshot.persistentIdentifier] = table.entity.rowType.init()._makeModel()
            }
            let target = { (identifier: PersistentIdentifier) in models[identifier] ?? context.existingModel(for: identifier) }
            // Values first: relationships may lead to any of them.
            for snapshot in request.inserted {
                guard let model = models[snapshot.persistentIdentifier] else { continue }
                try apply(snapshot, to: model, target)
            }
            for model in models.values { core.insert(model) }
            for snapshot in request.updated {
                guard let model = context.existingModel(for: snapshot.persistentIdentifier) else { continue }
                try apply(snapshot, to: model, target)
            }
            for snapshot in request.deleted {
                if let model = context.existingModel(for: snapshot.persistentIdentifier) { core.delete(model) }
            }
            try context.save()
            return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: models.mapValues(\.persistentModelID))
        }
    }

    private func apply(
        _ snapshot: DefaultSnapshot, to model: any PersistentModel, _ target: (PersistentIdentifier) -> (any PersistentModel)?
    ) throws {
        guard let row = model._$modelRow, let type = row._modelType else { return }
        for (index, property) in type.propertyMetadata.enumerated() {
            let value = snapshot.values[property.name]
            switch row.shape(at: index) {
            case .toOne:
                let found = value.flatMap(SnapshotCoding.identifier).flatMap(target)
                let old = row.toOne(at: index)
                row._willChange(index)
                row.setToOne(ToOneReference(id: 0, model: found), at: index)
                row.core?.toOneChanged(row, index, old: old, new: found)
            case .toMany:
                let found = (value.map(SnapshotCoding.identifiers) ?? []).compactMap(target)
                row._willChange(index)
                row._toManyChanged(index, ToManyChange(value: found), of: model)
            case .attribute, .external:
                row._willChange(index)
                let valueType = Swift.type(of: property.keypath).valueType
                guard let value else {
                    if let none = (valueType as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ()) {
                        _ = row.setValue(none, at: index)
                    }
                    continue
                }
                guard SnapshotCoding.set(value, at: index, of: row, type: valueType) else {
                    throw SwiftDataError.modelValidation(
                        "a snapshot's \(property.name) of \(snapshot.persistentIdentifier) is no \(valueType)",
                        remedy: "give the snapshot a value of the property's type")
                }
            case .ephemeral, nil: break
            }
        }
    }

    /// The values of rows by their identifiers; those that no row has are left out.
    public func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: DefaultSnapshot] {
        try withContext(editingState) { context in
            var found: [PersistentIdentifier: DefaultSnapshot] = [:]
            for identifier in persistentIdentifiers {
                found[identifier] = context.existingModel(for: identifier).map(Self.snapshot)
            }
            try context.throwPendingError()
            return found
        }
    }
}

extension DefaultStore: HistoryProviding {
    public typealias HistoryType = DefaultHistoryTransaction
    public typealias TokenType = DefaultHistoryToken
    /// `DefaultHistoryTransaction`.
    public static var historyType: DefaultHistoryTransaction.Type { DefaultHistoryTransaction.self }

    /// As `ModelContext.fetchHistory(_:)`.
    public func fetchHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws -> [DefaultHistoryTransaction] {
        try withContext(nil) { try $0.fetchHistory(descriptor) }
    }

    /// As `ModelContext.deleteHistory(_:)`.
    public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
        try withContext(nil) { try $0.deleteHistory(descriptor) }
    }
}

extension PersistentModel {
    /// Its backing data without the type of its model.
    var backing: any BackingData { persistentBackingData }
}
