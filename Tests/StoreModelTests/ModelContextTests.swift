import Foundation
import Observation
import Synchronization
import SwiftData
import Testing

@testable import StoreModel

func memoryContainer() throws -> ModelContainer {
    try ModelContainer(for: Folder.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}

@Suite struct ModelValueTests {
    @Test func everyKindOfValueComesBackAsItWasSaved() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        let note = Note(title: "Æsop's \"tale\"", created: Date(timeIntervalSinceReferenceDate: 123.25))
        #expect(note.uuid == note.uuid)
        note.body = "text"
        note.count = -5
        note.small = Int16.max
        note.rating = 1.75
        note.weight = 2.5
        note.isPinned = true
        note.payload = Data([0, 255, 7])
        note.link = URL(string: "https://example.org/a?b=c")
        note.priority = .high
        note.mood = .hurried
        note.place = Place(latitude: 1, longitude: -2)
        note.words = ["a", "b"]
        note.price = Decimal(string: "12.345")!
        note.class = "first"
        note.hide()
        let uuid = note.uuid
        context.insert(note)
        try context.save()

        let other = ModelContext(container)
        let found = try #require(try other.fetch(FetchDescriptor<Note>()).first)
        #expect(found !== note)
        #expect(found.title == "Æsop's \"tale\"")
        #expect(found.body == "text")
        #expect(found.count == -5 && found.doubled == -10)
        #expect(found.small == .max)
        #expect(found.rating == 1.75)
        #expect(found.weight == 2.5)
        #expect(found.isPinned)
        #expect(found.created == Date(timeIntervalSinceReferenceDate: 123.25))
        #expect(found.payload == Data([0, 255, 7]))
        #expect(found.uuid == uuid)
        #expect(found.link == URL(string: "https://example.org/a?b=c"))
        #expect(found.priority == .high)
        #expect(found.mood == .hurried)
        #expect(found.place == Place(latitude: 1, longitude: -2))
        #expect(found.words == ["a", "b"])
        #expect(found.price == Decimal(string: "12.345")!)
        #expect(found.class == "first")
        #expect(found.isHidden)
        #expect(found.scratch == 42)
        #expect(found.folder == nil)
        #expect(found.tags.isEmpty)
    }

    @Test func nilsComeBackAsNil() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        context.insert(Note(title: "bare"))
        try context.save()
        let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Note>()).first)
        #expect(found.body == nil && found.weight == nil && found.payload == nil && found.link == nil)
        #expect(found.mood == nil && found.place == nil)
        #expect(found.words == [])
        #expect(found.priority == .low)
    }

    @Test func aModelInNoContextKeepsItsValues() {
        let folder = Folder(name: "A")
        let note = Note(title: "t", folder: folder)
        note.tags = [Label(name: "x")]
        #expect(note.folder === folder)
        #expect(note.tags.map(\.name) == ["x"])
        #expect(note.modelContext == nil)
        #expect(note.persistentModelID.isTemporary)
        #expect(!note.hasChanges)
    }
}

@Suite struct ModelContextTests {
    @Test func anInsertionHasATemporaryIdentifierUntilItIsSaved() throws {
        let context = ModelContext(try memoryContainer())
        let note = Note(title: "a")
        context.insert(note)
        #expect(note.persistentModelID.isTemporary)
        #expect(note.hasChanges && context.hasChanges)
        #expect(context.registeredModel(for: note.persistentModelID) as Note? === note)
        try context.save()
        #expect(!note.persistentModelID.isTemporary)
        #expect(note.persistentModelID.storeIdentifier != nil)
        #expect(!note.hasChanges && !context.hasChanges)
        let encoded = try JSONEncoder().encode(note.persistentModelID)
        #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: encoded) == note.persistentModelID)
        #expect(context.model(for: note.persistentModelID) === note)
    }

    @Test func thereIsOneInstanceForEachRow() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        context.insert(Note(title: "a"))
        try context.save()
        let first = try context.fetch(FetchDescriptor<Note>())
        let second = try context.fetch(FetchDescriptor<Note>())
        #expect(first[0] === second[0])
    }

    @Test func aModelThatNobodyHoldsLeavesTheContext() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        weak var gone: Note?
        do {
            let note = Note(title: "a")
            context.insert(note)
            try context.save()
            gone = note
        }
        #expect(gone == nil)
        #expect(try context.fetchCount(FetchDescriptor<Note>()) == 1)
    }

    @Test func pendingChangesAreHeldByTheContext() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        context.insert(Note(title: "a"))
        try context.save()
        do { try #require(try context.fetch(FetchDescriptor<Note>()).first).title = "b" }
        try context.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Note>()).map(\.title) == ["b"])
    }

    @Test func aContextDoesNotSeeWhatAnotherHasNotSaved() throws {
        let container = try memoryContainer()
        let (one, two) = (ModelContext(container), ModelContext(container))
        one.insert(Note(title: "one"))
        two.insert(Note(title: "two"))
        #expect(try one.fetch(FetchDescriptor<Note>()).map(\.title) == ["one"])
        #expect(try two.fetch(FetchDescriptor<Note>()).map(\.title) == ["two"])
        try one.save()
        try two.save()
        #expect(try one.fetchCount(FetchDescriptor<Note>()) == 2)
    }

    @Test func fetchSeesPendingChangesUnlessToldNotTo() throws {
        let context = ModelContext(try memoryContainer())
        for title in ["c", "a"] { context.insert(Note(title: title)) }
        try context.save()
        let all = try context.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)]))
        #expect(all.map(\.title) == ["a", "c"])
        all[0].title = "z"
        context.insert(Note(title: "b"))
        var descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)])
        #expect(try context.fetch(descriptor).map(\.title) == ["b", "c", "z"])
        descriptor.fetchLimit = 2
        #expect(try context.fetch(descriptor).map(\.title) == ["b", "c"])
        descriptor.includePendingChanges = false
        #expect(try context.fetchCount(descriptor) == 2)
        let matching = FetchDescriptor<Note>(predicate: #Predicate { $0.title == "z" })
        #expect(try context.fetch(matching).count == 1)
        context.delete(all[1])
        #expect(try context.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)])).map(\.title) == ["b", "z"])
    }

    @Test func rollbackGivesTheSavedValuesBack() throws {
        let context = ModelContext(try memoryContainer())
        let (folder, note, doomed) = (Folder(name: "F"), Note(title: "a"), Note(title: "d"))
        context.insert(folder)
        note.folder = folder
        context.insert(note)
        context.insert(doomed)
        try context.save()
        note.title = "changed"
        note.folder = nil
        context.delete(doomed)
        let new = Note(title: "new")
        context.insert(new)
        #expect(folder.notes.isEmpty)
        context.rollback()
        #expect(note.title == "a" && note.folder === folder)
        #expect(folder.notes.count == 1)
        #expect(!doomed.isDeleted && !context.hasChanges)
        #expect(new.modelContext == nil)
        #expect(try context.fetchCount(FetchDescriptor<Note>()) == 2)
    }

    @Test func deletingAModelThatWasNeverSavedDropsIt() throws {
        let context = ModelContext(try memoryContainer())
        let note = Note(title: "a")
        context.insert(note)
        context.delete(note)
        #expect(!context.hasChanges)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Note>()) == 0)
    }

    @Test func aDeletedModelKeepsItsLastValues() throws {
        let context = ModelContext(try memoryContainer())
        let note = Note(title: "a")
        context.insert(note)
        try context.save()
        context.delete(note)
        #expect(note.isDeleted)
        try context.save()
        #expect(note.title == "a" && note.modelContext == nil)
    }

    @Test func aModelOutlivesItsContextWithItsValues() throws {
        var context: ModelContext? = ModelContext(try memoryContainer())
        let note = Note(title: "a", folder: Folder(name: "F"))
        context?.insert(note)
        try context?.save()
        context = nil
        #expect(note.title == "a" && note.modelContext == nil && note.folder == nil)
        note.title = "b"
        #expect(note.title == "b")
    }

    @Test func aUniqueClashUpdatesTheRowThatIsThere() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        let first = Folder(name: "same")
        context.insert(first)
        try context.save()
        let second = Folder(name: "same")
        second.created = Date(timeIntervalSinceReferenceDate: 9)
        let note = Note(title: "in second", folder: second)
        context.insert(note)
        try context.save()
        #expect(second.persistentModelID == first.persistentModelID)
        let other = ModelContext(container)
        let folders = try other.fetch(FetchDescriptor<Folder>())
        #expect(folders.count == 1)
        #expect(folders.first?.created == Date(timeIntervalSinceReferenceDate: 9))
        #expect(folders.first?.notes.map(\.title) == ["in second"])
    }

    @Test func aFailedSaveLeavesEverythingPending() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        let (a, b) = (Folder(name: "a"), Folder(name: "b"))
        context.insert(a)
        context.insert(b)
        try context.save()
        b.name = "a"
        let note = Note(title: "n")
        context.insert(note)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect(context.hasChanges && note.persistentModelID.isTemporary)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 0)
        b.name = "c"
        try context.save()
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
    }

    @Test func enumerateShowsEveryModelAndSavesWhatChanged() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        for number in 0..<25 { context.insert(Note(title: "\(number)")) }
        try context.save()
        var seen = 0
        try context.enumerate(FetchDescriptor<Note>(), batchSize: 10) { note in
            seen += 1
            note.count = 1
        }
        #expect(seen == 25)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.count == 1 })) == 25)
    }

    @Test func saveIsAnnouncedBeforeAndAfter() throws {
        let context = ModelContext(try memoryContainer())
        let counts = Mutex((will: 0, inserted: 0))
        let center = NotificationCenter.default
        let will = center.addObserver(forName: ModelContext.willSave, object: context, queue: nil) { _ in counts.withLock { $0.will += 1 } }
        let did = center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { notification in
            let ids = notification.userInfo?[ModelContext.NotificationKey.insertedIdentifiers] as? [PersistentIdentifier] ?? []
            counts.withLock { $0.inserted += ids.count }
        }
        defer { [will, did].forEach(center.removeObserver) }
        context.insert(Note(title: "a"))
        try context.save()
        try context.save()
        #expect(counts.withLock { $0.will } == 1)
        #expect(counts.withLock { $0.inserted } == 1)
    }
}

@Suite struct ObservationTests {
    @Test func aChangedPropertyTellsItsObservers() throws {
        let note = Note(title: "a")
        let told = Mutex(0)
        withObservationTracking {
            _ = note.title
        } onChange: {
            told.withLock { $0 += 1 }
        }
        note.count = 1
        #expect(told.withLock { $0 } == 0)
        note.title = "b"
        #expect(told.withLock { $0 } == 1)
    }

    @Test func theOtherSideOfARelationshipTellsItsObservers() throws {
        let context = ModelContext(try memoryContainer())
        let (folder, note) = (Folder(name: "F"), Note(title: "a"))
        context.insert(folder)
        context.insert(note)
        let told = Mutex(0)
        withObservationTracking {
            _ = folder.notes
        } onChange: {
            told.withLock { $0 += 1 }
        }
        note.folder = folder
        #expect(told.withLock { $0 } == 1)
    }
}

@Suite struct IdentityTests {
    /// Hands a model over to whoever releases it last.
    private final class Parcel: @unchecked Sendable {
        // Unchecked: the model is only released.
        var model: Note?
        init(_ model: Note) { self.model = model }
    }

    @Test func modelsMayBeReleasedOnAnotherThreadWhileTheContextFetches() async throws {
        let context = ModelContext(try memoryContainer())
        for number in 0..<200 { context.insert(Note(title: "\(number)")) }
        try context.save()
        for _ in 0..<50 {
            let parcels = try context.fetch(FetchDescriptor<Note>()).map(Parcel.init)
            let release = Thread { parcels.forEach { $0.model = nil } }
            release.start()
            for _ in 0..<3 {
                let again = try context.fetch(FetchDescriptor<Note>())
                #expect(again.count == 200)
                #expect(again.allSatisfy { $0.modelContext === context })
            }
            while !release.isFinished { await Task.yield() }
        }
        let last = try context.fetch(FetchDescriptor<Note>())
        #expect(Set(last.map(\.persistentModelID)).count == 200)
    }

    @Test func modelsOfTwoContextsAreEqualIfTheyAreTheSameRow() throws {
        let context = ModelContext(try memoryContainer())
        let note = Note(title: "a")
        context.insert(note)
        context.insert(Note(title: "b"))
        try context.save()
        let other = ModelContext(context.container)
        let twin = try #require(other.model(for: note.persistentModelID) as? Note)
        #expect(twin !== note && twin == note && Set([twin, note]).count == 1)
        #expect(Set(try context.fetch(FetchDescriptor<Note>())).count == 2)
    }

    @Test func anUnknownIdentifierGivesAModelInNoContext() throws {
        let context = ModelContext(try memoryContainer())
        let note = Note(title: "a")
        context.insert(note)
        try context.save()
        let id = note.persistentModelID
        context.delete(note)
        try context.save()
        let found = try #require(context.model(for: id) as? Note)
        #expect(found.modelContext == nil && found.title == "" && found.tags.isEmpty)
    }

    @Test func predicatesTakeModelsAndIdentifiers() throws {
        let context = ModelContext(try memoryContainer())
        let folder = Folder(name: "F")
        context.insert(Note(title: "in", folder: folder))
        context.insert(Note(title: "out"))
        try context.save()
        let id = folder.persistentModelID
        let byID = FetchDescriptor<Note>(predicate: #Predicate { $0.folder?.persistentModelID == id })
        #expect(try context.fetch(byID).map(\.title) == ["in"])
        let byName = FetchDescriptor<Note>(predicate: #Predicate { $0.folder?.name == "F" })
        #expect(try context.fetch(byName).map(\.title) == ["in"])
        let note = try #require(try context.fetch(byID).first)
        let noteID = note.persistentModelID
        let folders = FetchDescriptor<Folder>(
            predicate: #Predicate { folder in folder.notes.contains { $0.persistentModelID == noteID } })
        #expect(try context.fetch(folders).count == 1)
    }
}
