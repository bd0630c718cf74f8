import Foundation

/// A generator of random numbers that gives the same ones for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// Values from which both rows and predicates are made, so that they meet.
enum Samples {
    static let texts = [
        "", "a", "A", "ab", "100%", "a_b", "file10", "file9", "Äpfel", "été", "e", "🇩🇪🇫🇷", "line\nend", "crlf\r\n", "O'Hara", "\"q\"", "日本",
        "\u{E1}b",
    ]
    static let integers = [-7, -1, 0, 1, 2, 3, 5, 10, 1000]
    static let reals = [-2.5, -1.0, 0.0, 0.1, 0.5, 1.0, 3.25, 1e18, Double.infinity]
    static let dates = [-1.5, 0, 0.1, 86_400, 1e9].map { Date(timeIntervalSinceReferenceDate: $0) }
    static let decimals = ["0", "0.1", "9", "10", "-3.50", "100"].map { Decimal(string: $0)! }
    static let identifiers = [
        UUID(uuidString: "00000000-0000-0000-0000-000000000001")!, UUID(uuidString: "A0000000-0000-0000-0000-0000000000FF")!,
        UUID(uuidString: "0F000000-0000-0000-0000-000000000000")!,
    ]
    static let bytes = [Data(), Data([0]), Data([0, 255, 1]), Data("abc".utf8)]
    static let pages = ["https://a.example/x?y=1", "file:///tmp/a%20b"].map { URL(string: $0)! }
    static let sizes = [
        Size(height: 1, width: 0.5, unit: nil), Size(height: 3, width: 0, unit: "a"), Size(height: 1000, width: -1, unit: ""),
    ]
    static let references =
        (1...7).map { RowReference(entity: "Book", row: $0 * 5) } + [1, 2].map { RowReference(entity: "Author", row: $0) }
    static let floats: [Float] = [0, 0.1, -1.5, 2, 16_777_216]
}

extension Library {
    /// A random graph.
    static func random(books count: Int, using generator: inout SeededGenerator) throws -> Library {
        let library = try Library()
        func maybe<T>(_ value: T) -> T? { Bool.random(using: &generator) ? value : nil }
        for row in 1...5 {
            library.authors.append(
                Author(
                    row: Int64(row), name: Samples.texts.randomElement(using: &generator)!,
                    age: maybe(Samples.integers.randomElement(using: &generator)!),
                    alive: Bool.random(using: &generator)))
        }
        for author in library.authors { author.mentor = maybe(library.authors.randomElement(using: &generator)!) }
        for row in 1...6 {
            library.tags.append(
                Tag(
                    row: Int64(row), label: Samples.texts.randomElement(using: &generator)!,
                    weight: Samples.reals.randomElement(using: &generator)!))
        }
        for row in 1...count {
            let book = Book(row: Int64(row), editor: library.authors.randomElement(using: &generator)!)
            book.title = Samples.texts.randomElement(using: &generator)!
            book.subtitle = maybe(Samples.texts.randomElement(using: &generator)!)
            book.pages = Samples.integers.randomElement(using: &generator)!
            book.copies = maybe(Samples.integers.randomElement(using: &generator)!)
            book.rating = Samples.reals.randomElement(using: &generator)!
            book.discount = maybe(Samples.reals.randomElement(using: &generator)!)
            book.price = Samples.decimals.randomElement(using: &generator)!
            book.added = Samples.dates.randomElement(using: &generator)!
            book.lent = maybe(Samples.dates.randomElement(using: &generator)!)
            book.isbn = Samples.identifiers.randomElement(using: &generator)!
            book.cover = maybe(Samples.bytes.randomElement(using: &generator)!)
            book.page = maybe(Samples.pages.randomElement(using: &generator)!)
            book.isOpen = Bool.random(using: &generator)
            book.isSigned = maybe(Bool.random(using: &generator))
            book.shelf = Shelf.allCases.randomElement(using: &generator)!
            book.oldShelf = maybe(Shelf.allCases.randomElement(using: &generator)!)
            book.details = randomDetails(using: &generator)
            book.oldDetails = maybe(randomDetails(using: &generator))
            book.keywords = randomList(Samples.texts, using: &generator)
            book.marks = maybe(randomList(Samples.integers, using: &generator))
            for text in randomList(Samples.texts, using: &generator) {
                book.counts[text] = Samples.integers.randomElement(using: &generator)!
            }
            book.weight = Samples.floats.randomElement(using: &generator)!
            book.author = maybe(library.authors.randomElement(using: &generator)!)
            book.author?.books.append(book)
            book.tags = library.tags.filter { _ in Bool.random(using: &generator) && Bool.random(using: &generator) }
            for tag in book.tags { tag.books.append(book) }
            library.books.append(book)
        }
        try library.store()
        return library
    }

    private static func randomList<T>(_ values: [T], using generator: inout SeededGenerator) -> [T] {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in values.randomElement(using: &generator)! }
    }

    private static func randomDetails(using generator: inout SeededGenerator) -> Details {
        Details(
            publisher: Samples.texts.randomElement(using: &generator)!,
            size: Size(
                height: Samples.integers.randomElement(using: &generator)!, width: Samples.reals.randomElement(using: &generator)!,
                unit: Bool.random(using: &generator) ? Samples.texts.randomElement(using: &generator)! : nil),
            printed: Bool.random(using: &generator) ? Samples.dates.randomElement(using: &generator)! : nil,
            colours: randomList(Samples.texts, using: &generator), hardcover: Bool.random(using: &generator),
            year: Samples.integers.randomElement(using: &generator)!)
    }
}
