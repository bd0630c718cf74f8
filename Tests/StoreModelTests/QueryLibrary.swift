import Foundation
import StoreModel
import StoreSQLite

// A small graph of plain classes, and the same graph in SQL: what the translation is compared with is Swift's own evaluation.

enum Shelf: String, Codable, CaseIterable {
    case fiction, science = "SCIENCE", none = ""

    var isRead: Bool { self == .fiction }
}

struct Size: Codable, Hashable {
    var height: Int
    var width: Double
    var unit: String?

    var area: Double { Double(height) * width }
}

struct Details: Codable, Hashable {
    var publisher: String
    var size: Size
    var printed: Date?
    var colours: [String]
    var hardcover: Bool
    var year: Int

    enum CodingKeys: String, CodingKey {
        case publisher = "house", size, printed, colours, hardcover = "hard", year
    }
}

final class Author: Hashable {
    let row: Int64
    var name: String
    var age: Int?
    var alive: Bool
    var mentor: Author?
    var books: [Book] = []

    init(row: Int64, name: String, age: Int?, alive: Bool) {
        (self.row, self.name, self.age, self.alive) = (row, name, age, alive)
    }

    var reference: RowReference { RowReference(entity: "Author", row: row) }
    static func == (a: Author, b: Author) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(row) }
}

final class Tag: Hashable {
    let row: Int64
    var label: String
    var weight: Double
    var books: [Book] = []

    init(row: Int64, label: String, weight: Double) {
        (self.row, self.label, self.weight) = (row, label, weight)
    }

    var reference: RowReference { RowReference(entity: "Tag", row: row) }
    static func == (a: Tag, b: Tag) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(row) }
}

final class Book: Hashable {
    let row: Int64
    var title = ""
    var subtitle: String?
    var pages = 0
    var copies: Int?
    var rating = 0.0
    var discount: Double?
    var price = Decimal(0)
    var added = Date(timeIntervalSinceReferenceDate: 0)
    var lent: Date?
    var isbn = UUID()
    var cover: Data?
    var page: URL?
    var isOpen = false
    var isSigned: Bool?
    var shelf = Shelf.none
    var oldShelf: Shelf?
    var details = Details(publisher: "", size: Size(height: 0, width: 0), colours: [], hardcover: false, year: 0)
    var oldDetails: Details?
    var keywords: [String] = []
    var marks: [Int]?
    var counts: [String: Int] = [:]
    var weight: Float = 0
    var author: Author?
    var editor: Author
    var tags: [Tag] = []
    var notStored = 0

    init(row: Int64, editor: Author) {
        (self.row, self.editor) = (row, editor)
    }

    var reference: RowReference { RowReference(entity: "Book", row: row) }
    var computed: Int { pages * 2 }
    static func == (a: Book, b: Book) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(row) }
}

/// The identifier of a row, as models publish it.
struct RowReference: StoredReference, Hashable, Codable, Sendable {
    let entity: String
    let row: Int64

    func rowID(in table: EntityTable, of store: String?) -> Int64? { table.name == entity ? row : nil }
}

/// The graph in memory and in an SQL database.
final class Library {
    let connection: Connection
    var authors: [Author] = []
    var tags: [Tag] = []
    var books: [Book] = []

    static let catalog = EntityCatalog([
        EntityTable(
            name: "Author", table: "Author", modelType: Author.self,
            properties: [
                \Author.name: .init(name: "name", storage: .column("name", kind: .text)),
                \Author.age: .init(name: "age", storage: .column("age", kind: .integer)),
                \Author.alive: .init(name: "alive", storage: .column("alive", kind: .boolean)),
                \Author.mentor: .init(name: "mentor", storage: .toOne(column: "mentor", target: "Author")),
                \Author.books: .init(name: "books", storage: .toManyByColumn(foreignColumn: "author", target: "Book")),
            ], identifierKeyPaths: [\Author.reference]),
        EntityTable(
            name: "Tag", table: "Tag", modelType: Tag.self,
            properties: [
                \Tag.label: .init(name: "label", storage: .column("label", kind: .text)),
                \Tag.weight: .init(name: "weight", storage: .column("weight", kind: .real)),
                \Tag.books: .init(
                    name: "books",
                    storage: .toManyByTable(table: "Book_tags", ownerColumn: "target", targetColumn: "source", target: "Book")),
            ], identifierKeyPaths: [\Tag.reference]),
        EntityTable(
            name: "Book", table: "Book of \"all\"", modelType: Book.self,
            properties: [
                \Book.title: .init(name: "title", storage: .column("title", kind: .text)),
                \Book.subtitle: .init(name: "subtitle", storage: .column("subtitle", kind: .text)),
                \Book.pages: .init(name: "pages", storage: .column("pages", kind: .integer)),
                \Book.copies: .init(name: "copies", storage: .column("copies", kind: .integer)),
                \Book.rating: .init(name: "rating", storage: .column("rating", kind: .real)),
                \Book.discount: .init(name: "discount", storage: .column("discount", kind: .real)),
                \Book.price: .init(name: "price", storage: .column("price", kind: .decimal)),
                \Book.added: .init(name: "added", storage: .column("added", kind: .date)),
                \Book.lent: .init(name: "lent", storage: .column("lent", kind: .date)),
                \Book.isbn: .init(name: "isbn", storage: .column("isbn", kind: .uuid)),
                \Book.cover: .init(name: "cover", storage: .column("cover", kind: .data)),
                \Book.page: .init(name: "page", storage: .column("page", kind: .url)),
                \Book.isOpen: .init(name: "isOpen", storage: .column("isOpen", kind: .boolean)),
                \Book.isSigned: .init(name: "isSigned", storage: .column("isSigned", kind: .boolean)),
                \Book.shelf: .init(name: "shelf", storage: .column("shelf", kind: .text)),
                \Book.oldShelf: .init(name: "oldShelf", storage: .column("oldShelf", kind: .text)),
                \Book.details: .init(name: "details", storage: .column("details", kind: .json)),
                \Book.oldDetails: .init(name: "oldDetails", storage: .column("oldDetails", kind: .json)),
                \Book.keywords: .init(name: "keywords", storage: .column("keywords", kind: .json)),
                \Book.marks: .init(name: "marks", storage: .column("marks", kind: .json)),
                \Book.counts: .init(name: "counts", storage: .column("counts", kind: .json)),
                \Book.weight: .init(name: "weight", storage: .column("weight", kind: .float)),
                \Book.author: .init(name: "author", storage: .toOne(column: "author", target: "Author")),
                \Book.editor: .init(name: "editor", storage: .toOne(column: "editor", target: "Author")),
                \Book.tags: .init(
                    name: "tags",
                    storage: .toManyByTable(table: "Book_tags", ownerColumn: "source", targetColumn: "target", target: "Tag")),
            ], identifierKeyPaths: [\Book.reference]),
    ])

    static let book = catalog.entity(named: "Book")!
    static let author = catalog.entity(named: "Author")!

    init() throws {
        connection = try Connection.inMemory()
        try QueryFunctions.register(on: connection)
        try connection.execute(
            #"""
            CREATE TABLE Author (storekeeper_id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER, alive INTEGER NOT NULL, mentor INTEGER);
            CREATE TABLE Tag (storekeeper_id INTEGER PRIMARY KEY, label TEXT NOT NULL, weight REAL NOT NULL);
            CREATE TABLE "Book of ""all""" (storekeeper_id INTEGER PRIMARY KEY, title TEXT NOT NULL, subtitle TEXT, pages INTEGER NOT NULL,
                copies INTEGER, rating REAL NOT NULL, discount REAL, price TEXT NOT NULL, added REAL NOT NULL, lent REAL, isbn TEXT NOT NULL,
                cover BLOB, page TEXT, isOpen INTEGER NOT NULL, isSigned INTEGER, shelf TEXT NOT NULL, oldShelf TEXT, details TEXT NOT NULL,
                oldDetails TEXT, keywords TEXT NOT NULL, marks TEXT, counts TEXT NOT NULL, weight REAL NOT NULL, author INTEGER, editor INTEGER NOT NULL);
            CREATE TABLE Book_tags (source INTEGER NOT NULL, target INTEGER NOT NULL, PRIMARY KEY (source, target)) WITHOUT ROWID;
            CREATE INDEX title_index ON "Book of ""all""" (title);
            CREATE INDEX copies_index ON "Book of ""all""" (copies);
            """#)
    }

    /// Writes the graph into the database.
    func store() throws {
        for author in authors {
            try connection.run(
                "INSERT INTO Author VALUES (?, ?, ?, ?, ?)", .integer(author.row), .text(author.name),
                author.age.map { .integer(Int64($0)) } ?? .null,
                .integer(author.alive ? 1 : 0), author.mentor.map { .integer($0.row) } ?? .null)
        }
        for tag in tags {
            try connection.run("INSERT INTO Tag VALUES (?, ?, ?)", .integer(tag.row), .text(tag.label), .real(tag.weight))
        }
        for book in books {
            let columns: [(Any, StorageKind)] = [
                (book.title, .text), (book.subtitle as Any, .text), (book.pages, .integer), (book.copies as Any, .integer),
                (book.rating, .real),
                (book.discount as Any, .real), (book.price, .decimal), (book.added, .date), (book.lent as Any, .date), (book.isbn, .uuid),
                (book.cover as Any, .data), (book.page as Any, .url), (book.isOpen, .boolean), (book.isSigned as Any, .boolean),
                (book.shelf, .text), (book.oldShelf as Any, .text), (book.details, .json), (book.oldDetails as Any, .json),
                (book.keywords, .json), (book.marks as Any, .json), (book.counts, .json), (book.weight, .float),
            ]
            var values = [Value.integer(book.row)]
            values += try columns.map { try StoredValue.encode($0, as: $1) }
            values += [book.author.map { .integer($0.row) } ?? .null, .integer(book.editor.row)]
            let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
            _ = try connection.rows("INSERT INTO \"Book of \"\"all\"\"\" VALUES (\(marks))", values)
            for tag in book.tags { try connection.run("INSERT INTO Book_tags VALUES (?, ?)", .integer(book.row), .integer(tag.row)) }
        }
    }

    /// The rows that SQL finds.
    func rows(_ predicate: Predicate<Book>?, sortedBy order: [SortDescriptor<Book>] = [], limit: Int? = nil, offset: Int? = nil) throws
        -> [Int64]
    {
        let translation = try FetchTranslation(
            of: Library.book, in: Library.catalog, where: predicate, sortedBy: order, limit: limit, offset: offset)
        let statement = try translation.select().prepared(on: connection)
        defer { statement.reset() }
        var rows: [Int64] = []
        while try statement.step() { rows.append(statement.int64(0)) }
        return order.isEmpty ? rows.sorted() : rows
    }

    func count(_ predicate: Predicate<Book>?, limit: Int? = nil, offset: Int? = nil) throws -> Int64 {
        let statement = try FetchTranslation(of: Library.book, in: Library.catalog, where: predicate, limit: limit, offset: offset)
            .count().prepared(on: connection)
        defer { statement.reset() }
        return try statement.step() ? statement.int64(0) : -1
    }

    /// The rows that Swift finds.
    func evaluated(_ predicate: Predicate<Book>) throws -> [Int64] {
        try books.filter { try predicate.evaluate($0) }.map(\.row)
    }
}
