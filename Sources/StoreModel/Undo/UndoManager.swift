import Foundation

/// Undoes and redoes what was registered, group by group; Foundation on Linux has no such class.
///
/// Used by one thread at a time. With `groupsByEvent`, which is the default, a group that was opened by a registration ends when a context
/// processes its pending changes, and at the latest when `undo` is called: there is no run loop whose turn would end it.
open class UndoManager {
    private struct Action {
        let target: AnyObject
        let run: (AnyObject) -> Void
    }

    private struct Group {
        var actions: [Action] = []
        var name = ""
    }

    private var undoStack: [Group] = []
    private var redoStack: [Group] = []
    private var open: [Group] = []
    private var isOpenedByEvent = false
    private var disableCount = 0
    private var pendingName: String?

    /// Empty, and registering.
    public init() {}

    /// Whether it takes a group back now.
    public private(set) var isUndoing = false
    /// Whether it does a group again now.
    public private(set) var isRedoing = false
    /// Whether a group opens by itself with the first action that is registered outside of one.
    public var groupsByEvent = true
    /// How many groups are kept; 0: any number.
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }

    // MARK: Groups

    /// How many groups are open.
    public var groupingLevel: Int { open.count }

    /// Opens a group inside of the open one, if there is one.
    public func beginUndoGrouping() {
        NotificationCenter.default.post(name: .NSUndoManagerCheckpoint, object: self)
        flush()
        open.append(Group())
        NotificationCenter.default.post(name: .NSUndoManagerDidOpenUndoGroup, object: self)
    }

    /// Closes the innermost group. An empty one leaves nothing to undo.
    public func endUndoGrouping() {
        NotificationCenter.default.post(name: .NSUndoManagerCheckpoint, object: self)
        if !open.isEmpty { flush() }
        guard var group = open.popLast() else { return }
        if open.isEmpty { isOpenedByEvent = false }
        NotificationCenter.default.post(name: .NSUndoManagerWillCloseUndoGroup, object: self)
        defer { NotificationCenter.default.post(name: .NSUndoManagerDidCloseUndoGroup, object: self) }
        // One that is undone or done again stays a step, so that as many lead back, even if there was nothing left to do.
        let isStep = (isUndoing || isRedoing) && open.isEmpty
        guard isStep || !group.actions.isEmpty else { return }
        if let outer = open.indices.last {
            open[outer].actions += group.actions
            return
        }
        if group.name.isEmpty { group.name = pendingName ?? "" }
        pendingName = nil
        if isUndoing {
            redoStack.append(group)
        } else {
            undoStack.append(group)
            trim()
        }
    }

    /// Ends the group that a registration opened by itself.
    open func endEvent() {
        if isOpenedByEvent, open.count == 1 { endUndoGrouping() }
    }

    private func trim() {
        if levelsOfUndo > 0, undoStack.count > levelsOfUndo { undoStack.removeFirst(undoStack.count - levelsOfUndo) }
    }

    // MARK: Registering

    /// Whether actions are registered.
    public var isUndoRegistrationEnabled: Bool { disableCount == 0 }
    /// Registers nothing until it has been enabled as often as disabled.
    public func disableUndoRegistration() { disableCount += 1 }
    /// Takes one `disableUndoRegistration()` back.
    public func enableUndoRegistration() { disableCount = max(disableCount - 1, 0) }

    /// Registers what takes something back. While it undoes, what is registered is for redoing.
    public func registerUndo<TargetType>(withTarget target: TargetType, handler: @escaping (TargetType) -> Void)
    where TargetType: AnyObject {
        guard isUndoRegistrationEnabled else { return }
        if open.isEmpty {
            guard groupsByEvent else { return }
            beginUndoGrouping()
            isOpenedByEvent = true
        }
        let action = Action(target: target) { target in
            if let target = target as? TargetType { handler(target) }
        }
        open[open.count - 1].actions.append(action)
        if !isUndoing, !isRedoing { redoStack = [] }
    }

    /// Forgets everything that could be undone or redone.
    public func removeAllActions() {
        undoStack = []
        redoStack = []
        open = []
        isOpenedByEvent = false
    }

    /// Forgets the actions of one object.
    public func removeAllActions(withTarget target: Any) {
        let target = target as AnyObject
        func without(_ groups: [Group]) -> [Group] {
            groups.map { Group(actions: $0.actions.filter { $0.target !== target }, name: $0.name) }
        }
        undoStack = without(undoStack).filter { !$0.actions.isEmpty }
        redoStack = without(redoStack).filter { !$0.actions.isEmpty }
        open = without(open)
    }

    // MARK: Undoing

    /// Whether there is a group to undo.
    public var canUndo: Bool { !undoStack.isEmpty || open.contains { !$0.actions.isEmpty } }
    /// Whether there is a group to redo.
    public var canRedo: Bool { !redoStack.isEmpty }
    /// How many closed groups can be undone.
    public var undoCount: Int { undoStack.count }
    /// How many groups can be redone.
    public var redoCount: Int { redoStack.count }

    /// Undoes the last group, after ending the one that is open by itself.
    open func undo() {
        NotificationCenter.default.post(name: .NSUndoManagerCheckpoint, object: self)
        flush()
        endEvent()
        undoNestedGroup()
    }

    /// Takes the last closed group back; does nothing while a group is open.
    open func undoNestedGroup() {
        guard open.isEmpty, let group = undoStack.popLast() else { return }
        isUndoing = true
        defer { isUndoing = false }
        run(group, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange)
    }

    /// Does the group again that was undone last.
    open func redo() {
        NotificationCenter.default.post(name: .NSUndoManagerCheckpoint, object: self)
        flush()
        endEvent()
        guard open.isEmpty, let group = redoStack.popLast() else { return }
        isRedoing = true
        defer { isRedoing = false }
        run(group, .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange)
    }

    /// Runs a group backwards; what that registers is a group of the other stack, under the same name.
    private func run(_ group: Group, _ will: Notification.Name, _ did: Notification.Name) {
        NotificationCenter.default.post(name: will, object: self)
        beginUndoGrouping()
        for action in group.actions.reversed() { action.run(action.target) }
        flush()
        if open.count == 1, open[0].name.isEmpty { open[0].name = group.name }
        endUndoGrouping()
        NotificationCenter.default.post(name: did, object: self)
    }

    /// Lets contexts register what has changed in them and is not registered yet.
    private func flush() { flushers.values.forEach { $0() } }
    /// How contexts do so, by the context.
    var flushers: [ObjectIdentifier: () -> Void] = [:]

    // MARK: Names

    /// Names the open group, or the next one, for menus.
    public func setActionName(_ actionName: String) {
        if let outer = open.indices.first {
            open[outer].name = actionName
        } else if !undoStack.isEmpty {
            undoStack[undoStack.count - 1].name = actionName
        } else {
            pendingName = actionName
        }
    }

    /// The name of the group that would be undone; empty where it has none.
    public var undoActionName: String { open.first?.name ?? undoStack.last?.name ?? "" }
    /// The name of the group that would be redone; empty where it has none.
    public var redoActionName: String { redoStack.last?.name ?? "" }
    /// `Undo` with that name.
    public var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    /// `Redo` with that name.
    public var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }
    /// What a menu shows for undoing a group of that name.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String { actionName.isEmpty ? "Undo" : "Undo \(actionName)" }
    /// What a menu shows for redoing a group of that name.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String { actionName.isEmpty ? "Redo" : "Redo \(actionName)" }
}

extension Notification.Name {
    /// Posted before a group opens or closes, and before undoing and redoing.
    public static let NSUndoManagerCheckpoint = Notification.Name("NSUndoManagerCheckpointNotification")
    /// Posted before a group is undone.
    public static let NSUndoManagerWillUndoChange = Notification.Name("NSUndoManagerWillUndoChangeNotification")
    /// Posted before a group is redone.
    public static let NSUndoManagerWillRedoChange = Notification.Name("NSUndoManagerWillRedoChangeNotification")
    /// Posted after a group was undone.
    public static let NSUndoManagerDidUndoChange = Notification.Name("NSUndoManagerDidUndoChangeNotification")
    /// Posted after a group was redone.
    public static let NSUndoManagerDidRedoChange = Notification.Name("NSUndoManagerDidRedoChangeNotification")
    /// Posted after a group has opened.
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// Posted before a group closes.
    public static let NSUndoManagerWillCloseUndoGroup = Notification.Name("NSUndoManagerWillCloseUndoGroupNotification")
    /// Posted after a group has closed.
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name("NSUndoManagerDidCloseUndoGroupNotification")
}
