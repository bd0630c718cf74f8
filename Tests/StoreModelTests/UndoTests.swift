import SwiftData
import Testing

/// `ModelContext.undoManager`.
@Suite struct UndoTests {
    private func context() throws -> (ModelContext, UndoManager) {
        let context = ModelContext(try memoryContainer())
        let manager = UndoManager()
        context.undoManager = manager
        return (context, manager)
    }

    @Test func changesAreUndoneAndRedoneGroupByGroup() throws {
        let (context, manager) = try context()
        let note = Note(title: "first")
        context.insert(note)
        context.processPendingChanges()
        note.title = "second"
        note.title = "third"
        note.count = 3
        context.processPendingChanges()
        note.mood = .calm
        #expect(manager.canUndo && !manager.canRedo)
        manager.undo()
        #expect(note.mood == nil && note.title == "third")
        manager.undo()
        #expect(note.title == "first" && note.count == 0)
        manager.redo()
        #expect(note.title == "third" && note.count == 3)
        manager.redo()
        #expect(note.mood == .calm && !manager.canRedo)
    }

    /// Neither undoing nor redoing takes a link away that another context has made meanwhile, or gives one back that it has not taken.
    @Test func whatOthersHaveLinkedMeanwhileStays() throws {
        let (context, manager) = try context()
        let note = Note(title: "n")
        let labels = ["kept", "lost"].map { Label(name: $0) }
        context.insert(note)
        note.tags = labels
        try context.save()
        manager.removeAllActions()
        note.tags.removeAll { $0.name == "lost" }
        note.tags.append(Label(name: "mine"))
        try context.save()
        let other = ModelContext(context.container)
        let twin = try #require(other.model(for: note.persistentModelID) as? Note)
        twin.tags.append(Label(name: "theirs"))
        try other.save()
        func stored() throws -> Set<String> {
            let context = ModelContext(context.container)
            return Set(try #require(context.model(for: note.persistentModelID) as? Note).tags.map(\.name))
        }
        manager.undo()
        try context.save()
        #expect(try stored() == ["kept", "lost", "theirs"] && Set(note.tags.map(\.name)) == stored())
        twin.tags.removeAll { $0.name == "kept" }
        try other.save()
        manager.redo()
        try context.save()
        #expect(try stored() == ["mine", "theirs"] && Set(note.tags.map(\.name)) == stored())
        manager.undo()
        try context.save()
        #expect(try stored() == ["lost", "theirs"])
    }

    /// Each change of one list in a group is a step, whatever happens in between.
    @Test func everyChangeOfAListIsTakenBack() throws {
        let (context, manager) = try context()
        let (note, first, second) = (Note(title: "n"), Label(name: "a"), Label(name: "b"))
        for model in [note, first, second] as [any PersistentModel] { context.insert(model) }
        note.tags = [first]
        try context.save()
        manager.removeAllActions()
        func names() throws -> [String] {
            try context.save()
            return try #require(ModelContext(context.container).model(for: note.persistentModelID) as? Note).tags.map(\.name).sorted()
        }
        note.tags.append(second)
        context.insert(Folder(name: "between"))
        note.tags.append(Label(name: "c"))
        #expect(try names() == ["a", "b", "c"])
        manager.undo()
        #expect(try names() == ["a"])
        manager.redo()
        #expect(try names() == ["a", "b", "c"])
        manager.undo()
        context.processPendingChanges()
        note.tags.removeAll { $0 === first }
        context.insert(Folder(name: "between too"))
        note.tags.append(first)
        context.delete(try #require(context.fetch(FetchDescriptor<Folder>(predicate: #Predicate { $0.name == "between too" })).first))
        note.tags.append(second)
        #expect(try names() == ["a", "b"])
        manager.undo()
        #expect(try names() == ["a"])
        manager.redo()
        #expect(try names() == ["a", "b"])
    }

    @Test func anInsertionIsUndoneAndRedone() throws {
        let (context, manager) = try context()
        context.insert(Note(title: "a"))
        context.processPendingChanges()
        manager.undo()
        #expect(try context.fetchCount(FetchDescriptor<Note>()) == 0)
        manager.redo()
        #expect(try context.fetch(FetchDescriptor<Note>()).map(\.title) == ["a"])
        try context.save()
        manager.undo()
        try context.save()
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Note>()) == 0)
    }

    @Test func aDeletionGivesTheModelBackWithItsRelationships() throws {
        let (context, manager) = try context()
        let folder = Folder(name: "F")
        let note = Note(title: "n")
        context.insert(folder)
        note.folder = folder
        try context.save()
        manager.removeAllActions()
        context.delete(note)
        try context.save()
        #expect(folder.notes.isEmpty)
        manager.undo()
        #expect(note.folder === folder && folder.notes.map(\.title) == ["n"])
        try context.save()
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Folder>()).first?.notes.map(\.title) == ["n"])
    }

    @Test func bothSidesOfARelationshipGoBack() throws {
        let (context, manager) = try context()
        let (one, two, label, note) = (Folder(name: "1"), Folder(name: "2"), Label(name: "l"), Note(title: "n"))
        for model in [one, two] { context.insert(model) }
        context.insert(label)
        context.insert(note)
        note.folder = one
        try context.save()
        note.folder = two
        note.tags = [label]
        context.processPendingChanges()
        manager.undo()
        #expect(note.folder === one && one.notes.count == 1 && two.notes.isEmpty)
        #expect(note.tags.isEmpty && label.notes.isEmpty)
        manager.redo()
        #expect(two.notes.first === note && label.notes.first === note)
    }

    @Test func rollbackEmptiesTheUndoStackOfItsContext() throws {
        let (context, manager) = try context()
        context.insert(Note(title: "a"))
        context.processPendingChanges()
        context.rollback()
        #expect(!manager.canUndo)
    }

    @Test func theManagerGroupsNamesAndBoundsWhatIsRegistered() {
        final class Counter {
            var value = 0
            func add(_ amount: Int, _ manager: UndoManager) {
                value += amount
                manager.registerUndo(withTarget: self) { $0.add(-amount, manager) }
            }
        }
        let (counter, manager) = (Counter(), UndoManager())
        manager.groupsByEvent = false
        manager.beginUndoGrouping()
        counter.add(1, manager)
        manager.beginUndoGrouping()
        counter.add(2, manager)
        #expect(manager.groupingLevel == 2)
        manager.endUndoGrouping()
        manager.setActionName("Add")
        manager.endUndoGrouping()
        #expect(manager.undoMenuItemTitle == "Undo Add" && counter.value == 3)
        manager.undo()
        #expect(counter.value == 0 && manager.redoActionName == "Add" && !manager.canUndo)
        manager.redo()
        #expect(counter.value == 3 && manager.undoActionName == "Add")
        manager.disableUndoRegistration()
        counter.add(5, manager)
        manager.enableUndoRegistration()
        #expect(manager.undoCount == 1)
        manager.levelsOfUndo = 1
        for amount in [1, 1] {
            manager.beginUndoGrouping()
            counter.add(amount, manager)
            manager.endUndoGrouping()
        }
        #expect(manager.undoCount == 1)
        manager.removeAllActions(withTarget: counter)
        #expect(!manager.canUndo)
    }

    @Test func changesBelongToTheGroupThatWasOpenWhenTheyWereMade() throws {
        let (context, manager) = try context()
        let note = Note(title: "a")
        context.insert(note)
        try context.save()
        manager.removeAllActions()
        manager.beginUndoGrouping()
        note.title = "b"
        manager.setActionName("Edit")
        manager.endUndoGrouping()
        #expect(manager.undoActionName == "Edit" && manager.undoCount == 1)
        manager.beginUndoGrouping()
        manager.beginUndoGrouping()
        note.count = 7
        manager.endUndoGrouping()
        note.title = "c"
        manager.endUndoGrouping()
        #expect(manager.undoCount == 2)
        manager.undoNestedGroup()
        #expect(note.title == "b" && note.count == 0)
        manager.undo()
        #expect(note.title == "a" && manager.redoActionName == "Edit")
        manager.redo()
        manager.redo()
        #expect(note.title == "c" && note.count == 7)
    }
}
