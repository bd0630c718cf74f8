import StoreSQLite

/// What a to-many relationship points to: the rows that the store has, and what changed since.
///
/// Made on the first use of the property. Changes are kept as additions and removals, so that the other side of a
/// relationship can be kept right without loading this one.
public final class ToManyReferences {
    /// The targets' rows as the store has them; nil until they are loaded.
    var stored: [Int64]?
    /// The count of commits that `stored` was read at; another count makes it stale.
    var storedAt: UInt64 = 0
    /// The count of the context's calls that the targets were last shown at.
    var shownAt: UInt64 = 0
    /// Whether `stored` was read in advance and has not been used yet: its first use is to cost no second reading.
    var isPrefetched = false
    /// Targets that `stored` does not have.
    var added: [any PersistentModel] = []
    /// Their numbers, temporary ones included.
    var addedIDs: Set<Int64> = []
    /// Targets that `stored` has, or may have, and the relationship no longer.
    var removed: Set<Int64> = []

    init() {}

    init(_ models: [any PersistentModel]) {
        stored = []
        added = models
    }

    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty }

    func copy() -> ToManyReferences {
        let copy = ToManyReferences()
        copy.stored = stored
        copy.storedAt = storedAt
        copy.added = added
        copy.addedIDs = addedIDs
        copy.removed = removed
        return copy
    }
}

/// A to-many that got a new value.
public struct ToManyChange {
    let value: [any PersistentModel]
}

/// The slot of a to-many relationship. It has no column: the rows are in the other side's column or in a table of pairs.
@frozen
public struct ToManySlot<Wrapped: RelationshipCollection>: Slot {
    /// Nil until the first use, and for a new model without targets.
    public var references: ToManyReferences?

    /// No targets, until some come or are asked for.
    @inlinable
    public init() { references = nil }

    public var shape: SlotShape {
        .toMany(Wrapped.PersistentElement.self, isOptional: Wrapped.self is any OptionalValue.Type)
    }

    public mutating func initialize(_ value: Wrapped) {
        let models = value._models
        references = models.isEmpty ? nil : ToManyReferences(models)
    }

    /// Says what the targets are to be; the row takes them with `_didChange`, which compares them with those that it has.
    public mutating func assign(_ value: Wrapped) -> ToManyChange { ToManyChange(value: value._models) }

    @inlinable
    public mutating func load(_ cursor: inout RowCursor) { references = nil }

    @inlinable
    public func bind(_ binder: inout RowBinder) { _ = binder.wantsNext() }

    public var anyValue: Any? { nil }
    public mutating func setAny(_ value: Any?) -> Bool { false }
    public var sqlValue: Value? { nil }

    public var toMany: ToManyReferences? {
        get { references ?? ToManyReferences() }
        set { references = newValue }
    }

    public mutating func giveUp(to models: inout [any PersistentModel]) {
        guard let held = references else { return }
        models += held.added
        held.added = []
        references = nil
    }
}

extension ModelRow {
    /// What a property's getter gives: the targets, read from the store on first use.
    public func _value<Wrapped>(_ slot: ToManySlot<Wrapped>, at index: Int) -> Wrapped {
        Wrapped._collection(_relatedModels(slot.references, at: index))
    }

    /// Called by the setter after `assign`: sets the other side of the relationship too. A model in no context follows its new targets into
    /// theirs.
    public func _didChange(_ index: Int, _ change: ToManyChange, of model: @autoclosure () -> (any PersistentModel)?) {
        _toManyChanged(index, change, of: model())
    }
}
