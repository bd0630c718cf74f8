import Observation
import StoreSQLite

/// The values of one model, one typed slot for each persisted property.
///
/// `@Model` writes a final subclass for each model. A row belongs to one model and, once inserted or fetched, to the
/// table of one context. Not `Sendable`; only its release may happen on another thread.
///
/// No access to one of its properties calls anything that could come back to it, so that none is checked for exclusivity.
open class ModelRow {
    /// The row in the store; negative for a model that has not been saved, 0 before anybody asked.
    @exclusivity(unchecked) final var id: Int64 = 0
    /// What has changed since the last save.
    @exclusivity(unchecked) final var dirty = PropertySet()
    /// What was left out of a fetch, and is read from the store before its first use.
    @exclusivity(unchecked) final var missing = PropertySet()
    @exclusivity(unchecked) final var state = State.detached
    /// False while a fetched row gets its model: the model's initial values are then not to be taken.
    @exclusivity(unchecked) final var acceptsInitialValues = true
    /// Keeps the tables of its context alive; nil for a model that is in no context.
    @exclusivity(unchecked) private(set) final var core: ContextCore?
    @exclusivity(unchecked) private final var ownTable: Unmanaged<RowTable>?
    /// The model that reads from this row. Unowned: the model holds its row.
    @exclusivity(unchecked) final unowned(unsafe) var model: (any PersistentModel)?
    /// The values before the first pending change.
    @exclusivity(unchecked) final var original: ModelRow?
    /// What a read gave for a value that is missing, so that it gives the same again.
    final var substitutes: [Int: Any] = [:]
    /// What the store has for properties whose values the program does not understand, by property: a save leaves it there.
    private(set) final var undecoded: [Int: Value] = [:]
    /// Whether there is any.
    @exclusivity(unchecked) private(set) final var isUndecoded = false
    /// In a box: the size of a registrar is not known before the program runs, and no row would be laid out until then.
    @exclusivity(unchecked) private final var registrar: RegistrarBox?

    enum State: UInt8 {
        /// In no context.
        case detached
        /// As the store has it.
        case clean
        case inserted
        case changed
        /// To be deleted by the next save.
        case deleted
        /// Deleted, and saved so: in no context any more, its last values are kept.
        case gone
    }

    /// Whether it is deleted, saved or not.
    final var isLeaving: Bool { state == .deleted || state == .gone }

    /// The row of a new model: no values, in no context.
    public required init() {}

    /// The context's table of this entity; nil for a model that is in no context.
    final var table: RowTable? {
        get { ownTable?.takeUnretainedValue() }
        set {
            ownTable = newValue.map(Unmanaged.passUnretained)
            core = newValue?.core
        }
    }

    /// Whether it is in that table. Takes no reference, unlike a comparison of `table`.
    @inline(__always)
    final func isIn(_ other: RowTable?) -> Bool {
        ownTable?.toOpaque() == other.map { Unmanaged.passUnretained($0).toOpaque() }
    }

    deinit {
        if let ownTable { ownTable._withUnsafeGuaranteedRef { $0.remove(id, row: self) } }
        // A clean row holds no model.
        if state != .clean { releaseModels() }
    }

    // MARK: What the macro asks

    /// Whether initial values of the class are to be taken: not while a fetched row gets its model.
    public final var _acceptsInitialValues: Bool { acceptsInitialValues }

    // MARK: What the macro writes

    /// How many persisted properties there are, inherited ones included.
    open var _count: Int { 0 }
    /// The class of its models.
    open var _modelType: (any PersistentModel.Type)? { nil }
    /// Takes the values of a row of the store, in the order of the properties.
    open func _load(_ cursor: inout RowCursor) {}
    /// Binds the values that the binder wants.
    open func _bind(_ binder: inout RowBinder) {}
    /// Takes all values of another row of the same class.
    open func _copySlots(from other: ModelRow) {}
    /// Shows one slot to a visitor.
    open func _visit<V: SlotVisitor>(_ index: Int, _ visitor: inout V) {}
    /// Makes the model that reads from this row.
    // An error in the program: a row class that was not written by the macro.
    open func _makeModel() -> any PersistentModel { fatalError("\(Self.self) is not written by @Model") }

    // MARK: Observation

    final var observationRegistrar: ObservationRegistrar {
        if let registrar { return registrar.registrar }
        let made = RegistrarBox()
        registrar = made
        return made.registrar
    }

    /// Nil where nobody has observed a property, so that there is nobody to tell.
    final var existingRegistrar: ObservationRegistrar? { registrar?.registrar }

    /// Whether a read has to be told to the registrar: somebody is collecting what is read. Sees to it that there is something to read.
    public final func _isTracked(_ index: Int) -> Bool {
        if !missing.isEmpty || isUndecoded { fill(index) }
        // Through the table, which takes no reference.
        return ownTable?._withUnsafeGuaranteedRef { $0.isTracking() } ?? true
    }

    /// Reads what a fetch has left out, if the property is part of that, and tells if its value is not understood.
    final func fill(_ index: Int) {
        if missing.contains(index) { core?.complete(self) }
        if isUndecoded { reportUndecoded(index) }
    }

    /// Notes what the store has for properties whose values are not understood; none for a row whose values all are.
    final func setUndecoded(_ values: [Int: Value]) {
        undecoded = values
        isUndecoded = !values.isEmpty
    }

    /// Takes what the store has, or had, for a value that does not decode.
    final func setStored(_ value: Value, at index: Int) {
        var visitor = WriteStored(value: value)
        _visit(index, &visitor)
        guard undecodable(at: index) == nil else { return }
        if let property = table?.entity.properties[index] { _ = setValue(property.defaultValue, at: index) }
        setUndecoded(undecoded.merging([index: value]) { $1 })
    }

    /// Forgets what the store has for a property that gets another value.
    final func forgetUndecoded(_ index: Int) {
        undecoded[index] = nil
        isUndecoded = !undecoded.isEmpty
    }

    /// Takes all values of another row of the same class.
    final func copyValues(from other: ModelRow) {
        _copySlots(from: other)
        setUndecoded(other.undecoded)
    }

    /// Whether somebody may want to know of a change.
    public final var _isObserved: Bool { registrar != nil }
}

private final class RegistrarBox {
    let registrar = ObservationRegistrar()
}

extension ModelRow {
    /// Whether the row is in a context, so that changes are to be noted.
    public final var _isRegistered: Bool { table != nil }

    /// Notes that a property is about to get another value.
    public final func _willChange(_ index: Int) {
        if let core {
            core.willChange(self, index)
        } else if isUndecoded {
            forgetUndecoded(index)
        }
    }

    @usableFromInline
    final func _toOneChanged(_ index: Int, _ change: ToOneChange) {
        core?.toOneChanged(self, index, old: change.old, new: change.new)
    }

    final func _toManyChanged(_ index: Int, _ change: ToManyChange, of model: (any PersistentModel)?) {
        if let core {
            core.toManyChanged(self, index, to: change.value)
        } else {
            setToMany(change.value.isEmpty ? nil : ToManyReferences(change.value), at: index)
            _follow(change.value, of: model)
        }
    }

    /// Inserts a model that is in no context into the one that its new targets are in.
    @usableFromInline
    final func _follow(_ targets: [any PersistentModel], of model: (any PersistentModel)?) {
        for target in targets {
            guard let core = target._$modelRow?.core, !core.isAbandoned else { continue }
            guard let model else { return }
            core.saveIfFull()
            return core.insert(model)
        }
    }

    /// The model in that row of the to-one's destination; nil if there is none.
    @usableFromInline
    final func _related(_ id: Int64, at index: Int) -> (any PersistentModel)? {
        guard let table else { return nil }
        return table.core.related(id, of: table.entity.properties[index])
    }

    /// Whether a target that is held is not about to be deleted. A row that goes itself, or is in no context, keeps what it has.
    @usableFromInline
    final func _isThere(_ model: any PersistentModel) -> Bool {
        guard let core, !core.isAbandoned, !isLeaving else { return true }
        return model._$modelRow?.isLeaving != true
    }

    final func _relatedModels(_ references: ToManyReferences?, at index: Int) -> [any PersistentModel] {
        guard let core else { return references?.added ?? [] }
        return core.relatedModels(self, index)
    }

    final func _report(_ error: SwiftDataError) { core?.report(error) }

    final func _propertyName(at index: Int) -> String {
        guard let table else { return "number \(index + 1) of \(type(of: self))" }
        return "\(table.entity.name).\(table.entity.properties[index].name)"
    }
}
