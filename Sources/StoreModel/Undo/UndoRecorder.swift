import StoreSQLite

/// What happened in a context since its pending changes were last processed, as steps that can be taken back.
///
/// The steps of one processing are one action of the context's undo manager. Taking a step back goes through the context like any change,
/// so that inverses, observers and the steps for redoing come by themselves.
final class UndoRecorder {
    enum Step {
        case inserted(Insertion)
        /// With what its relationships pointed to, by property.
        case deleted(any PersistentModel, targets: [Int: [any PersistentModel]])
        case changed(any PersistentModel, index: Int, old: Value)
    }

    /// A model that was inserted.
    final class Insertion {
        let model: any PersistentModel
        /// What the row that it turned out to stand for had before, once that was saved.
        fileprivate(set) var former: FormerValues?

        init(_ model: any PersistentModel) {
            self.model = model
        }
    }

    enum Value {
        case attribute(Any?)
        /// What the store has for a value that does not decode.
        case stored(StoreSQLite.Value)
        case toOne((any PersistentModel)?)
        case toMany([any PersistentModel])
        /// What a list has got and lost: what others put into it meanwhile is not the undoer's.
        case links(added: [any PersistentModel], removed: [any PersistentModel])
    }

    private struct Place: Hashable {
        let row: ObjectIdentifier
        let index: Int
    }

    private unowned let core: ContextCore
    private var steps: [Step] = []
    private var seen: Set<Place> = []
    /// The last step of each list, and what was pending in the list before it.
    private var lists: [Place: (step: Int, pending: ToManyReferences)] = [:]
    /// Those that are not saved yet, by row.
    private var insertions: [ObjectIdentifier: Insertion] = [:]

    init(_ core: ContextCore) {
        self.core = core
    }

    func noteInsertion(_ model: any PersistentModel) {
        let insertion = Insertion(model)
        steps.append(.inserted(insertion))
        if let row = model._$modelRow { insertions[ObjectIdentifier(row)] = insertion }
        seen = []
    }

    /// Notes which new models have taken the place of rows that were there.
    func noteSaved(replacing former: [(row: ModelRow, values: FormerValues)]) {
        for (row, values) in former { insertions[ObjectIdentifier(row)]?.former = values }
        insertions = [:]
    }

    func noteDeletion(_ model: any PersistentModel) {
        guard let row = model._$modelRow, let entity = row.table?.entity else { return }
        var targets: [Int: [any PersistentModel]] = [:]
        for property in entity.relationships { targets[property.index] = core.targets(property, row) }
        steps.append(.deleted(model, targets: targets))
        seen = []
    }

    /// Called before the value changes. Of several changes of one property only the first value counts.
    func noteChange(_ row: ModelRow, _ index: Int) {
        guard let model = row.model, let property = row.table?.entity.properties[index], row.state != .gone else { return }
        guard seen.insert(Place(row: ObjectIdentifier(row), index: index)).inserted else { return }
        let old: Value
        if property.isToMany {
            // The rows of a one-to-many are in the other side, whose change is a step of its own.
            guard property.pairs != nil else { return }
            old = .toMany(core.relatedModels(row, index))
            let place = Place(row: ObjectIdentifier(row), index: index)
            narrow(place)
            lists[place] = (steps.count, row.toMany(at: index).copy())
        } else if property.destinationType != nil {
            old = .toOne(core.targets(property, row).first)
        } else if let stored = row.undecoded[index] ?? row.undecodable(at: index) {
            old = .stored(stored)
        } else {
            core.keepExternal(property, of: row, in: row)
            old = .attribute(row.value(at: index))
        }
        steps.append(.changed(model, index: index, old: old))
    }

    var isEmpty: Bool { steps.isEmpty }

    func forget() {
        steps = []
        seen = []
        lists = [:]
        insertions = [:]
    }

    /// Lets the last step of a list say what the list has got and lost since, in place of all that it had.
    private func narrow(_ place: Place) {
        guard let (step, then) = lists[place], case .changed(let model, let index, .toMany(let before)) = steps[step],
            let row = model._$modelRow, let destination = row.table?.entity.properties[index].destination
        else { return }
        let now = row.toMany(at: index)
        var back: [any PersistentModel] = []
        do {
            back = try core.models(Array(then.removed.subtracting(now.removed)), in: core.table(of: destination))
        } catch {
            core.report(
                SwiftDataError(
                    .modelValidationFailure, "which \(destination.name) models a list has got back could not be read for undoing",
                    cause: error))
        }
        let removed = before.filter { target in
            let id = target._rowID
            return now.removed.contains(id) && !then.removed.contains(id) || then.addedIDs.contains(id) && !now.addedIDs.contains(id)
        }
        steps[step] = .changed(
            model, index: index, old: .links(added: now.added.filter { !then.addedIDs.contains($0._rowID) } + back, removed: removed))
    }

    /// Hands the steps over to an undo manager as one action.
    func register(with manager: UndoManager) {
        guard !steps.isEmpty else { return }
        lists.keys.forEach(narrow)
        let taken = steps
        (steps, seen, lists) = ([], [], [:])
        guard let context = core.context else { return }
        manager.registerUndo(withTarget: context) { [weak core] _ in core?.takeBack(taken) }
    }
}

extension ContextCore {
    /// Takes steps back, the last one first.
    func takeBack(_ steps: [UndoRecorder.Step]) {
        for step in steps.reversed() {
            switch step {
            case .inserted(let insertion):
                if let former = insertion.former {
                    giveBack(former, to: insertion.model)
                } else {
                    delete(insertion.model)
                }
            case .deleted(let model, let targets): bringBack(model, targets)
            case .changed(let model, let index, let old): setBack(model, index, old)
            }
        }
    }

    /// A deletion that was saved is undone by a new row with the old values.
    private func bringBack(_ model: any PersistentModel, _ targets: [Int: [any PersistentModel]]) {
        guard let row = model._$modelRow, let entity = table(for: type(of: model))?.entity else { return }
        if row.state == .gone {
            // The other sides have let go of it: each is linked anew.
            for property in entity.relationships {
                if property.isToMany { row.setToMany(nil, at: property.index) } else { row.setToOne(.none, at: property.index) }
            }
        }
        insert(model)
        for property in entity.relationships {
            let found = targets[property.index] ?? []
            setBack(model, property.index, property.isToMany ? .toMany(found) : .toOne(found.first))
        }
    }

    /// An insertion that was an update of a row is undone by what the row had.
    private func giveBack(_ former: FormerValues, to model: any PersistentModel) {
        guard let entity = model._$modelRow?.table?.entity else { return }
        for property in entity.properties {
            let index = property.index
            if let numbers = former.targets[index], let destination = property.destination {
                do {
                    setBack(model, index, .toMany(try models(numbers, in: table(of: destination))))
                } catch {
                    report(
                        SwiftDataError(
                            .modelValidationFailure, "what \(entity.name).\(property.name) was could not be read for undoing", cause: error)
                    )
                }
            } else if property.destinationType != nil {
                let number = former.row.toOne(at: index).id
                setBack(model, index, .toOne(number == 0 ? nil : related(number, of: property)))
            } else if let stored = former.row.undecoded[index] ?? former.row.undecodable(at: index) {
                setBack(model, index, .stored(stored))
            } else {
                setBack(model, index, .attribute(former.row.value(at: index)))
            }
        }
    }

    /// Of targets that are gone for good there is nothing to point to; those that come back say so themselves.
    private func setBack(_ model: any PersistentModel, _ index: Int, _ old: UndoRecorder.Value) {
        guard let row = model._$modelRow, let entity = row.table?.entity, row.state != .gone else { return }
        let body = {
            switch old {
            case .attribute(let value):
                row._willChange(index)
                _ = row.setValue(value, at: index)
            case .stored(let value):
                self.willChange(row, index)
                row.setStored(value, at: index)
            case .toOne(let former):
                let target = former?._$modelRow?.state == .gone ? nil : former
                let before = row.toOne(at: index)
                guard before.id != target?._rowID ?? 0 else { return }
                self.willChange(row, index)
                row.setToOne(ToOneReference(id: 0, model: target), at: index)
                self.toOneChanged(row, index, old: before, new: target)
            case .toMany(let targets):
                self.willChange(row, index)
                self.toManyChanged(row, index, to: targets.filter { $0._$modelRow?.state != .gone })
            case .links(let added, let removed):
                self.willChange(row, index)
                let present = self.relatedModels(row, index)
                let (known, gone) = (Set(present.map { ObjectIdentifier($0) }), Set(added.map { ObjectIdentifier($0) }))
                let back = removed.filter { !known.contains(ObjectIdentifier($0)) && $0._$modelRow?.state != .gone }
                self.toManyChanged(row, index, to: present.filter { !gone.contains(ObjectIdentifier($0)) } + back)
            }
        }
        guard let registrar = row.existingRegistrar else { return body() }
        Notifier(registrar, entity.properties[index].keyPath).mutate(model, body)
    }
}
