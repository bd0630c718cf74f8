/// When a context saves by itself.
struct Autosaver {
    var isEnabled = false
    /// Whether there are changes that nobody has saved since.
    var isDue = false
    /// Runs work on the executor that the context belongs to; nil where there is none.
    var enqueue: ((@escaping @Sendable () -> Void) -> Void)?
}

extension ModelContext {
    /// Says on which executor the context is used.
    final func autosaves(on enqueue: @escaping (@escaping @Sendable () -> Void) -> Void) {
        autosaver.enqueue = enqueue
        watchChanges()
    }

    final func watchChanges() {
        for core in cores {
            core.onChange = autosaver.isEnabled ? { [unowned(unsafe) self] in changeNoted() } : nil
        }
        if autosaver.isEnabled, hasChanges { changeNoted() }
    }

    /// Lets the context be saved soon, once for any number of changes.
    private func changeNoted() {
        guard !autosaver.isDue else { return }
        autosaver.isDue = true
        let reference = ContextReference(context: self)
        autosaver.enqueue? { reference.context?.autosave() }
    }

    /// Saves what is pending. What stands in the way goes to the fault handler, and stays pending: the program may not be done with it.
    private func autosave() {
        autosaver.isDue = false
        guard autosaver.isEnabled, hasChanges else { return }
        do {
            try save()
        } catch {
            faultHandler?(
                SwiftDataError(.modelValidationFailure, "a context could not save by itself", remedy: "call save() and see", cause: error))
        }
    }

    /// A context that belongs to no executor saves when it is called next.
    final func autosaveIfDue() throws {
        if autosaver.enqueue == nil, autosaver.isDue { autosave() }
    }
}

// Unchecked: used on the executor of its context only.
private struct ContextReference: @unchecked Sendable {
    weak var context: ModelContext?
}
