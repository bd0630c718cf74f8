import Foundation

/// Models of one container, and their pending changes.
///
/// Used where it was made: it is not `Sendable`. It shows one instance for each row. A context never sees what another
/// has not saved.
public class ModelContext: Equatable, SendableMetatype {
    /// Whose stores it reads and writes.
    public final let container: ModelContainer
    /// One for each store of the container.
    final let cores: [ContextCore]
    final var autosaver: Autosaver

    /// Makes a context for the thread or actor that uses it from now on. It does not save by itself.
    public init(_ container: ModelContainer) {
        self.container = container
        cores = container.stores.map { ContextCore(storage: $0.storage, layout: $0.layout) }
        autosaver = Autosaver()
        editingState = EditingState()
        for core in cores {
            core.context = self
            core.custom?.begin(editingState)
        }
    }

    deinit {
        for core in cores {
            core.abandon()
            core.custom?.end(editingState)
        }
        undoManager?.flushers[ObjectIdentifier(self)] = nil
    }

    public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }

    /// The core of the only store, or of the first of several.
    final var core: ContextCore { cores[0] }

    /// The core of the store that a model lies in; the first where none knows it, which then says so.
    final func core(for type: any PersistentModel.Type) -> ContextCore {
        cores.count == 1 ? cores[0] : cores.first { $0.table(for: type) != nil } ?? cores[0]
    }

    /// Told of every error that a getter or a setter met; the next fetch or save throws the first of them too.
    public var faultHandler: ((SwiftDataError) -> Void)? {
        get { core.faultHandler }
        set { cores.forEach { $0.faultHandler = newValue } }
    }

    final func throwPendingError() throws {
        for core in cores { try core.throwPendingError() }
    }

    // MARK: Who edits

    /// Who makes the changes that are saved, as the history says it.
    public var author: String? {
        get { editingState.author }
        set { editingState.author = newValue }
    }

    /// Names this context to the stores.
    public var editingState: EditingState

    /// Whether the context saves by itself, some time after a change: on the executor that it was made for, such as the main actor for
    /// `mainContext`, else at its next fetch.
    public var autosaveEnabled: Bool {
        get { autosaver.isEnabled }
        set {
            autosaver.isEnabled = newValue
            watchChanges()
        }
    }

    /// What a save does about a new model with a unique value that a row has already.
    public var uniqueClash = UniqueClash.updates

    /// What a save does about a unique value that is there already.
    public enum UniqueClash: Sendable {
        /// The row takes the values of the new model, which stands for it from then on, as in SwiftData.
        case updates
        /// The save fails and says which row it is; everything stays pending.
        case fails
    }

    /// Takes changes back and does them again. Empty unless one is set.
    public var undoManager: UndoManager? {
        willSet { undoManager?.flushers[ObjectIdentifier(self)] = nil }
        didSet {
            undoManager?.flushers[ObjectIdentifier(self)] = { [weak self] in self?.registerUndo() }
            for core in cores { core.recorder = undoManager.map { _ in UndoRecorder(core) } }
        }
    }

    // MARK: Pending changes

    /// The models that the next save inserts, in the order in which they came.
    public var insertedModelsArray: [any PersistentModel] { cores.flatMap { $0.pending($0.inserted, .inserted) } }
    /// The models that the next save changes, in the order of their first change.
    public var changedModelsArray: [any PersistentModel] { cores.flatMap { $0.pending($0.changed, .changed) } }
    /// The models that the next save deletes.
    public var deletedModelsArray: [any PersistentModel] { cores.flatMap { $0.pending($0.deleted, .deleted) } }
    /// Whether a save would write anything.
    public var hasChanges: Bool { cores.contains(where: \.hasChanges) }

    /// Takes a new model in, with all models that it points to. It has a temporary identifier until the next save.
    ///
    /// A model that is in no context need not be inserted when a relationship of it is set to a model that is in one: it
    /// follows that model. So it does in its own initialiser, if that relationship is optional or a to-many; a required
    /// one is set there before the model is whole, and then the model is to be inserted.
    public func insert<T>(_ model: T) where T: PersistentModel {
        let core = core(for: type(of: model))
        core.saveIfFull()
        core.insert(model)
    }

    /// Marks a model as deleted, with all that its delete rules take along. One that was never saved is dropped at once.
    public func delete<T>(_ model: T) where T: PersistentModel {
        let core = core(for: type(of: model))
        core.saveIfFull()
        core.delete(model)
    }

    /// Marks all models that a predicate matches as deleted, as `delete(_:)` does for each: delete rules hold, and the next save deletes.
    ///
    /// - Parameter includeSubclasses: whether models of classes below `model` go too.
    public func delete<T>(model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true) throws
    where T: PersistentModel {
        for found in try fetch(FetchDescriptor<T>(predicate: predicate)) where includeSubclasses || type(of: found) == T.self {
            delete(found)
        }
    }

    /// Drops insertions, gives changed and deleted models back the values of the last save, and empties the undo stack of this context.
    public func rollback() {
        for core in cores {
            core.recorder?.forget()
            core.rollback()
        }
        undoManager?.removeAllActions(withTarget: self)
        refresh()
        changesProcessed()
    }

    /// Makes the changes since the last call one action of the undo manager. Delete rules and inverses are kept at once, without it.
    public func processPendingChanges() {
        refresh()
        registerUndo()
        undoManager?.endEvent()
        changesProcessed()
    }

    /// Whether observers are being told of a save.
    private var isAboutToSave = false

    /// Observers of this context, which want to know of changes before they are saved. One that is gone gives false.
    final var processListeners: [() -> Bool] = []

    private func changesProcessed() { processListeners.removeAll { !$0() } }

    private func registerUndo() {
        guard let undoManager else { return }
        for core in cores { core.recorder?.register(with: undoManager) }
    }

    /// Runs the block, then saves. Nothing of the store is locked while the block runs.
    public func transaction(block: () throws -> Void) throws {
        try block()
        try save()
    }

    /// Writes all pending changes in one transaction, with several stores one in each.
    ///
    /// - Throws: `SwiftDataError.modelValidationFailure` for what a delete rule or a constraint forbids, `StoreError` for
    ///   what the owner meets, `SQLiteError` for what SQLite meets. Everything stays pending then.
    public func save() throws {
        try throwPendingError()
        refresh()
        guard hasChanges else { return }
        for core in cores where core.hasChanges {
            guard try core.openStorage().allowsSave else {
                throw SwiftDataError.modelValidation(
                    "the store was opened for reading only", remedy: "save through the owner, or open the container with allowsSave: true")
            }
        }
        if core.isOfStage { return try SaveOperation(core).run() }
        // An observer that saves saves all that there is.
        if !isAboutToSave {
            isAboutToSave = true
            defer { isAboutToSave = false }
            NotificationCenter.default.post(name: Self.willSave, object: self)
        }
        processPendingChanges()
        guard hasChanges else { return }
        var summary = SaveSummary()
        for core in cores where core.hasChanges {
            core.author = author
            let (operation, deleted) = try core.save()
            summary.inserted += operation.inserted
            summary.updated += operation.changed
            summary.deleted += deleted
            if let transaction = operation.transaction {
                summary.tokens[core.storeIdentifier] = DefaultHistoryToken([core.storeIdentifier: transaction])
            }
            core.tellOthers { operation.changedRows }
            core.storeHub.announce(operation.changedEntities, author: author, transaction: operation.transaction)
        }
        // What others have saved of models that were changed here until now.
        refresh()
        NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: summary.userInfo)
    }

    /// Takes what other contexts of this process have saved into the models that are here and have no pending changes.
    final func refresh() {
        for core in cores { core.refresh() }
    }

    // MARK: Looking up

    /// The model of an identifier: one that is there, else from the store, looked up at once.
    ///
    /// For an identifier that no row has, a model that is in no context.
    public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
        let core = core(of: persistentModelID)
        core.saveIfFull()
        core.refresh()
        guard let table = core.table(named: persistentModelID.entityName) ?? core.tables.first else {
            // An error in the program: a schema of no models.
            fatalError("a container without models has no model for \(persistentModelID)")
        }
        do {
            if let row = core.number(of: persistentModelID), let model = try core.model(row, in: table) { return model }
        } catch {
            core.report(SwiftDataError(.modelValidationFailure, "\(persistentModelID) could not be read", cause: error))
        }
        return table.entity.rowType.init()._makeModel()
    }

    /// The model of an identifier, from the context or from the store; nil where there is none. Errors are reported, not thrown.
    final func existingModel(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
        let core = core(of: identifier)
        core.refresh()
        guard let row = core.number(of: identifier), let table = core.table(named: identifier.entityName) else { return nil }
        do {
            guard let model = try core.model(row, in: table), model._$modelRow?.state != .deleted else { return nil }
            return model
        } catch {
            core.report(SwiftDataError(.modelValidationFailure, "\(identifier) could not be read", cause: error))
            return nil
        }
    }

    /// The model of an identifier, if this context has it.
    public func registeredModel<T>(for persistentModelID: PersistentIdentifier) -> T? where T: PersistentModel {
        let core = core(of: persistentModelID)
        core.refresh()
        guard let row = core.number(of: persistentModelID) else { return nil }
        let model = core.table(named: persistentModelID.entityName)?.model(row) as? T
        return model?._$modelRow?.state == .deleted ? nil : model
    }

    /// The core of the store that an identifier names; of a temporary one, that of its entity's store.
    private func core(of identifier: PersistentIdentifier) -> ContextCore {
        guard cores.count > 1 else { return cores[0] }
        if let store = identifier.storeIdentifier { return cores.first { $0.storeIdentifier == store } ?? cores[0] }
        return cores.first { $0.table(named: identifier.entityName) != nil } ?? cores[0]
    }
}

extension ContextCore {
    func table(named name: String) -> RowTable? { tables.first { $0.entity.name == name } }

    /// The row of an identifier of this store.
    func number(of identifier: PersistentIdentifier) -> Int64? {
        if let store = identifier.storeIdentifier, store != storeIdentifier { return nil }
        guard let custom else { return identifier.row }
        do {
            return try custom.number(identifier, context?.editingState ?? EditingState())
        } catch {
            report(SwiftDataError(.modelValidationFailure, "\(identifier) could not be looked up", cause: error))
            return nil
        }
    }
}

/// What a save did, for those who are told.
private struct SaveSummary {
    var inserted: [PersistentIdentifier] = []
    var updated: [PersistentIdentifier] = []
    var deleted: [PersistentIdentifier] = []
    /// The place in the history of each store that was written.
    var tokens: [String: any HistoryToken] = [:]

    var userInfo: [AnyHashable: Any] {
        ModelContext.userInfo([
            .insertedIdentifiers: inserted, .updatedIdentifiers: updated, .deletedIdentifiers: deleted, .historyTokens: tokens,
        ])
    }
}
