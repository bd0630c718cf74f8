import Foundation
import StoreSQLite
import Testing

@testable import StoreModel

/// What the statements look like: stable texts, indexes used, Swift called only where SQL cannot do it.
@Suite struct QueryTextTests {
    private func sql(_ predicate: Predicate<Book>?, _ order: [SortDescriptor<Book>] = []) throws -> FetchStatement {
        try FetchTranslation(of: Library.book, in: Library.catalog, where: predicate, sortedBy: order).select()
    }

    @Test func theTextDoesNotDependOnCapturedValues() throws {
        func statement(_ title: String, _ copies: Int?, _ list: [Int]) throws -> FetchStatement {
            try sql(#Predicate { $0.title == title && $0.copies == copies && list.contains($0.pages) })
        }
        let first = try statement("a", 1, [1]), second = try statement("b", nil, Array(0..<1000))
        #expect(first.sql == second.sql)
        #expect(first.bindings != second.bindings)
    }

    @Test func aPropertyInACompositeValueIsReadUnderItsCodingKey() throws {
        let statement = try sql(#Predicate { $0.details.publisher == "a" && $0.details.size.height == 1 && $0.details.hardcover })
        #expect(statement.bindings.contains(.text("$.\"house\"")))
        #expect(statement.bindings.contains(.text("$.\"size\".\"height\"")))
        #expect(!statement.sql.contains("storekeeper_path"))
    }

    @Test func theSameRelationshipIsJoinedOnce() throws {
        let statement = try sql(#Predicate { $0.author?.name == "a" || $0.author?.age == 3 || $0.author?.mentor?.name == "b" })
        #expect(statement.sql.components(separatedBy: "JOIN").count == 3)
    }

    @Test func equalityUsesAnIndex() throws {
        let library = try Library()
        let title = "a", copies: Int? = 3, titles = ["a", "b"]
        for predicate in [
            #Predicate<Book> { $0.title == title }, #Predicate<Book> { $0.copies == copies },
            #Predicate<Book> { titles.contains($0.title) },
            #Predicate<Book> { $0.title < title }, #Predicate<Book> { $0.title.starts(with: title) },
        ] {
            let statement = try sql(predicate)
            let plan = try library.connection.rows("EXPLAIN QUERY PLAN " + statement.sql, statement.bindings)
            #expect(plan.contains { $0[3].text?.contains("SEARCH t0 USING") == true }, "\(plan)")
        }
    }

    @Test func bytesDecideAboutAPrefixOnlyWhereNoOtherCharacterEqualsThem() {
        #expect(PrefixBounds.of("ab") == (.text("ab"), .text("ac")))
        #expect(PrefixBounds.of("~") == (.text("~"), .text("\u{7F}")))
        // "\u{212A}", the Kelvin sign, starts with "K" for Swift.
        for prefix in ["", "K", "a;", "é", "a\r"] { #expect(PrefixBounds.of(prefix) == (.text(""), .blob([]))) }
    }
}
