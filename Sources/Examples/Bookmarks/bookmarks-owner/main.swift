import BookmarksSchema
import Foundation
import Storekeeper

do {
    let store = ModelConfiguration(url: storeArgument())
    let container = try ModelContainer(for: Bookmark.self, configurations: store)
    let context = ModelContext(container)
    context.insert(Bookmark(address: "https://www.swift.org", title: "Swift"))
    try context.save()
} catch {
    exit(ending(error))
}
