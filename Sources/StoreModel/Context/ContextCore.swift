import Foundation
import Observation
import StoreSQLite

/// The models that one context knows, and what has happened to them since the last save.
///
/// The `ModelContext` holds it and is its public face; rows hold it too, so that a model that outlives its context can
/// still be read.
final class ContextCore {
    private var heldStorage: (any ModelStorage)?
    private(set) weak var storage: (any ModelStorage)?
    /// Whether the `ModelContext` is gone. Its models can still be read as long as the container lives, and change only in memory.
    private(set) var isAbandoned = false
    let layout: StoreLayout
    let storeIdentifier: String
    /// The storage, where it is a store that the program brings.
    let custom: CustomStorage?
    private(set) var tables: [RowTable] = []
    private var tablesByType: [ObjectIdentifier: RowTable] = [:]
    weak var context: ModelContext?
    /// Collects what can be undone, while there is an undo manager.
    var recorder: UndoRecorder?
    /// Told of the first of many changes.
    var onChange: (() -> Void)?
    /// Who makes the changes, for the history.
    var author: String?
    /// Where this process tells of changes of the store.
    private(set) lazy var storeHub = StoreHub.of(storeIdentifier)
    /// What other contexts have saved; nil for a stage, beside which nobody saves.
    private(set) var inbox: Inbox?
    /// How often the program has called into the context, which brings its models up to date each time.
    var calls: UInt64 = 1

    /// Held from the change on until the save. The state of a model's row says whether it still belongs there.
    var inserted: [any PersistentModel] = []
    @exclusivity(unchecked) var changed: [any PersistentModel] = []
    var deleted: [any PersistentModel] = []
    /// The count of commits at which the delete rules of what is to be deleted were applied; nil for nothing.
    var deletionsAt: UInt64?
    private var recent = RecentModels()
    /// What the last fetch that prefetches has read beside its models, held so that it is there when it is asked for.
    var prefetched: [any PersistentModel] = []
    /// How many changes may be pending; nil: any number.
    let pendingLimit: Int?
    /// Whether it is of a stage of a migration, the only one who writes: a row that is about to change need not keep its values for a
    /// rollback, which reads them again, and nobody is told of saves that are not committed yet.
    let isOfStage: Bool
    /// How many were, when they could not be written by themselves.
    private var failedPending = 0

    /// What could not be told where it happened; thrown by the next fetch or save.
    private var pendingError: SwiftDataError?
    var faultHandler: ((SwiftDataError) -> Void)?

    init(storage: any ModelStorage, layout: StoreLayout) {
        heldStorage = storage
        self.storage = storage
        self.layout = layout
        custom = storage as? CustomStorage
        storeIdentifier = storage.storeIdentifier
        pendingLimit = storage.pendingLimit
        isOfStage = storage.isStage
        for entity in layout.mapping.entities {
            // The rows of a table with inheritance are numbered together.
            let index = entity.parent.map { tables[$0.index].index } ?? RowTable.SharedIndex()
            tables.append(RowTable(entity, core: self, index: index))
        }
        tablesByType = Dictionary(uniqueKeysWithValues: tables.map { (ObjectIdentifier($0.entity.modelType), $0) })
        if !isOfStage { inbox = Inbox(storeHub, scope: custom.map { ObjectIdentifier($0) }) }
    }

    /// Says that the `ModelContext` is gone, and drops what is pending.
    func abandon() {
        isAbandoned = true
        onChange = nil
        recorder = nil
        for model in changed {
            if let row = model._$modelRow, row.state == .changed { loosen(row) }
        }
        for model in inserted {
            if let row = model._$modelRow, row.state == .inserted { detach(row) }
        }
        inserted = []
        changed = []
        deleted = []
        recent = RecentModels()
        prefetched = []
        inbox = nil
        heldStorage = nil
    }

    /// - Throws: `SwiftDataError.missingModelContext` once the container is gone.
    func openStorage() throws -> any ModelStorage {
        if let storage { return storage }
        throw SwiftDataError(
            .missingModelContext, "the container of a model is gone", remedy: "keep the ModelContext as long as its models")
    }

    func table(for type: any PersistentModel.Type) -> RowTable? { tablesByType[ObjectIdentifier(type)] }

    func table(of entity: EntityMapping) -> RowTable { tables[entity.index] }

    func layout(of entity: EntityMapping) -> EntityLayout { layout.entities[entity.index] }

    /// The identifier of a row.
    func identifier(_ row: Int64, of entity: EntityMapping) -> PersistentIdentifier {
        if let custom { return custom.identifier(row, entityName: entity.name) }
        return PersistentIdentifier(entityName: entity.name, storeIdentifier: storeIdentifier, row: row)
    }

    // MARK: Errors

    func report(_ error: SwiftDataError) {
        pendingError = pendingError ?? error
        faultHandler?(error)
    }

    /// Throws what a getter or a setter could not.
    func throwPendingError() throws {
        guard let error = pendingError else { return }
        pendingError = nil
        throw error
    }

    // MARK: Rows to models

    /// The model of the row that the statement stands on; its columns are those of the entity's `selectList`.
    ///
    /// A model that is there already is given again, with the row's present values if it has no pending change.
    ///
    /// - Parameter isNew: that it is known that the model is not there.
    func model(_ statement: Statement, _ table: RowTable, isNew: Bool = false) -> any PersistentModel {
        if let members = layout(of: table.entity).members {
            // A row of a class that the schema does not know shows what it has in common with the others.
            let member = members[statement.text(1)] ?? members[table.entity.name]
            var cursor = RowCursor(statement, from: 2, starts: member?.starts)
            return withExtendedLifetime(member) { model(&cursor, member.map { tables[$0.index] } ?? table, isNew) }
        }
        var cursor = RowCursor(statement, from: 1)
        return model(&cursor, table, isNew)
    }

    @inline(__always)
    private func model(_ cursor: inout RowCursor, _ table: RowTable, _ isNew: Bool) -> any PersistentModel {
        let id = cursor.statement.int64(0)
        if !isNew, let known = table.model(id) {
            if let row = known._$modelRow, row.state == .clean { load(row, &cursor, row.table?.entity ?? table.entity) }
            return known
        }
        let row = table.entity.rowType.init()
        row.id = id
        load(row, &cursor, table.entity)
        row.acceptsInitialValues = false
        let model = PendingRow.hand(row) { row._makeModel() }
        row.acceptsInitialValues = true
        row.state = .clean
        row.table = table
        table.insert(id, row)
        return model
    }

    /// The model of a row: one that is there, else from the store; nil if there is no such row.
    func model(_ id: Int64, in table: RowTable) throws -> (any PersistentModel)? {
        if let known = table.model(id) { return known }
        guard id > 0 else { return nil }
        let model = try openStorage().read { connection -> (any PersistentModel)? in
            let statement = try connection.statement(layout(of: table.entity).selectByID)
            defer { statement.reset() }
            try statement.bind(id, at: 1)
            return try statement.step() ? self.model(statement, table) : nil
        }
        if let model { recent.keep(model) }
        return model
    }

    /// The models of rows, in that order; rows that are gone are left out.
    ///
    /// - Parameter leftOut: the properties of which nothing is read before they are used.
    func models(_ ids: [Int64], in table: RowTable, leavingOut leftOut: PropertySet = PropertySet()) throws -> [any PersistentModel] {
        var found: [Int64: any PersistentModel] = [:]
        var missing: [Int64] = []
        for id in ids {
            if let known = table.model(id) {
                found[id] = known
            } else if id > 0 {
                missing.append(id)
            }
        }
        if !missing.isEmpty {
            let list = missing.numberList
            try openStorage().read { connection in
                let statement = try connection.statement(layout(of: table.entity).selectByIDs(leavingOut: leftOut))
                defer { statement.reset() }
                try statement.bind(list, at: 1)
                while try statement.step() {
                    let model = self.model(statement, table)
                    if !leftOut.isEmpty, let row = model._$modelRow, row.state == .clean { row.missing = leftOut }
                    found[statement.int64(0)] = model
                }
            }
        }
        return ids.compactMap { found[$0] }
    }

    /// The bytes of a side table. Errors are reported, not thrown.
    func externalData(_ id: Int64, of property: PropertyMapping, in entity: EntityMapping) -> Data? {
        do {
            return try openStorage().read { try layout(of: entity).bytes(of: property, id, $0) }
        } catch {
            report(
                SwiftDataError(
                    .modelValidationFailure, "the bytes of \(property.entityName).\(property.name) could not be read", cause: error))
            return nil
        }
    }

    /// Reads bytes of a side table that nobody has read, while they are there, into a row of the same class.
    func keepExternal(_ property: PropertyMapping, of row: ModelRow, in keeper: ModelRow) {
        guard property.isExternal, row.id > 0, let entity = row.table?.entity, !keeper.heldExternal(at: property.index).isHeld else {
            return
        }
        keeper.holdExternal(externalData(row.id, of: property, in: entity), at: property.index)
    }

    // MARK: Observation

    private let probe = ObservationRegistrar()
    private let probeSubject = ProbeSubject.shared
    /// An object of its own, not the shared one of a literal.
    @exclusivity(unchecked) private var probePath = ContextCore.makeProbePath()

    private static func makeProbePath() -> KeyPath<ProbeSubject, Int> { (\ProbeSubject.text).appending(path: \.count) }

    /// Whether somebody collects what is read, as `withObservationTracking` does.
    ///
    /// Observation does not say. But whoever collects holds on to the key path that he is told of: so a key path that
    /// nobody else holds after having been told of was told to nobody. It spares each model that is only read a registrar.
    func isTracking() -> Bool {
        probe.access(probeSubject, keyPath: probePath)
        if isKnownUniquelyReferenced(&probePath) { return false }
        probePath = Self.makeProbePath()
        return true
    }

    // MARK: Changes

    /// Notes that a property of a registered row is about to change.
    func willChange(_ row: ModelRow, _ index: Int) {
        if !row.missing.isEmpty { complete(row) }
        if row.state == .clean, !isAbandoned, let model = row.model {
            if !isOfStage {
                let original = type(of: row).init()
                original.copyValues(from: row)
                row.original = original
            }
            row.state = .changed
            changed.append(model)
            onChange?()
        }
        if let recorder { recorder.noteChange(row, index) }
        row.dirty.insert(index)
        if row.isUndecoded { row.forgetUndecoded(index) }
    }

    /// Writes by itself what is pending, where the storage bounds that. Called where no model is half changed.
    ///
    /// A model may still lack what the code is about to give it. Then everything stays pending, until the limit is reached once more;
    /// the explicit save says what is missing.
    func saveIfFull() {
        guard let limit = pendingLimit, inserted.count + changed.count + deleted.count >= limit + failedPending else { return }
        do {
            try context?.save()
            failedPending = 0
        } catch {
            failedPending = inserted.count + changed.count + deleted.count
        }
    }

    var hasChanges: Bool {
        inserted.contains { $0._$modelRow?.state == .inserted } || changed.contains { $0._$modelRow?.state == .changed }
            || deleted.contains { $0._$modelRow?.state == .deleted }
    }

    /// The models whose rows are in that state, each once.
    func pending(_ models: [any PersistentModel], _ state: ModelRow.State) -> [any PersistentModel] {
        models.filter { $0._$modelRow?.state == state }
    }
}

/// The last models that were loaded one by one, held so that a loop over rows that share a few targets loads each once.
private struct RecentModels {
    private var models: [any PersistentModel] = []
    private var next = 0
    private static let capacity = 256

    mutating func keep(_ model: any PersistentModel) {
        if models.count < Self.capacity {
            models.append(model)
        } else {
            models[next] = model
            next = (next + 1) % Self.capacity
        }
    }
}

/// What the probe of a context is told to have been read from.
private final class ProbeSubject: Observable, Sendable {
    static let shared = ProbeSubject()
    var text: String { "" }
}
