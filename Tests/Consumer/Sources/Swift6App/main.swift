import Foundation
import SwiftData

@Model
final class Shelf {
    @Attribute(.unique) var name: String
    @Relationship(deleteRule: .cascade, inverse: \Book.shelf) var books: [Book] = []

    init(name: String) {
        self.name = name
    }
}

@Model
final class Book {
    var title: String
    var pages = 0
    var read: Date?
    var shelf: Shelf?

    init(title: String, pages: Int) {
        self.title = title
        self.pages = pages
    }
}

let container = try ModelContainer(
    for: Shelf.self, Book.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
let context = ModelContext(container)
let shelf = Shelf(name: "Reading")
context.insert(shelf)
for number in 1...3 {
    let book = Book(title: "Volume \(number)", pages: number * 100)
    book.shelf = shelf
}
try context.save()

let long = FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 150 }, sortBy: [SortDescriptor(\.pages, order: .reverse)])
let titles = try ModelContext(container).fetch(long).map(\.title)
guard titles == ["Volume 3", "Volume 2"], shelf.books.count == 3 else {
    print("wrong: \(titles), \(shelf.books.count) books")
    exit(1)
}
print("ok")
