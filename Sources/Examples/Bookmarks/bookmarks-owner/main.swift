import BookmarksSchema
import Foundation
import Storekeeper

let store = ModelConfiguration(url: URL(fileURLWithPath: CommandLine.arguments[1]))
let container = try ModelContainer(for: Bookmark.self, configurations: store)
let context = ModelContext(container)
context.insert(Bookmark(address: "https://www.swift.org", title: "Swift"))
try context.save()
