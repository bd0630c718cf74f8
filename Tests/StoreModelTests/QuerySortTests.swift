import Foundation
import StoreSQLite
import Testing

@testable import StoreModel

/// Order, limit and offset against the same in Swift.
@Suite struct QuerySortTests {
    let library: Library

    init() throws {
        var generator = SeededGenerator(seed: 2)
        library = try Library.random(books: 150, using: &generator)
    }

    /// The rows in the order that Swift gives them; equal ones stay as they are.
    private func sorted(_ areInOrder: (Book, Book) -> ComparisonResult) -> [Int64] {
        library.books.enumerated().sorted { a, b in
            switch areInOrder(a.element, b.element) {
            case .orderedAscending: true
            case .orderedDescending: false
            case .orderedSame: a.offset < b.offset
            }
        }.map(\.element.row)
    }

    @Test func comparableValuesAsFoundationSortsThem() throws {
        for descriptor in [
            SortDescriptor(\Book.pages), SortDescriptor(\Book.pages, order: .reverse), SortDescriptor(\Book.copies),
            SortDescriptor(\Book.copies, order: .reverse), SortDescriptor(\Book.rating), SortDescriptor(\Book.discount, order: .reverse),
            SortDescriptor(\Book.added), SortDescriptor(\Book.lent), SortDescriptor(\Book.isbn), SortDescriptor(\Book.price),
            SortDescriptor(\Book.price, order: .reverse), SortDescriptor(\Book.weight),
        ] {
            #expect(try library.rows(nil, sortedBy: [descriptor]) == sorted { descriptor.compare($0, $1) })
        }
    }

    @Test func textsInStandardOrder() throws {
        #expect(try library.rows(nil, sortedBy: [SortDescriptor(\Book.title)]) == sorted { $0.title.localizedStandardCompare($1.title) })
        #expect(
            try library.rows(nil, sortedBy: [SortDescriptor(\Book.title, order: .reverse)])
                == sorted { $1.title.localizedStandardCompare($0.title) })
    }

    /// Pairs over small alphabets, where ties and near ties are frequent.
    @Test func plainTextsCompareAsFoundationComparesThem() {
        var random = SeededGenerator(seed: UInt64.random(in: 0...9_999_999))
        let printable = String(decoding: 0x20...0x7E as ClosedRange<UInt8>, as: UTF8.self)
        for alphabet in ["aA1", "01aA", "01 .", "ab AB-_.0129$", printable, "aé1", "a\u{301}A\0", "ä\u{200D}a\n"].map({ Array($0) }) {
            func text() -> String {
                String((0..<Int.random(in: 0...8, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
            }
            for _ in 0..<3000 {
                let (a, b) = (text(), text())
                let order = Array(a.utf8).withUnsafeBytes { a in Array(b.utf8).withUnsafeBytes { StandardOrder.compare(a, $0) } }
                #expect(order == a.localizedStandardCompare(b).rawValue, "\(a.debugDescription) \(b.debugDescription)")
            }
        }
    }

    @Test func missingTextsComeFirst() throws {
        let rows = try library.rows(nil, sortedBy: [SortDescriptor(\Book.subtitle)])
        let missing = library.books.filter { $0.subtitle == nil }.map(\.row)
        #expect(Array(rows.prefix(missing.count)) == missing)
    }

    @Test func textsInLexicalOrderWhenAsked() throws {
        let rows = try library.rows(nil, sortedBy: [SortDescriptor(\Book.title, comparator: .lexical)])
        #expect(
            rows
                == sorted {
                    $0.title.utf8.lexicographicallyPrecedes($1.title.utf8)
                        ? .orderedAscending : $0.title == $1.title ? .orderedSame : .orderedDescending
                })
    }

    @Test func severalDescriptorsAndIdentifiers() throws {
        let descriptors = [SortDescriptor(\Book.pages), SortDescriptor(\Book.copies, order: .reverse)]
        let expected = sorted { a, b in
            let first = descriptors[0].compare(a, b)
            return first == .orderedSame ? descriptors[1].compare(a, b) : first
        }
        #expect(try library.rows(nil, sortedBy: descriptors) == expected)
        #expect(try library.rows(nil, sortedBy: [SortDescriptor(\Book.reference, order: .reverse)]) == library.books.map(\.row).reversed())
    }

    @Test func limitAndOffset() throws {
        let all = library.books.map(\.row), order = [SortDescriptor(\Book.reference)]
        #expect(try library.rows(nil, sortedBy: order, limit: 5) == Array(all.prefix(5)))
        #expect(try library.rows(nil, sortedBy: order, limit: 5, offset: 7) == Array(all[7..<12]))
        #expect(try library.rows(nil, sortedBy: order, offset: 140) == Array(all[140...]))
        #expect(try library.rows(nil, sortedBy: order, limit: 0).isEmpty)
        #expect(try library.rows(nil, limit: 5, offset: 7) == Array(all[7..<12]))
        #expect(try library.count(nil, limit: 5, offset: 148) == 2)
        #expect(try library.count(nil, offset: 200) == 0)
        #expect(try library.count(nil, limit: 0) == 0)
    }

    @Test func whatHasNoOrderIsNamed() throws {
        let error = #expect(throws: QueryError.self) { try library.rows(nil, sortedBy: [SortDescriptor(\Book.computed)]) }
        #expect(error?.kind == .unsupportedSortDescriptor)
        #expect(error?.explanation.contains("Book cannot be sorted by") == true)
    }
}

extension RowReference: Comparable {
    static func < (a: RowReference, b: RowReference) -> Bool { a.row < b.row }
}
