import Foundation
import SwiftData
import Testing

@ModelActor
actor NoteKeeper {
    func add(_ title: String) throws -> PersistentIdentifier {
        let note = Note(title: title)
        modelContext.insert(note)
        try modelContext.save()
        return note.persistentModelID
    }

    func addTo(_ folder: PersistentIdentifier, _ label: PersistentIdentifier, _ title: String) throws {
        guard let folder = self[folder, as: Folder.self], let label = self[label, as: Label.self] else { return }
        let note = Note(title: title)
        folder.notes.append(note)
        note.tags.append(label)
        label.notes.append(Note(title: title + "'"))
        try modelContext.save()
    }

    func title(of id: PersistentIdentifier) -> String? { self[id, as: Note.self]?.title }

    func increment(_ id: PersistentIdentifier) throws {
        guard let note = self[id, as: Note.self] else { return }
        note.count += 1
        try modelContext.save()
    }

    func append(_ title: String, to id: PersistentIdentifier) throws {
        guard let folder = self[id, as: Folder.self] else { return }
        folder.notes.append(Note(title: title))
        try modelContext.save()
    }

    func remove(_ id: PersistentIdentifier) throws {
        guard let folder = self[id, as: Folder.self] else { return }
        modelContext.delete(folder)
        try modelContext.save()
    }

    func giveUp() { modelContext.rollback() }

    func thread() -> String { Thread.current.description }
    var isOnMainThread: Bool { Thread.isMainThread }

    func autosaves() { modelContext.autosaveEnabled = true }
    func insertOnly(_ title: String) { modelContext.insert(Note(title: title)) }
}

/// `@ModelActor`, executors.
@Suite struct ModelActorTests {
    @MainActor
    @Test func anActorMadeOnTheMainThreadDoesNotRunThere() async throws {
        let keeper = NoteKeeper(modelContainer: try memoryContainer())
        #expect(await !keeper.isOnMainThread)
    }

    @Test func actorsSeeEachOthersSaves() async throws {
        let container = try memoryContainer()
        let (one, two) = (NoteKeeper(modelContainer: container), NoteKeeper(modelContainer: container))
        let id = try await one.add("a")
        #expect(await two.title(of: id) == "a")
        #expect(await two.title(of: try PersistentIdentifier.identifier(for: "s", entityName: "Note", primaryKey: "x")) == nil)
    }

    /// `STORE_SECONDS` in the environment makes it as long as that; 100 saves of each are the least.
    @Test(arguments: [true, false]) func twoActorsWriteAtOnceAndLoseNothing(inMemory: Bool) async throws {
        let seconds = ProcessInfo.processInfo.environment["STORE_SECONDS"].flatMap { Double($0) } ?? 0
        let folder = try TestFolder()
        let container = try inMemory ? memoryContainer() : ModelContainer(for: Folder.self, configurations: folder.configuration())
        defer { container.close() }
        let keepers = [NoteKeeper(modelContainer: container), NoteKeeper(modelContainer: container)]
        let end = ContinuousClock.now + .seconds(seconds / 2)
        let saved = try await withThrowingTaskGroup(of: Int.self) { group in
            for (number, keeper) in keepers.enumerated() {
                group.addTask {
                    var saves = 0
                    while saves < 100 || ContinuousClock.now < end {
                        let id = try await keeper.add("\(number).\(saves)")
                        // The other actor changes it: each write is of one, each read of both.
                        try await keepers[1 - number].increment(id)
                        saves += 1
                    }
                    return saves
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let notes = try ModelContext(container).fetch(FetchDescriptor<Note>())
        #expect(notes.count == saved.reduce(0, +) && notes.allSatisfy { $0.count == 1 })
        #expect(Set(notes.map(\.title)).count == notes.count)
    }

    /// A list that is appended to between another's look at it and its change takes nothing away.
    @Test(arguments: [true, false]) func twoActorsAppendToTheSameListsAndLoseNothing(inMemory: Bool) async throws {
        let files = try TestFolder()
        let container = try inMemory ? memoryContainer() : ModelContainer(for: Folder.self, configurations: files.configuration())
        defer { container.close() }
        let context = ModelContext(container)
        let (folder, label) = (Folder(name: "f"), Label(name: "l"))
        context.insert(folder)
        context.insert(label)
        try context.save()
        let (folderID, labelID) = (folder.persistentModelID, label.persistentModelID)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2 {
                let keeper = NoteKeeper(modelContainer: container)
                group.addTask { for count in 0..<100 { try await keeper.addTo(folderID, labelID, "\(number).\(count)") } }
            }
            try await group.waitForAll()
        }
        let reader = ModelContext(container)
        #expect(try reader.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.folder?.name == "f" })) == 200)
        #expect(try reader.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.tags.contains { $0.name == "l" } })) == 400)
    }

    @Test func anActorsContextSavesByItselfOnItsExecutor() async throws {
        let container = try memoryContainer()
        let keeper = NoteKeeper(modelContainer: container)
        await keeper.autosaves()
        let notices = NotificationCenter.default.notifications(named: ModelContext.didSave)
        await keeper.insertOnly("a")
        for await notice in notices where (notice.object as? ModelContext)?.container == container { break }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
    }
}
