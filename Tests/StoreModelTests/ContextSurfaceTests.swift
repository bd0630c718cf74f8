import Foundation
import SwiftData
import Synchronization
import Testing

@testable import StoreModel

/// What a context does beside fetching and saving.
@Suite struct ContextSurfaceTests {
    // MARK: Autosave

    @MainActor
    @Test func theMainContextSavesByItself() async throws {
        let container = try memoryContainer()
        let context = container.mainContext
        #expect(context.autosaveEnabled && !ModelContext(container).autosaveEnabled)
        let saved = AsyncStream<Void>.makeStream()
        let observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { _ in
            saved.continuation.yield()
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        context.insert(Note(title: "a"))
        context.insert(Note(title: "b"))
        for await _ in saved.stream { break }
        #expect(!context.hasChanges)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 2)
    }

    @Test func aContextOfNoExecutorSavesAtItsNextFetch() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        context.autosaveEnabled = true
        context.insert(Note(title: "a"))
        #expect(context.hasChanges)
        #expect(try context.fetchCount(FetchDescriptor<Note>()) == 1)
        #expect(!context.hasChanges)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
        context.autosaveEnabled = false
        context.insert(Note(title: "b"))
        _ = try context.fetchCount(FetchDescriptor<Note>())
        #expect(context.hasChanges)
    }

    @Test func whatCannotBeSavedByItselfStaysPendingAndIsTold() throws {
        let context = ModelContext(try ModelContainer(for: Team.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        context.autosaveEnabled = true
        var faults: [SwiftDataError] = []
        context.faultHandler = { faults.append($0) }
        context.insert(Team(name: "without members"))
        #expect(try context.fetchCount(FetchDescriptor<Team>()) == 1)
        #expect(faults.count == 1 && context.hasChanges)
    }

    // MARK: Deleting by predicate

    @Test func aBatchDeleteHonoursDeleteRulesAndRefreshesLoadedModels() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        let (keep, drop) = (Folder(name: "keep"), Folder(name: "drop"))
        for folder in [keep, drop] {
            context.insert(folder)
            for number in 0..<3 { context.insert(Note(title: "\(folder.name) \(number)", folder: folder)) }
        }
        try context.save()
        let loaded = try #require(drop.notes.first)
        try context.delete(model: Folder.self, where: #Predicate { $0.name == "drop" })
        #expect(loaded.isDeleted && drop.isDeleted)
        try context.save()
        #expect(loaded.modelContext == nil)
        let other = ModelContext(container)
        #expect(try other.fetch(FetchDescriptor<Folder>()).map(\.name) == ["keep"])
        #expect(try other.fetchCount(FetchDescriptor<Note>()) == 3)
        try other.delete(model: Note.self)
        try other.save()
        #expect(try other.fetchCount(FetchDescriptor<Note>()) == 0)
    }

    @Test func aBatchDeleteMayLeaveSubclassesOut() throws {
        let context = ModelContext(
            try ModelContainer(for: Tanker.self, Bicycle.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        for vehicle in [Vehicle(name: "v"), Truck(name: "t", load: 1), Bicycle(gears: 3)] { context.insert(vehicle) }
        try context.save()
        try context.delete(model: Vehicle.self, includeSubclasses: false)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)])).map(\.name) == ["bicycle", "t"])
        try context.delete(model: Vehicle.self)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 0)
    }

    @Test func emptyingARequiredFarEndThrowsBeforeTheCommit() throws {
        let container = try ModelContainer(for: Ticket.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let show = Show(name: "s")
        context.insert(Ticket(show: show))
        try context.save()
        try context.delete(model: Show.self)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Show>()) == 1)
        context.rollback()
        #expect(!context.hasChanges)
    }

    // MARK: Batches

    @Test func batchesAreReadWhenTheyAreAskedFor() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        for number in 0..<25 { context.insert(Note(title: String(format: "%02d", number))) }
        let descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)])
        #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) { try context.fetch(descriptor, batchSize: 10) }
        var committed = descriptor
        committed.includePendingChanges = false
        #expect(try context.fetch(committed, batchSize: 10).isEmpty)
        try context.save()
        let found = try ModelContext(container).fetch(descriptor, batchSize: 10)
        #expect(found.count == 25 && found[24].title == "24" && found.map(\.title).first == "00")
        let identifiers = try context.fetchIdentifiers(descriptor, batchSize: 10)
        #expect(Array(identifiers) == (try context.fetchIdentifiers(descriptor)))
    }

    @Test func identifiersOfPendingChangesCannotBeSorted() throws {
        let context = ModelContext(try memoryContainer())
        context.insert(Note(title: "a"))
        #expect(throws: SwiftDataError.sortingPendingChangesWithIdentifiers) {
            try context.fetchIdentifiers(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)]))
        }
        #expect(try context.fetchIdentifiers(FetchDescriptor<Note>()).first?.isTemporary == true)
    }

    // MARK: Notices and transactions

    @Test func changesMadeInWillSaveBelongToThatSave() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        nonisolated(unsafe) let inner = context
        let observer = NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: context, queue: nil) { _ in
            inner.insert(Note(title: "from willSave"))
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try context.transaction { context.insert(Note(title: "a")) }
        #expect(!context.hasChanges)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 2)
    }

    @Test func noticesCanBeAwaited() async throws {
        let container = try memoryContainer()
        let notices = NotificationCenter.default.notifications(named: ModelContext.didSave)
        let context = ModelContext(container)
        context.insert(Note(title: "a"))
        try context.save()
        let store = container.stores[0].storage.storeIdentifier
        for await notice in notices {
            let ids = notice.userInfo?[ModelContext.NotificationKey.insertedIdentifiers] as? [PersistentIdentifier] ?? []
            if ids.first?.storeIdentifier == store { break }
        }
    }

    @Test func aThrowInATransactionSavesNothing() throws {
        struct Stop: Error {}
        let container = try memoryContainer()
        let context = ModelContext(container)
        #expect(throws: Stop.self) {
            try context.transaction {
                context.insert(Note(title: "a"))
                throw Stop()
            }
        }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 0)
    }

    // MARK: Containers

    @Test func eachConfigurationIsAStoreOfItsOwn() throws {
        let folder = try TestFolder()
        let first = ModelConfiguration("first", schema: Schema([Folder.self]), url: folder.url.appendingPathComponent("first.store"))
        let second = ModelConfiguration("second", schema: Schema([Booking.self]), url: folder.url.appendingPathComponent("second.store"))
        let container = try ModelContainer(for: Folder.self, Booking.self, configurations: first, second)
        let context = ModelContext(container)
        let (note, booking) = (Note(title: "n"), Booking(room: "A", day: 1, guest: "g"))
        context.insert(note)
        context.insert(booking)
        #expect(context.insertedModelsArray.count == 2)
        try context.save()
        let names = [note.persistentModelID, booking.persistentModelID].map {
            container.configurationName(forStoreIdentifier: $0.storeIdentifier ?? "")
        }
        #expect(names == ["first", "second"])
        #expect(container.storeIdentifier(forConfigurationNamed: "second") == booking.persistentModelID.storeIdentifier)
        let other = ModelContext(container)
        #expect(other.model(for: booking.persistentModelID) as? Booking != nil && other.model(for: note.persistentModelID) as? Note != nil)
        #expect(try other.fetchCount(FetchDescriptor<Booking>()) == 1)
        #expect(try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)
        other.insert(Note(title: "m"))
        other.rollback()
        try container.erase()
        #expect(try other.fetchCount(FetchDescriptor<Note>()) + other.fetchCount(FetchDescriptor<Booking>()) == 0)
        container.close()
        let alone = try ModelContainer(for: Schema([Booking.self]), configurations: [second])
        #expect(try ModelContext(alone).fetchCount(FetchDescriptor<Booking>()) == 0)
        alone.close()
    }

    @Test func configurationsThatContradictEachOtherAreRefusedByName() throws {
        func memory(_ name: String, _ types: [any PersistentModel.Type]?) -> ModelConfiguration {
            ModelConfiguration(name, schema: types.map { Schema($0) }, isStoredInMemoryOnly: true)
        }
        func refusal(_ configurations: ModelConfiguration...) -> String {
            do {
                _ = try ModelContainer(for: Schema([Folder.self, Booking.self]), configurations: configurations)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(refusal(memory("a", [Folder.self]), memory("b", [Folder.self])).contains("Folder would lie in the stores of a and of b"))
        #expect(refusal(memory("a", nil), memory("b", nil)).contains("a and b both have no schema"))
        #expect(
            refusal(memory("a", [Folder.self]), memory("b", [Photo.self])).contains("Photo, which the container's schema does not have"))
        #expect(refusal(memory("a", [Folder.self]), memory("b", [])).contains("Booking lies in the store of no configuration"))
        #expect(refusal(memory("a", [Folder.self]), memory("b", nil)).isEmpty)
        let place = URL(fileURLWithPath: "/nowhere/x.store")
        #expect(throws: SwiftDataError.duplicateConfiguration) {
            try ModelContainer(
                for: Schema([Folder.self, Booking.self]),
                configurations: [
                    ModelConfiguration("a", schema: Schema([Folder.self]), url: place),
                    ModelConfiguration("b", schema: Schema([Booking.self]), url: place),
                ])
        }
    }

    @Test func namesThatNoFileCanHaveAreRefused() throws {
        #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) { try ModelConfiguration("a/b").validate() }
        #expect(throws: SwiftDataError.configurationFileNameTooLong) {
            try ModelConfiguration(String(repeating: "n", count: 250)).validate()
        }
        try ModelConfiguration("plain").validate()
        let group = ModelConfiguration("shared", groupContainer: .identifier("group.example"))
        #expect(group.url.path.hasSuffix("/group.example/shared.store") && group.groupAppContainerIdentifier == "group.example")
    }

    @Test func aReadOnlyContainerSaysThatItCannotSave() throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("notes.store")
        let owner = try ModelContainer(for: Folder.self, configurations: ModelConfiguration(url: url))
        let writer = ModelContext(owner)
        writer.insert(Note(title: "a"))
        try writer.save()
        let reader = try ModelContainer(for: Folder.self, configurations: ModelConfiguration(url: url, allowsSave: false))
        let context = ModelContext(reader)
        let note = try #require(try context.fetch(FetchDescriptor<Note>()).first)
        note.title = "b"
        let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect("\(try #require(error))".contains("reading only"))
        #expect(throws: SwiftDataError.modelValidationFailure) { try reader.erase() }
        #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>()) }
        reader.close()
        owner.close()
    }

    @Test func anObserverThatSavesBeforeASaveSavesOnce() throws {
        let context = ModelContext(try memoryContainer())
        let told = Mutex((will: 0, did: 0))
        let tokens = [
            NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: context, queue: nil) { notification in
                told.withLock { $0.will += 1 }
                #expect(throws: Never.self) { try (notification.object as? ModelContext)?.save() }
            },
            NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { _ in
                told.withLock { $0.did += 1 }
            },
        ]
        defer { tokens.forEach(NotificationCenter.default.removeObserver) }
        for title in ["a", "b"] {
            context.insert(Note(title: title))
            try context.save()
        }
        #expect(told.withLock { $0 == (2, 2) })
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Note>()) == 2)
    }

    @Test func aDroppedModelLetsGoOfWhatGoesBackToItsOwner() throws {
        let context = ModelContext(try memoryContainer())
        let (folder, note) = (Folder(name: "f"), Note(title: "n"))
        context.insert(folder)
        folder.notes = [note]
        try context.save()
        let (dropped, fresh) = (Folder(name: "d"), Note(title: "new"))
        dropped.notes = [fresh]
        note.folder = dropped
        context.rollback()
        #expect(note.folder === folder && dropped.notes.map(\.title) == ["new"])
        context.insert(dropped)
        try context.save()
        #expect(folder.notes.map(\.title) == ["n"] && dropped.notes.map(\.title) == ["new"])
    }

    @Test func aTargetThatIsAboutToBeDeletedIsNil() throws {
        let context = ModelContext(try ModelContainer(for: Novel.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let novel = Novel(title: "n", author: Writer(name: "w"))
        context.insert(novel)
        let shelf = Board(name: "b")
        context.insert(shelf)
        try context.save()
        novel.shelf = shelf
        context.delete(shelf)
        #expect(novel.shelf == nil)
        #expect(try context.fetchCount(FetchDescriptor<Novel>(predicate: #Predicate { $0.shelf == nil })) == 1)
    }
}

@Model
final class Show {
    var name: String
    @Relationship(inverse: \Ticket.show) var tickets: [Ticket] = []
    init(name: String) { self.name = name }
}

@Model
final class Ticket {
    var show: Show
    init(show: Show) { self.show = show }
}
