import BookmarksSchema
import Foundation
import Storekeeper

// Prints how often the store was saved since it looks, and all titles: now, and whenever another process has changed them.
do {
    let store = ModelConfiguration(url: storeArgument(), allowsSave: false)
    var options = ReaderOptions()
    options.wait = .upTo(.seconds(30))
    let container = try ModelContainer(for: Schema([Bookmark.self]), configurations: [store], reader: options)
    let context = ModelContext(container)
    // What the observer meets when it fetches again: the store may have become too new.
    context.faultHandler = { exit(ending($0)) }
    let history = try HistoryObserver(modelContainer: container)
    let bookmarks = try ResultsObserver<Bookmark, Never>(sortBy: [SortDescriptor(\.title)], modelContext: context)
    for await titles in Observations({ (history.eventCounter, bookmarks.results.map(\.title)) }) {
        FileHandle.standardOutput.write(Data("\(titles.0): \(titles.1.joined(separator: ", "))\n".utf8))
    }
} catch {
    exit(ending(error))
}
