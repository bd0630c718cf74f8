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

    func title(of id: PersistentIdentifier) -> String? { self[id, as: Note.self]?.title }

    func increment(_ id: PersistentIdentifier) throws {
        guard let note = self[id, as: Note.self] else { return }
        note.count += 1
        try modelContext.save()
    }

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

    @Test func twoActorsWriteAtOnceAndLoseNothing() async throws {
        let container = try memoryContainer()
        let keepers = [NoteKeeper(modelContainer: container), NoteKeeper(modelContainer: container)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, keeper) in keepers.enumerated() {
                group.addTask {
                    for index in 0..<100 { _ = try await keeper.add("\(number).\(index)") }
                }
            }
            try await group.waitForAll()
        }
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 200)
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
