import Foundation
import StoreModel
import StoreSQLite
import Testing

/// Each form that `#Predicate` can take, against Swift's own evaluation of it.
@Suite struct QueryPredicateTests {
    let library: Library

    init() throws {
        var generator = SeededGenerator(seed: 1)
        library = try Library.random(books: 200, using: &generator)
    }

    private func check(_ predicate: Predicate<Book>, location: SourceLocation = #_sourceLocation) throws {
        let expected = try library.evaluated(predicate)
        #expect(try library.rows(predicate) == expected, "\(predicate)", sourceLocation: location)
        #expect(try library.count(predicate) == Int64(expected.count), sourceLocation: location)
    }

    @Test func equalityOfEveryKindOfValue() throws {
        let (title, pages, rating, added, isbn) = ("a", 3, 0.1, Samples.dates[2], Samples.identifiers[1])
        let (cover, page, shelf, weight, price) = (Samples.bytes[2], Samples.pages[0], Shelf.science, Float(0.1), Decimal(string: "0.10")!)
        try check(#Predicate { $0.title == title })
        try check(#Predicate { $0.title != title })
        try check(#Predicate { $0.pages == pages })
        try check(#Predicate { $0.rating == rating })
        try check(#Predicate { $0.added == added })
        try check(#Predicate { $0.isbn == isbn })
        try check(#Predicate { $0.cover == cover })
        try check(#Predicate { $0.page == page })
        try check(#Predicate { $0.shelf == shelf })
        try check(#Predicate { $0.oldShelf != shelf })
        try check(#Predicate { $0.weight == weight })
        try check(#Predicate { $0.price == price })
        try check(#Predicate { $0.isOpen == true })
        try check(#Predicate { $0.isOpen == $0.editor.alive })
    }

    @Test func unequalIncludesRowsWithoutAValue() throws {
        let none: Int? = nil, five: Int? = 5
        try check(#Predicate { $0.copies != 5 })
        try check(#Predicate { !($0.copies == 5) })
        try check(#Predicate { $0.copies == nil })
        try check(#Predicate { $0.copies != nil })
        try check(#Predicate { $0.copies == none })
        try check(#Predicate { $0.copies != none })
        try check(#Predicate { $0.copies == five })
        try check(#Predicate { $0.isSigned == true })
        try check(#Predicate { $0.isSigned != true })
        try check(#Predicate { !($0.isSigned ?? false) })
        try check(#Predicate { $0.copies == $0.author?.age })
        try check(#Predicate { $0.copies != $0.author?.age })
    }

    @Test func orderOfEveryKindOfValue() throws {
        let (date, price, isbn) = (Samples.dates[1], Decimal(9), Samples.identifiers[2])
        try check(#Predicate { $0.title < "b" })
        try check(#Predicate { $0.title >= "a" && $0.title <= "file10" })
        try check(#Predicate { $0.pages > 1 })
        try check(#Predicate { $0.rating <= 0.5 })
        try check(#Predicate { $0.added > date })
        try check(#Predicate { $0.price < price })
        try check(#Predicate { $0.isbn < isbn })
        try check(#Predicate { $0.weight >= 0.1 })
    }

    @Test func notANumberEqualsNothing() throws {
        let missing = Double.nan
        let optional: Double? = missing
        try check(#Predicate { $0.rating == missing })
        try check(#Predicate { $0.rating != missing })
        try check(#Predicate { $0.rating < missing })
        try check(#Predicate { !($0.rating < missing) })
        try check(#Predicate { $0.discount == optional })
        try check(#Predicate { $0.discount != optional })
        try check(#Predicate { $0.rating - $0.rating == 0 })
        try check(#Predicate { $0.rating - $0.rating != 0 })
        try check(#Predicate { $0.rating / $0.details.size.width > 1 })
        try check(#Predicate { !($0.rating / $0.details.size.width > 1) })
    }

    @Test func logic() throws {
        let yes = true
        try check(#Predicate { $0.isOpen && $0.pages > 0 })
        try check(#Predicate { $0.isOpen || $0.pages > 0 })
        try check(#Predicate { !$0.isOpen })
        try check(#Predicate { yes || $0.isOpen })
        try check(#Predicate { yes && $0.isOpen })
        try check(#Predicate { ($0.pages > 0) == $0.isOpen })
    }

    @Test func conditionals() throws {
        try check(#Predicate { ($0.isOpen ? $0.title : "a") == "a" })
        try check(#Predicate { $0.pages > 2 ? $0.isOpen : $0.editor.alive })
        try check(#Predicate { if let author = $0.author { author.alive } else { false } })
        try check(#Predicate { if let copies = $0.copies { copies > 2 } else { true } })
    }

    @Test func arithmetic() throws {
        try check(#Predicate { $0.pages + 2 > 3 })
        try check(#Predicate { $0.pages * $0.pages - 1 == 8 })
        try check(#Predicate { -$0.pages == 7 })
        try check(#Predicate { $0.pages / 2 == -3 })
        try check(#Predicate { $0.pages % 3 == -1 })
        try check(#Predicate { $0.rating * 2.0 + 0.5 < 1.5 })
        try check(#Predicate { $0.rating / 2.0 > 0.2 })
        try check(#Predicate { -$0.rating < 0.0 })
        try check(#Predicate { $0.weight * 3 == 0.3 })
        try check(#Predicate { $0.price + 1 == 10 })
        try check(#Predicate { $0.price * $0.price > 50 })
    }

    @Test func ranges() throws {
        let captured = 1...5, from = 3..., below = ..<2
        try check(#Predicate { (1..<5).contains($0.pages) })
        try check(#Predicate { $0.pages <= 10 && ($0.pages...10).contains(5) })
        try check(#Predicate { captured.contains($0.pages) })
        try check(#Predicate { from.contains($0.pages) })
        try check(#Predicate { below.contains($0.pages) })
        try check(#Predicate { ("a"..."f").contains($0.title) })
    }

    @Test func optionals() throws {
        try check(#Predicate { $0.subtitle?.isEmpty == false })
        try check(#Predicate { $0.subtitle?.isEmpty != true })
        try check(#Predicate { ($0.copies ?? 3) == 3 })
        try check(#Predicate { ($0.author?.age ?? $0.copies) == 5 })
        try check(#Predicate { $0.copies != nil && $0.copies! > 3 })
        try check(#Predicate { $0.author?.name == "a" })
        try check(#Predicate { $0.author?.mentor?.name != "a" })
        try check(#Predicate { $0.author?.mentor?.mentor?.alive == true })
        try check(#Predicate { book in (book.author ?? book.editor).alive })
        try check(#Predicate { $0.author == nil })
        try check(#Predicate { $0.author?.mentor != nil })
        try check(#Predicate { $0.author != nil && $0.author!.alive })
        try check(#Predicate { $0.author != $0.editor.mentor })
    }

    @Test func wildcardsAreLiteralAndSearchIsByCharacter() throws {
        for needle in Samples.texts + ["%", "_", "\u{301}", "e\u{301}", "\u{1F1EA}\u{1F1EB}", "\r", "\n", "K", "file1"] {
            try check(#Predicate { $0.title.contains(needle) })
            try check(#Predicate { $0.title.starts(with: needle) })
            try check(#Predicate { $0.title.localizedStandardContains(needle) })
            try check(#Predicate { $0.subtitle?.contains(needle) == true })
            try check(#Predicate { needle.contains($0.title) })
        }
    }

    @Test func otherPropertiesOfTexts() throws {
        let same = ComparisonResult.orderedSame
        try check(#Predicate { $0.title.count == 2 })
        try check(#Predicate { $0.title.isEmpty })
        try check(#Predicate { $0.title.caseInsensitiveCompare("A") == same })
        try check(#Predicate { $0.title.localizedCompare($0.editor.name) == same })
        try check(#Predicate { $0.title.utf8.count > 3 })
        try check(#Predicate { $0.title.first == $0.subtitle?.first })
        try check(#Predicate { $0.title.contains(/[0-9]+/) })
    }

    @Test func capturedLists() throws {
        let titles = ["a", "\"q\"", "O'Hara", "日本", "crlf\r\n"], pages: Set = [1, 3], ratings = [0.1, 0.5, .infinity, .nan]
        let dates = [Samples.dates[2], Samples.dates[3]], identifiers = [Samples.identifiers[1]], copies = [1, nil, 5]
        let covers = [Samples.bytes[1], Samples.bytes[2]], shelves = [Shelf.fiction, .none],
            prices = [Decimal(10), Decimal(string: "0.1")!]
        let empty: [Int] = []
        try check(#Predicate { titles.contains($0.title) })
        try check(#Predicate { !titles.contains($0.title) })
        try check(#Predicate { pages.contains($0.pages) })
        try check(#Predicate { ratings.contains($0.rating) })
        try check(#Predicate { dates.contains($0.added) })
        try check(#Predicate { identifiers.contains($0.isbn) })
        try check(#Predicate { copies.contains($0.copies) })
        try check(#Predicate { !copies.contains($0.copies) })
        try check(#Predicate { shelves.contains($0.shelf) })
        try check(#Predicate { prices.contains($0.price) })
        try check(#Predicate { empty.contains($0.pages) })
        try check(#Predicate { if let cover = $0.cover { covers.contains(cover) } else { false } })
        try check(#Predicate { book in titles.contains { book.title.contains($0) } })
        try check(#Predicate { book in pages.allSatisfy { $0 <= book.pages } })
        try check(#Predicate { book in ratings.contains { $0 < book.rating } })
        try check(#Predicate { book in titles.filter { $0 == book.title }.count == 1 })
    }

    @Test func listsOfCompositeValues() throws {
        let sizes = [Size(height: 1, width: 0.5, unit: nil), library.books[3].details.size]
        try check(#Predicate { sizes.contains($0.details.size) })
        try check(#Predicate { book in sizes.contains { $0.height == book.pages } })
        try check(#Predicate { book in sizes.allSatisfy { $0.height >= book.pages } })
    }

    @Test func fortyThousandIdentifiers() throws {
        let references = (1...40_000).map { RowReference(entity: "Book", row: Int64($0 * 2)) }
        let pages = Array(-20_000...20_000)
        try check(#Predicate { references.contains($0.reference) })
        try check(#Predicate { pages.contains($0.pages) })
    }

    @Test func identifiers() throws {
        let book = library.books[3].reference, author = library.authors[0].reference
        let foreign = RowReference(entity: "Tag", row: 1), none: RowReference? = nil
        try check(#Predicate { $0.reference == book })
        try check(#Predicate { $0.reference != book })
        try check(#Predicate { $0.author?.reference == author })
        try check(#Predicate { $0.author?.reference != author })
        try check(#Predicate { $0.editor.reference == author })
        try check(#Predicate { $0.author?.reference == foreign })
        try check(#Predicate { $0.author?.reference == none })
        try check(#Predicate { $0.reference == foreign })
    }

    @Test func relationships() throws {
        let tag = library.tags[2].reference
        try check(#Predicate { $0.tags.isEmpty })
        try check(#Predicate { $0.tags.count > 1 })
        try check(#Predicate { $0.tags.contains { $0.label == "a" } })
        try check(#Predicate { $0.tags.contains { $0.reference == tag } })
        try check(#Predicate { $0.tags.allSatisfy { $0.weight < 1 } })
        try check(#Predicate { book in book.tags.contains { $0.label == book.title } })
        try check(#Predicate { $0.tags.filter { $0.weight > 0.2 }.count == 2 })
        try check(#Predicate { $0.tags.filter { $0.weight > 0.2 }.isEmpty })
        try check(#Predicate { $0.tags.filter { $0.weight > 0.2 }.contains { $0.label.isEmpty } })
        try check(#Predicate { $0.editor.books.count > 30 })
        try check(#Predicate { $0.author?.books.isEmpty == false })
        try check(#Predicate { $0.author?.books.count == nil })
        try check(#Predicate { $0.author?.books.contains { $0.isOpen } == true })
        try check(#Predicate { ($0.author?.books.count ?? 0) == 0 })
        try check(#Predicate { book in book.editor.books.contains { $0 == book } })
        try check(#Predicate { $0.tags.contains { $0.books.contains { $0.author?.mentor?.name == "a" } } })
        try check(#Predicate { book in book.tags.contains { $0.books.allSatisfy { $0.pages <= book.pages } } })
    }

    @Test func combinations() throws {
        let parts = [#Predicate<Book> { $0.pages > 1 }, #Predicate<Book> { $0.isOpen }, #Predicate<Book> { $0.author?.name == "a" }]
        try check(Predicate(all: parts))
        try check(Predicate(any: parts))
        try check(Predicate(all: []))
        try check(Predicate(any: []))
        try check(Predicate(any: [Predicate(all: Array(parts.prefix(2))), parts[2]]))
    }

    @Test func compositeValues() throws {
        let details = library.books[5].details, date = Samples.dates[1]
        try check(#Predicate { $0.details == details })
        try check(#Predicate { $0.details != details })
        try check(#Predicate { $0.oldDetails == details })
        try check(#Predicate { $0.oldDetails == nil })
        try check(#Predicate { $0.details.publisher == "a" })
        try check(#Predicate { $0.details.size.height > 2 })
        try check(#Predicate { $0.details.size.width == 0.1 })
        try check(#Predicate { $0.details.size.width > 1e300 })
        try check(#Predicate { $0.details.size.unit == nil })
        try check(#Predicate { $0.details.size.unit?.isEmpty == true })
        try check(#Predicate { $0.details.hardcover })
        try check(#Predicate { !$0.details.hardcover })
        try check(#Predicate { $0.details.printed == date })
        try check(#Predicate { $0.details.year % 2 == 0 })
        try check(#Predicate { $0.details.colours.contains("a") })
        try check(#Predicate { $0.details.colours.count == 2 })
        try check(#Predicate { $0.details.size.area > 1 })
        try check(#Predicate { $0.oldDetails?.size.height == 2 })
        try check(#Predicate { $0.oldDetails?.size.unit != "a" })
        try check(#Predicate { $0.oldDetails?.hardcover != true })
    }

    /// What a captured value holds is a constant, however deep it lies.
    @Test func propertiesOfCapturedValues() throws {
        let wanted = library.books[5].details, maybe: Details? = library.books[3].details, none: Details? = nil
        try check(#Predicate { $0.details.publisher == wanted.publisher })
        try check(#Predicate { $0.details.size.height >= wanted.size.height && $0.details.hardcover == wanted.hardcover })
        try check(#Predicate { $0.details.size.unit == wanted.size.unit })
        try check(#Predicate { $0.details.size.unit == maybe?.size.unit })
        try check(#Predicate { $0.oldDetails?.size.height == none?.size.height })
    }

    @Test func listsInColumns() throws {
        try check(#Predicate { $0.keywords.contains("a") })
        try check(#Predicate { $0.keywords.isEmpty })
        try check(#Predicate { $0.keywords.count > 1 })
        try check(#Predicate { $0.keywords.first == "a" })
        try check(#Predicate { $0.keywords.last == "a" })
        try check(#Predicate { $0.keywords.contains { $0.contains("a") } })
        try check(#Predicate { $0.keywords.allSatisfy { $0.count < 3 } })
        try check(#Predicate { $0.keywords == ["a"] })
        try check(#Predicate { $0.keywords.max() == "a" })
        try check(#Predicate { $0.marks?.max() == 5 })
        try check(#Predicate { $0.marks?.min() != 5 })
        try check(#Predicate { $0.marks?.contains(3) == true })
        try check(#Predicate { $0.marks?.contains(3) != true })
        try check(#Predicate { ($0.marks ?? []).isEmpty })
        try check(#Predicate { $0.marks?.filter { $0 > 2 }.count == 1 })
        try check(#Predicate { $0.keywords.count > 0 && $0.keywords[0] == "a" })
        try check(#Predicate { $0.keywords.count > 2 && $0.keywords[$0.keywords.count - 1] == "a" })
    }

    @Test func dictionariesInColumns() throws {
        try check(#Predicate { $0.counts["a"] == 1 })
        try check(#Predicate { $0.counts["a"] == nil })
        try check(#Predicate { $0.counts["b", default: 7] > 2 })
        try check(#Predicate { $0.counts[$0.title] != nil })
        try check(#Predicate { $0.counts.isEmpty })
        try check(#Predicate { $0.counts.count == 2 })
    }

    @Test func rawValuesAndTheirProperties() throws {
        try check(#Predicate { $0.shelf.rawValue == "SCIENCE" })
        try check(#Predicate { $0.oldShelf?.rawValue == "" })
        try check(#Predicate { $0.shelf.isRead })
        try check(#Predicate { $0.added.timeIntervalSinceReferenceDate > 0 })
    }
}
