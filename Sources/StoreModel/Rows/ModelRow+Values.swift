import StoreSQLite

/// Values of properties by their numbers, without the static type.
extension ModelRow {
    /// The value, without a substitute for one that does not decode, which is told.
    final func value(at index: Int) -> Any? {
        fill(index)
        if let stored = undecodable(at: index) {
            reportUndecodable(stored, at: index)
            return nil
        }
        var visitor = ReadValue()
        _visit(index, &visitor)
        return visitor.value
    }

    /// What the store has, or had, for a property whose value is decoded on its first read and does not decode; nil for all others.
    final func undecodable(at index: Int) -> Value? {
        var visitor = ReadUndecodable()
        _visit(index, &visitor)
        return visitor.value
    }

    final func setValue(_ value: Any?, at index: Int) -> Bool {
        var visitor = WriteValue(value: value)
        _visit(index, &visitor)
        return visitor.isDone
    }

    /// What the store has, or will have, for a property; nil for what has no column.
    final func sqlValue(at index: Int) -> Value? {
        if let stored = undecoded[index] { return stored }
        fill(index)
        var visitor = ReadSQLValue()
        _visit(index, &visitor)
        return visitor.value
    }

    final func shape(at index: Int) -> SlotShape? {
        var visitor = ReadShape()
        _visit(index, &visitor)
        return visitor.shape
    }

    final func toOne(at index: Int) -> ToOneReference {
        fill(index)
        var visitor = ReadToOne()
        _visit(index, &visitor)
        return visitor.reference ?? .none
    }

    final func setToOne(_ reference: ToOneReference, at index: Int) {
        var visitor = WriteToOne(reference: reference)
        _visit(index, &visitor)
    }

    final func setToMany(_ references: ToManyReferences?, at index: Int) {
        var visitor = WriteToMany(references: references)
        _visit(index, &visitor)
    }

    /// The references of a to-many, made if this is the first use.
    final func toMany(at index: Int) -> ToManyReferences {
        var visitor = MakeToMany()
        _visit(index, &visitor)
        return visitor.references ?? ToManyReferences()
    }
}

private struct ReadValue: SlotVisitor {
    var value: Any?
    mutating func visit<S: Slot>(_ slot: inout S) { value = slot.anyValue }
}

private struct WriteValue: SlotVisitor {
    let value: Any?
    var isDone = false
    mutating func visit<S: Slot>(_ slot: inout S) { isDone = slot.setAny(value) }
}

private struct ReadSQLValue: SlotVisitor {
    var value: Value?
    mutating func visit<S: Slot>(_ slot: inout S) { value = slot.sqlValue }
}

private struct ReadShape: SlotVisitor {
    var shape: SlotShape?
    mutating func visit<S: Slot>(_ slot: inout S) { shape = slot.shape }
}

private struct ReadToOne: SlotVisitor {
    var reference: ToOneReference?
    mutating func visit<S: Slot>(_ slot: inout S) { reference = slot.toOne }
}

private struct WriteToOne: SlotVisitor {
    let reference: ToOneReference
    mutating func visit<S: Slot>(_ slot: inout S) { slot.toOne = reference }
}

private struct WriteToMany: SlotVisitor {
    let references: ToManyReferences?
    mutating func visit<S: Slot>(_ slot: inout S) { slot.toMany = references }
}

private struct MakeToMany: SlotVisitor {
    var references: ToManyReferences?
    mutating func visit<S: Slot>(_ slot: inout S) {
        references = slot.toMany
        slot.toMany = references
    }
}
