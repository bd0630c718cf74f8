import StoreSQLite

/// What a to-one relationship points to.
@frozen
public struct ToOneReference {
    /// The target's row; 0 for nil, negative for a model that has not been saved.
    public var id: Int64
    /// Held only while the change is pending or the model is in no context, so that clean models keep nobody alive.
    public var model: (any PersistentModel)?

    /// A target by its row, its model, or both.
    @inlinable
    public init(id: Int64, model: (any PersistentModel)?) {
        self.id = id
        self.model = model
    }

    /// Whether there is a target.
    var isSet: Bool { id != 0 || model != nil }

    /// No target.
    public static var none: ToOneReference { ToOneReference(id: 0, model: nil) }
}

/// A to-one that got a new target: what the context needs to keep the other side right.
@frozen
public struct ToOneChange {
    /// What it pointed to before.
    public let old: ToOneReference
    /// The new target; nil for none.
    public let new: (any PersistentModel)?

    @inlinable
    init(old: ToOneReference, new: (any PersistentModel)?) {
        self.old = old
        self.new = new
    }
}

/// The slot of an optional to-one: the target's row in an INTEGER column of the property's name.
@frozen
public struct ToOneSlot<Target: PersistentModel>: Slot {
    /// The row of the target; 0 where there is none, or where `model` says it.
    public var id: Int64
    /// The target while the change is pending or its own model is in no context.
    public var model: Target?

    /// No target, until one comes.
    @inlinable
    public init() {
        id = 0
        model = nil
    }

    public var shape: SlotShape { .toOne(Target.self, isOptional: true) }

    @inlinable
    public mutating func initialize(_ value: Target?) { _ = assign(value) }

    /// Takes a new target, and says what it replaces.
    @inlinable
    public mutating func assign(_ value: Target?) -> ToOneChange {
        let change = ToOneChange(old: ToOneReference(id: id, model: model), new: value)
        model = value
        id = 0
        return change
    }

    @inlinable
    public mutating func load(_ cursor: inout RowCursor) {
        id = cursor.nextInteger()
        model = nil
    }

    @inlinable
    public func bind(_ binder: inout RowBinder) {
        guard binder.wantsNext() else { return }
        let id = model?._rowID ?? id
        if id == 0 {
            binder.bindNull()
        } else {
            binder.bind(id)
        }
    }

    public var anyValue: Any? { nil }
    public mutating func setAny(_ value: Any?) -> Bool { false }
    public var sqlValue: Value? {
        let id = model?._rowID ?? id
        return id == 0 ? .null : .integer(id)
    }

    public var toOne: ToOneReference? {
        get { ToOneReference(id: model?._rowID ?? id, model: model) }
        set {
            id = newValue?.id ?? 0
            model = newValue?.model as? Target
        }
    }

    public mutating func giveUp(to models: inout [any PersistentModel]) {
        guard let held = model else { return }
        models.append(held)
        model = nil
    }
}

/// The slot of a to-one whose property is not optional.
@frozen
public struct RequiredToOneSlot<Target: PersistentModel>: Slot {
    /// The same as that of an optional relationship.
    public var reference: ToOneSlot<Target>

    /// No target, until one comes.
    @inlinable
    public init() { reference = ToOneSlot() }

    public var shape: SlotShape { .toOne(Target.self, isOptional: false) }

    @inlinable
    public mutating func initialize(_ value: Target) { reference.initialize(value) }
    /// Takes a new target, and says what it replaces.
    @inlinable
    public mutating func assign(_ value: Target) -> ToOneChange { reference.assign(value) }
    @inlinable
    public mutating func load(_ cursor: inout RowCursor) { reference.load(&cursor) }
    @inlinable
    public func bind(_ binder: inout RowBinder) { reference.bind(&binder) }

    public var anyValue: Any? { nil }
    public mutating func setAny(_ value: Any?) -> Bool { false }
    public var sqlValue: Value? { reference.sqlValue }
    public var toOne: ToOneReference? {
        get { reference.toOne }
        set { reference.toOne = newValue }
    }
    public mutating func giveUp(to models: inout [any PersistentModel]) { reference.giveUp(to: &models) }
}

extension ModelRow {
    /// What a property's getter gives: the target, looked up by its row; nil where no such row is.
    @inlinable
    public func _value<Target>(_ slot: ToOneSlot<Target>, at index: Int) -> Target? {
        if let model = slot.model { return _isThere(model) ? model : nil }
        return slot.id == 0 ? nil : _related(slot.id, at: index) as? Target
    }

    /// What a property's getter gives: the target; where it is missing, a model in no context, which is reported.
    @inlinable
    public func _value<Target>(_ slot: RequiredToOneSlot<Target>, at index: Int) -> Target {
        if let target = slot.reference.model ?? _value(slot.reference, at: index) { return target }
        return _detachedTarget(Target.self, at: index)
    }

    /// Called by the setter after `assign`: sets the other side of the relationship too. A model in no context follows its new target into
    /// that of the target.
    @inlinable
    public func _didChange(_ index: Int, _ change: ToOneChange, of model: @autoclosure () -> (any PersistentModel)?) {
        if _isRegistered {
            _toOneChanged(index, change)
        } else if let target = change.new {
            _follow([target], of: model())
        }
    }
}
