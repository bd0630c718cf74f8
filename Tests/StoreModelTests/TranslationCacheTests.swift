import Foundation
import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

/// The next fetch of the same shape takes the SQL of the one before, with its own values.
@Suite struct TranslationCacheTests {
    private func statement(
        _ predicate: Predicate<Book>?, _ cache: TranslationCache, sort: [SortDescriptor<Book>] = [], limit: Int? = nil, offset: Int? = nil
    ) throws -> FetchStatement {
        try cache.statement(
            .numbers, of: Library.book, in: Library.catalog, where: predicate, sortedBy: sort, limit: limit, offset: offset, store: nil)
    }

    private func fresh(
        _ predicate: Predicate<Book>?, sort: [SortDescriptor<Book>] = [], limit: Int? = nil, offset: Int? = nil
    ) throws -> FetchStatement {
        try statement(predicate, TranslationCache(), sort: sort, limit: limit, offset: offset)
    }

    /// Each of random predicates twice, with other values: what the cache gives is what a translation gives.
    @Test func whatIsFoundInTheCacheIsWhatATranslationGives() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["STORE_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9_999_999)
        let rounds = environment["STORE_ROUNDS"].flatMap { Int($0) } ?? 1000
        print("STORE_SEED=\(seed)")
        var random = SeededGenerator(seed: seed), values = SeededGenerator(seed: seed &+ 1)
        let cache = TranslationCache()
        var hits = 0
        for round in 0..<rounds {
            let depth = Int.random(in: 0...4, using: &random)
            var again = random
            _ = try statement(QueryGenerator.predicate(depth: depth, using: &random, values: &values), cache)
            let second = QueryGenerator.predicate(depth: depth, using: &again, values: &values)
            let before = cache.count
            let found = try statement(second, cache)
            if cache.count == before { hits += 1 }
            let expected = try fresh(second)
            #expect(
                found.sql == expected.sql && found.bindings.map(Self.bits) == expected.bindings.map(Self.bits),
                "seed \(seed), round \(round): \(second)")
        }
        #expect(hits > rounds / 4)
    }

    /// Doubles by their bits: the values of both statements are the same ones.
    private static func bits(_ value: Value) -> String {
        if case .real(let real) = value { "\(real.bitPattern)" } else { "\(value)" }
    }

    @Test func aCapturedNilIsAnotherShape() throws {
        let cache = TranslationCache()
        for copies in [3, nil, 4, nil] as [Int?] {
            let predicate = #Predicate<Book> { $0.copies == copies }
            #expect(try statement(predicate, cache) == fresh(predicate))
        }
        #expect(cache.count == 2)
    }

    @Test func aListOfAnotherLengthIsTheSameShape() throws {
        let cache = TranslationCache()
        for count in [0, 1, 700, 3] {
            let pages = Array(0..<count)
            let predicate = #Predicate<Book> { pages.contains($0.pages) }
            #expect(try statement(predicate, cache) == fresh(predicate))
        }
        #expect(cache.count == 1)
    }

    @Test func aListWithANilIsTranslatedAnew() throws {
        let cache = TranslationCache()
        for copies in [[1, nil], [1], [nil], []] as [[Int?]] {
            let predicate = #Predicate<Book> { copies.contains($0.copies) }
            #expect(try statement(predicate, cache) == fresh(predicate))
        }
        #expect(cache.count == 0)
    }

    @Test func theWindowIsAValueToo() throws {
        let cache = TranslationCache()
        for (limit, offset) in [(1, nil), (5, nil), (-1, nil), (nil, 3), (2, 4), (7, 9), (nil, nil), (3, 0)] as [(Int?, Int?)] {
            let predicate = #Predicate<Book> { $0.pages > 3 }
            #expect(
                try statement(predicate, cache, limit: limit, offset: offset) == fresh(predicate, limit: limit, offset: offset))
        }
        #expect(cache.count == 4)
    }

    @Test func eachSortIsAShapeOfItsOwn() throws {
        let cache = TranslationCache()
        let orders: [[SortDescriptor<Book>]] = [
            [], [SortDescriptor(\.title)], [SortDescriptor(\.title, order: .reverse)], [SortDescriptor(\.title, comparator: .lexical)],
            [SortDescriptor(\.pages), SortDescriptor(\.title)],
        ]
        for order in orders + orders { #expect(try statement(nil, cache, sort: order) == fresh(nil, sort: order)) }
        #expect(cache.count == orders.count)
    }

    @Test func whichVariableIsMeantIsPartOfTheShape() throws {
        let cache = TranslationCache()
        // The same types and key paths, and another row each time.
        func nested(_ innermost: Bool) -> Predicate<Author> {
            innermost
                ? #Predicate { a in a.books.contains { b in a.books.contains { c in c.pages == 1 } } }
                : #Predicate { a in a.books.contains { b in a.books.contains { c in b.pages == 1 } } }
        }
        for predicate in [nested(true), nested(false)] {
            func statement(_ cache: TranslationCache) throws -> FetchStatement {
                try cache.statement(
                    .count, of: Library.author, in: Library.catalog, where: predicate, sortedBy: [], limit: nil, offset: nil, store: nil)
            }
            #expect(try statement(cache) == statement(TranslationCache()))
        }
        #expect(cache.count == 2)
    }

    @Test func theCacheIsBounded() throws {
        let cache = TranslationCache()
        for number in 0..<1000 {
            let keyPath: any KeyPath<Book, Int> & Sendable = \Book.pages
            var predicate = Predicate<Book> {
                PredicateExpressions.build_Equal(
                    lhs: PredicateExpressions.build_KeyPath(root: $0, keyPath: keyPath), rhs: PredicateExpressions.build_Arg(number))
            }
            for _ in 0..<number % 9 { predicate = Predicate(all: [predicate, predicate]) }
            if number % 9 < 4 { _ = try statement(predicate, cache) }
        }
        #expect((1...256).contains(cache.count))
    }

    /// The whole way: 50 fetches of one place in the program translate once and prepare one statement.
    @Test func fetchesOfOnePlacePrepareOneStatement() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        for number in 0..<50 { context.insert(Note(title: "\(number)")) }
        try context.save()
        let reading = ModelContext(container)
        func find(_ title: String) throws -> [String] {
            try reading.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.title == title })).map(\.title)
        }
        #expect(try find("0") == ["0"])
        let (prepared, shapes) = (container.statementCounts.prepared, container.stores[0].layout.translations.count)
        for number in 1..<50 { #expect(try find("\(number)") == ["\(number)"]) }
        #expect(container.statementCounts.prepared == prepared && container.stores[0].layout.translations.count == shapes)
    }
}
