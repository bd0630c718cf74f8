import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// `ResultsObserver`, `HistoryObserver`.
@MainActor
@Suite struct ObserverTests {
    /// Waits until what is read changes; the change may have come before.
    private func next<O: Observable>(_ observer: O, until isThere: () -> Bool, _ read: @escaping () -> Void) async {
        while !isThere() {
            await withCheckedContinuation { continuation in
                let once = Mutex<CheckedContinuation<Void, Never>?>(continuation)
                let resume: @Sendable () -> Void = { once.withLock { $0.take() }?.resume() }
                withObservationTracking(read, onChange: resume)
                if isThere() { resume() }
            }
            await Task.yield()
        }
    }

    @Test func resultsFollowTheirOwnContextAndOthers() async throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        let observer = try ResultsObserver<Note, Never>(sortBy: [SortDescriptor(\.title)], modelContext: context)
        #expect(observer.results.isEmpty && observer.sections == nil)
        context.insert(Note(title: "own"))
        context.processPendingChanges()
        #expect(observer.results.map(\.title) == ["own"])
        try context.save()
        let other = ModelContext(container)
        other.insert(Note(title: "another"))
        try other.save()
        await next(observer, until: { observer.results.count == 2 }) { _ = observer.results }
        #expect(observer.results.map(\.title) == ["another", "own"])
        observer.filterBy = #Predicate { $0.title == "own" }
        #expect(observer.results.map(\.title) == ["own"])
        #expect(observer.indexPath(for: observer.results[0]) == IndexPath(indexes: [0, 0]))
        #expect(observer.element(at: IndexPath(indexes: [0, 1])) == nil)
    }

    @Test func aChangeThatMovesNothingTellsNobody() throws {
        let context = ModelContext(try memoryContainer())
        let note = Note(title: "a")
        context.insert(note)
        try context.save()
        let observer = try ResultsObserver<Note, Never>(modelContext: context)
        let told = Mutex(0)
        withObservationTracking {
            _ = observer.results
        } onChange: {
            told.withLock { $0 += 1 }
        }
        note.count = 5
        try context.save()
        #expect(told.withLock { $0 } == 0)
        context.insert(Note(title: "b"))
        try context.save()
        #expect(told.withLock { $0 } == 1)
    }

    @Test func sectionsHaveTheirNamesInOrder() throws {
        let context = ModelContext(try memoryContainer())
        for (title, body) in [("1", "b"), ("2", "a"), ("3", "b"), ("4", nil)] as [(String, String?)] {
            let note = Note(title: title)
            note.body = body
            context.insert(note)
        }
        try context.save()
        let observer = try ResultsObserver<Note, String>(sortBy: [SortDescriptor(\.title)], sectionBy: \.body, modelContext: context)
        let sections = try #require(observer.sections)
        #expect(sections.sectionNames == ["", "a", "b"] && sections[sectionName: "b"]?.map(\.title) == ["1", "3"])
        #expect(sections.contains(sectionName: "a") && sections.index(ofSectionNamed: "b") == 2)
        #expect(observer.element(at: IndexPath(indexes: [2, 1]))?.title == "3")
        #expect(observer.sectionBy == \Note.body)
    }

    @Test func theHistoryObserverCountsWhatItObserves() throws {
        let container = try memoryContainer()
        let all = try HistoryObserver(modelContainer: container)
        let folders = try HistoryObserver(observedModels: [Folder.self], modelContainer: container)
        let mine = try HistoryObserver(authors: ["me"], modelContainer: container)
        let context = ModelContext(container)
        context.insert(Note(title: "a"))
        try context.save()
        context.author = "me"
        context.insert(Folder(name: "f"))
        try context.save()
        #expect(all.eventCounter == 2 && folders.eventCounter == 1 && mine.eventCounter == 1)
        let later = try HistoryObserver(historyTokens: [:], modelContainer: container)
        #expect(later.eventCounter == 1)
        #expect(try HistoryObserver(modelContainer: container).eventCounter == 0)
    }

    /// What other threads change is told where the observer lives, so that no change falls between looking and listening there.
    @Test func theHistoryObserverTellsOnItsIsolation() async throws {
        let container = try memoryContainer()
        let observer = try HistoryObserver(modelContainer: container)
        let told = Mutex<Int?>(nil)
        withObservationTracking {
            _ = observer.eventCounter
        } onChange: {
            told.withLock { $0 = observer.eventCounter }
        }
        let context = ModelContext(container)
        context.insert(Note(title: "a"))
        try context.save()
        // Counted at once, told when the main actor comes to it.
        #expect(observer.eventCounter == 1 && told.withLock { $0 } == nil)
        while told.withLock({ $0 }) == nil { await Task.yield() }
        #expect(told.withLock { $0 } == 1)
    }

    private actor Holder {
        var history: HistoryObserver?
        var results: ResultsObserver<Note, Never>?

        func observe(_ container: ModelContainer) throws {
            history = try HistoryObserver(modelContainer: container)
            results = try ResultsObserver<Note, Never>(modelContainer: container)
        }
    }

    @Test func anActorThatHoldsItsObserversGoesWithItsLastReference() async throws {
        let container = try memoryContainer()
        var holder: Holder? = Holder()
        weak let held = holder
        try await holder?.observe(container)
        let context = ModelContext(container)
        context.insert(Note(title: "a"))
        try context.save()
        holder = nil
        // What was to be told on it may be on its way.
        for _ in 0..<10_000 where held != nil { await Task.yield() }
        #expect(held == nil)
        context.insert(Note(title: "b"))
        try context.save()
    }
}
