import Foundation
import Observation
import StoreSQLite
import SwiftData
import Synchronization
import Testing

@testable import StoreModel

/// What one context of a container saves is seen by the models of another.
@Suite struct RefreshingTests {
    /// Two contexts that both know one note.
    private struct Pair {
        let container: ModelContainer
        let here: ModelContext
        let there: ModelContext
        let note: Note
        let twin: Note

        init() throws {
            container = try memoryContainer()
            (here, there) = (ModelContext(container), ModelContext(container))
            note = Note(title: "first")
            here.insert(note)
            try here.save()
            twin = try #require(there.model(for: note.persistentModelID) as? Note)
        }
    }

    @Test(arguments: [true, false]) func twoActorsThatTakeTurnsLoseNothing(inMemory: Bool) async throws {
        let folder = try TestFolder()
        let container = try inMemory ? memoryContainer() : ModelContainer(for: Folder.self, configurations: folder.configuration())
        defer { container.close() }
        let (one, two) = (NoteKeeper(modelContainer: container), NoteKeeper(modelContainer: container))
        let id = try await one.add("a")
        for _ in 0..<5 {
            try await one.increment(id)
            try await two.increment(id)
        }
        let note = try #require(ModelContext(container).model(for: id) as? Note)
        #expect(note.count == 10)
    }

    @Test(arguments: 0..<7) func everyCallIntoAContextBringsItsModelsUpToDate(call: Int) throws {
        let pair = try Pair()
        pair.note.title = "second"
        try pair.here.save()
        let (there, id) = (pair.there, pair.note.persistentModelID)
        switch call {
        case 0: _ = there.model(for: id)
        case 1: let _: Note? = there.registeredModel(for: id)
        case 2: _ = there.existingModel(for: id)
        case 3: _ = try there.fetch(FetchDescriptor<Folder>())
        case 4: there.processPendingChanges()
        case 5: try there.save()
        default: there.rollback()
        }
        #expect(pair.twin.title == "second" && !pair.twin.hasChanges)
    }

    @Test func aModelWithAPendingChangeKeepsItAndTakesTheRestWithItsSave() throws {
        let pair = try Pair()
        pair.twin.count = 5
        pair.note.title = "second"
        try pair.here.save()
        _ = pair.there.model(for: pair.note.persistentModelID)
        #expect(pair.twin.count == 5 && pair.twin.title == "first")
        try pair.there.save()
        #expect(pair.twin.count == 5 && pair.twin.title == "second")
        _ = pair.here.model(for: pair.note.persistentModelID)
        #expect(pair.note.count == 5 && pair.note.title == "second")

        pair.twin.count = 6
        pair.note.title = "third"
        try pair.here.save()
        pair.there.rollback()
        #expect(pair.twin.count == 5 && pair.twin.title == "third")
    }

    @Test func aListThatIsSetTakesAwayOnlyWhatItsProgramHadSeen() throws {
        let container = try memoryContainer()
        let (here, there) = (ModelContext(container), ModelContext(container))
        let (folder, label) = (Folder(name: "f"), Label(name: "l"))
        here.insert(folder)
        here.insert(label)
        folder.notes = [Note(title: "a"), Note(title: "b")]
        label.notes = folder.notes
        try here.save()
        let twins = try (#require(there.fetch(FetchDescriptor<Folder>()).first), #require(there.fetch(FetchDescriptor<Label>()).first))
        func meanwhile(_ title: String, _ folders: inout [Note], _ labelled: inout [Note]) throws {
            twins.0.notes.append(Note(title: title))
            twins.1.notes.append(Note(title: title))
            try there.save()
            folders.append(Note(title: title + "'"))
            labelled.append(Note(title: title + "'"))
        }
        try meanwhile("c", &folder.notes, &label.notes)
        let (notes, labelled) = (folder.notes, label.notes)
        #expect(Set(notes.map(\.title)) == ["a", "b", "c", "c'"] && labelled.count == 4)
        twins.0.notes.removeAll { $0.title == "a" }
        twins.0.notes.append(Note(title: "d"))
        twins.1.notes.append(Note(title: "d"))
        try there.save()
        // Without "b", which was seen; "d" was not, and "a" was taken away elsewhere.
        folder.notes = notes.filter { $0.title != "b" }
        label.notes = labelled.filter { $0.title != "b" }
        try here.save()
        #expect(Set(folder.notes.map(\.title)) == ["c", "c'", "d"])
        #expect(Set(label.notes.map(\.title)) == ["a", "c", "c'", "d"])
        // What is pending here goes by a list that does not have it, and a list that nobody looked at before replaces all.
        let late = Note(title: "e")
        late.folder = folder
        folder.notes = notes.filter { $0.title == "c" }
        #expect(folder.notes.map(\.title) == ["c"] && late.folder == nil)
        twins.0.notes.append(Note(title: "f"))
        try there.save()
        here.processPendingChanges()
        folder.notes = []
        try here.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.folder != nil })) == 0)
    }

    @Test func aModelThatIsDeletedElsewhereIsFoundNoMoreAndKeepsItsLastValues() throws {
        let pair = try Pair()
        let id = pair.note.persistentModelID
        pair.here.delete(pair.note)
        try pair.here.save()
        let registered: Note? = pair.there.registeredModel(for: id)
        #expect(registered == nil && pair.there.existingModel(for: id) == nil)
        #expect(pair.there.model(for: id).modelContext == nil)
        #expect(pair.twin.title == "first")
        pair.twin.title = "late"
        #expect { try pair.there.save() } throws: { "\($0)".contains("has been deleted from the store") }
        pair.there.rollback()
        #expect(pair.twin.title == "first")
    }

    @Test func observersAreToldOfWhatAnotherContextHasSaved() throws {
        let pair = try Pair()
        let changes = Atomic<Int>(0)
        withObservationTracking {
            _ = pair.twin.title
        } onChange: {
            changes.add(1, ordering: .relaxed)
        }
        pair.note.title = "second"
        try pair.here.save()
        #expect(changes.load(ordering: .relaxed) == 0)
        pair.there.processPendingChanges()
        #expect(changes.load(ordering: .relaxed) == 1 && pair.twin.title == "second")
    }

    @Test func theOtherRowOfAUniqueClashAndRelationshipsAreReadAgain() throws {
        let container = try memoryContainer()
        let (here, there) = (ModelContext(container), ModelContext(container))
        let (folder, note) = (Folder(name: "f"), Note(title: "n"))
        here.insert(folder)
        here.insert(note)
        try here.save()
        let twin = try #require(there.model(for: note.persistentModelID) as? Note)
        let known = try #require(there.model(for: folder.persistentModelID) as? Folder)
        #expect(twin.folder == nil && known.notes.isEmpty)
        note.folder = folder
        try here.save()
        _ = there.model(for: note.persistentModelID)
        #expect(twin.folder === known && known.notes.count == 1)
        // A context that does not know the row writes it.
        let third = ModelContext(container)
        let again = Folder(name: "f")
        again.created = Date(timeIntervalSinceReferenceDate: 9)
        third.insert(again)
        try third.save()
        _ = there.model(for: folder.persistentModelID)
        #expect(known.created == Date(timeIntervalSinceReferenceDate: 9))
    }

    @Test func aModelOfASubclassIsReadAgain() throws {
        let container = try ModelContainer(for: Vehicle.self, Tanker.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let (here, there) = (ModelContext(container), ModelContext(container))
        let tanker = Tanker(name: "t", plate: "p")
        here.insert(tanker)
        try here.save()
        let twin = try #require(there.model(for: tanker.persistentModelID) as? Tanker)
        (tanker.name, tanker.load, tanker.plate) = ("u", 7, "q")
        try here.save()
        there.processPendingChanges()
        #expect(twin.name == "u" && twin.load == 7 && twin.plate == "q")
    }

    @Test func erasingAStoreLeavesNothingToBeFound() throws {
        let pair = try Pair()
        let id = pair.note.persistentModelID
        try pair.container.erase()
        let registered: Note? = pair.there.registeredModel(for: id)
        #expect(registered == nil && pair.twin.title == "first")
    }

    @Test func rowsThatNobodyHasCostNothing() throws {
        let pair = try Pair()
        let other = Note(title: "other")
        pair.here.insert(other)
        try pair.here.save()
        other.title = "changed"
        try pair.here.save()
        let before = pair.container.statementCounts.runs
        pair.there.processPendingChanges()
        _ = pair.there.model(for: pair.note.persistentModelID)
        #expect(pair.container.statementCounts.runs == before)
        pair.note.title = "changed"
        try pair.here.save()
        let changed = pair.container.statementCounts.runs
        pair.there.processPendingChanges()
        pair.there.processPendingChanges()
        #expect(pair.container.statementCounts.runs == changed + 1)
    }

    @Test func anInboxIsBounded() throws {
        let hub = StoreHub.of(UUID().uuidString)
        let inbox = Inbox(hub, scope: nil)
        #expect(inbox.take() == nil)
        inbox.put(["a": Inbox.Rows(numbers: Set(1...Int64(Inbox.capacity))), "b": Inbox.Rows(numbers: [1])])
        inbox.put(["b": Inbox.Rows(numbers: [2])])
        var rows = try #require(inbox.take())
        #expect(rows["a"]?.isAll == false && rows["b"]?.numbers == [1, 2])
        inbox.put(["a": Inbox.Rows(numbers: Set(1...Int64(Inbox.capacity)))])
        inbox.put(["a": Inbox.Rows(numbers: [-1])])
        inbox.put(["a": Inbox.Rows(numbers: [-2])])
        rows = try #require(inbox.take())
        #expect(rows["a"]?.isAll == true && rows["a"]?.numbers.isEmpty == true && inbox.take() == nil)
    }

    @Test func everyRowIsReadAgainWhereTooManyHaveChangedToBeNamed() throws {
        let pair = try Pair()
        pair.note.title = "second"
        try pair.here.save()
        pair.there.core.inbox?.put(["Note": Inbox.Rows(isAll: true)])
        pair.there.processPendingChanges()
        #expect(pair.twin.title == "second")
    }
}
