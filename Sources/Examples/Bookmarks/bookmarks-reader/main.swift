import BookmarksSchema
import Foundation
import Storekeeper

do {
    let store = ModelConfiguration(url: storeArgument(), allowsSave: false)
    var options = ReaderOptions()
    options.wait = .upTo(.seconds(30))
    let container = try ModelContainer(for: Schema([Bookmark.self]), configurations: [store], reader: options)
    let byTitle = FetchDescriptor<Bookmark>(sortBy: [SortDescriptor(\.title)])
    for bookmark in try ModelContext(container).fetch(byTitle) { print(bookmark.title, bookmark.address) }
} catch {
    // 4 where the store has become too new for this release: StoreError.code is storeTooNew then, also of a later fetch.
    exit(ending(error))
}
