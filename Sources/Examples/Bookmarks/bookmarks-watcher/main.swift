import BookmarksSchema
import Foundation
import Storekeeper

// Prints how often the store was saved since it looks, and all titles: now, and whenever another process has changed them.
let store = ModelConfiguration(url: URL(fileURLWithPath: CommandLine.arguments[1]), allowsSave: false)
var options = ReaderOptions()
options.wait = .upTo(.seconds(30))
let container = try ModelContainer(for: Schema([Bookmark.self]), configurations: [store], reader: options)
let history = try HistoryObserver(modelContainer: container)
let bookmarks = try ResultsObserver<Bookmark, Never>(sortBy: [SortDescriptor(\.title)], modelContainer: container)
for await titles in Observations({ (history.eventCounter, bookmarks.results.map(\.title)) }) {
    FileHandle.standardOutput.write(Data("\(titles.0): \(titles.1.joined(separator: ", "))\n".utf8))
}
