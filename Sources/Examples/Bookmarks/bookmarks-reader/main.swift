import BookmarksSchema
import Foundation
import Storekeeper

let store = ModelConfiguration(url: URL(fileURLWithPath: CommandLine.arguments[1]), allowsSave: false)
var options = ReaderOptions()
options.wait = .upTo(.seconds(30))
let container = try ModelContainer(for: Schema([Bookmark.self]), configurations: [store], reader: options)
let byTitle = FetchDescriptor<Bookmark>(sortBy: [SortDescriptor(\.title)])
for bookmark in try ModelContext(container).fetch(byTitle) { print(bookmark.title, bookmark.address) }
