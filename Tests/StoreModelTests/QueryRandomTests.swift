import Foundation
import StoreModel
import StoreSQLite
import Testing

/// Random predicates over random graphs: SQL finds the rows that Swift's evaluation finds.
///
/// `STORE_SEED` and `STORE_ROUNDS` in the environment repeat a run or make it longer.
@Suite struct QueryRandomTests {
    @Test func theRowsOfRandomPredicatesAreThoseOfTheirEvaluation() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["STORE_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9_999_999)
        let rounds = environment["STORE_ROUNDS"].flatMap { Int($0) } ?? 400
        print("STORE_SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        var library = try Library.random(books: 60, using: &random)
        for round in 0..<rounds {
            if round % 50 == 49 { library = try Library.random(books: 60, using: &random) }
            let predicate = QueryGenerator.predicate(depth: Int.random(in: 0...4, using: &random), using: &random)
            let statement = try FetchTranslation(of: Library.book, in: Library.catalog, where: predicate).select()
            #expect(
                try library.rows(predicate) == library.evaluated(predicate),
                "seed \(seed), round \(round): \(predicate)\n\(statement.sql)\n\(statement.bindings)")
        }
    }
}
