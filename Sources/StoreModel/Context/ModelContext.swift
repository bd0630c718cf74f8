import Foundation
import StoreShared
import StoreSQLite

/// Models of one container, and their pending changes.
///
/// Used where it was made: it is not `Sendable`. It shows one instance for each row. A context never sees what another
/// has not saved.
public class ModelContext: Equatable, SendableMetatype {
    public final let container: ModelContainer
    final let core: ContextCore

    public init(_ container: ModelContainer) {
        self.container = container
        core = ContextCore(storage: container.storage, layout: container.layout)
        core.context = self
    }

    deinit { core.abandon() }

    public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }

    /// Told of every error that a getter or a setter met; the next fetch or save throws the first of them too.
    public var faultHandler: ((SwiftDataError) -> Void)? {
        get { core.faultHandler }
        set { core.faultHandler = newValue }
    }

    // MARK: Pending changes

    public var insertedModelsArray: [any PersistentModel] { core.pending(core.inserted, .inserted) }
    public var changedModelsArray: [any PersistentModel] { core.pending(core.changed, .changed) }
    public var deletedModelsArray: [any PersistentModel] { core.pending(core.deleted, .deleted) }
    public var hasChanges: Bool { core.hasChanges }

    /// Takes a new model in, with all models that it points to. It has a temporary identifier until the next save.
    ///
    /// A model that is in no context need not be inserted when a relationship of it is set to a model that is in one: it
    /// follows that model. So it does in its own initialiser, if that relationship is optional or a to-many; a required
    /// one is set there before the model is whole, and then the model is to be inserted.
    public func insert<T>(_ model: T) where T: PersistentModel {
        core.saveIfFull()
        core.insert(model)
    }

    /// Marks a model as deleted, with all that its delete rules take along. One that was never saved is dropped at once.
    public func delete<T>(_ model: T) where T: PersistentModel {
        core.saveIfFull()
        core.delete(model)
    }

    /// Drops insertions, and gives changed and deleted models back the values of the last save.
    public func rollback() { core.rollback() }

    /// Does nothing: delete rules and inverses are kept at once.
    public func processPendingChanges() {}

    /// Runs the block, then saves. Nothing of the store is locked while the block runs.
    public func transaction(block: () throws -> Void) throws {
        try block()
        try save()
    }

    /// Writes all pending changes in one transaction.
    ///
    /// - Throws: `SwiftDataError.modelValidationFailure` for what a delete rule or a constraint forbids, `StoreError` for
    ///   what the owner meets, `SQLiteError` for what SQLite meets. Everything stays pending then.
    public func save() throws {
        try core.throwPendingError()
        guard core.hasChanges else { return }
        guard try core.openStorage().allowsSave else {
            throw SwiftDataError.modelValidation(
                "the store was opened for reading only", remedy: "save through the owner, or open the container with allowsSave: true")
        }
        if core.isOfStage { return try SaveOperation(core).run() }
        NotificationCenter.default.post(name: Self.willSave, object: self)
        let operation = SaveOperation(core)
        let deleted = operation.deleted
        try operation.run()
        NotificationCenter.default.post(
            name: Self.didSave, object: self,
            userInfo: Self.userInfo([
                .insertedIdentifiers: operation.inserted,
                .updatedIdentifiers: operation.changed,
                .deletedIdentifiers: deleted,
            ]))
    }

    // MARK: Looking up

    /// The model of an identifier: one that is there, else from the store, looked up at once.
    ///
    /// For an identifier that no row has, a model that is in no context.
    public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
        core.saveIfFull()
        guard let table = core.tables.first(where: { $0.entity.name == persistentModelID.entityName }) ?? core.tables.first else {
            // An error in the program: a schema of no models.
            fatalError("a container without models has no model for \(persistentModelID)")
        }
        do {
            if let row = number(persistentModelID), let model = try core.model(row, in: table) { return model }
        } catch {
            core.report(SwiftDataError(.modelValidationFailure, "\(persistentModelID) could not be read", cause: error))
        }
        return table.entity.rowType.init()._makeModel()
    }

    /// The model of an identifier, if this context has it.
    public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T? where T: PersistentModel {
        guard let row = number(persistentModelID) else { return nil }
        let model = core.tables.first { $0.entity.name == persistentModelID.entityName }?.model(row) as? T
        return model?._$modelRow?.state == .deleted ? nil : model
    }

    /// The row of an identifier of this store.
    private func number(_ identifier: PersistentIdentifier) -> Int64? {
        if let store = identifier.storeIdentifier, store != core.storeIdentifier { return nil }
        return identifier.row
    }
}
