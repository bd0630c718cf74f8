import BookmarksSchema
import Foundation
import ProcessHarness
import Storekeeper
import Testing

/// Observers in a process that only reads, and what wakes them.
@Suite(.serialized) struct ObserverTests {
    private func save(_ titles: [String], in container: ModelContainer) throws {
        let context = ModelContext(container)
        for title in titles { context.insert(Bookmark(address: "https://\(title).example", title: title)) }
        try context.save()
    }

    /// The watcher fetches only when it is told of a change: what it prints it has heard.
    @Test func observersHearWhatTheOwnerSaves() throws {
        let folder = try TemporaryFolder()
        let configuration = ModelConfiguration(url: URL(fileURLWithPath: folder("bookmarks.store")))
        let owner = try ModelContainer(for: Bookmark.self, configurations: configuration)
        try save(["before"], in: owner)
        let watcher = try Program(.bookmarksWatcher, configuration.url.path)
        try watcher.line(containing: "0: before")
        try save(["one"], in: owner)
        try watcher.line(containing: "1: before, one")
        try save(["three", "two"], in: owner)
        try watcher.line(containing: "2: before, one, three, two")
        let context = ModelContext(owner)
        try context.delete(model: Bookmark.self, where: #Predicate { $0.title == "one" })
        try context.save()
        try watcher.line(containing: "3: before, three, two")
        owner.close()
        // The next owner is heard too, and what it does before the watcher has found it.
        let next = try ModelContainer(for: Bookmark.self, configurations: configuration)
        try save(["zero"], in: next)
        try watcher.line(containing: "4: before, three, two, zero")
        next.close()
        watcher.send(SIGTERM)
        #expect(try watcher.wait() == .signal(SIGTERM), "\(watcher.transcript)")
    }
}
