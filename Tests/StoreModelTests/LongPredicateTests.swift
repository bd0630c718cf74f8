import Foundation
import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

private typealias P = PredicateExpressions
private typealias Condition = any StandardPredicateExpression<Bool>

private struct Point: Codable, Hashable {
    var x: Int
    var y: Int
    var sum: Int { x + y }
}

@Model private final class Spot {
    var number: Int
    var point: Point

    init(_ number: Int) {
        self.number = number
        point = Point(x: number, y: -number)
    }
}

private func or<A: StandardPredicateExpression<Bool>>(_ a: A, _ b: Condition) -> Condition {
    func or<B: StandardPredicateExpression<Bool>>(_ b: B) -> Condition { P.build_Disjunction(lhs: a, rhs: b) }
    return or(b)
}

private func and<A: StandardPredicateExpression<Bool>>(_ a: A, _ b: Condition) -> Condition {
    func and<B: StandardPredicateExpression<Bool>>(_ b: B) -> Condition { P.build_Conjunction(lhs: a, rhs: b) }
    return and(b)
}

/// Predicates of many parts, beside each other and in each other: SQLite's expressions are 1,000 deep at most, and its parser goes less deep.
@Suite struct LongPredicateTests {
    private let context: ModelContext

    init() throws {
        context = ModelContext(try ModelContainer(for: Spot.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        for number in 0..<20 { context.insert(Spot(number)) }
        try context.save()
    }

    private func found(_ predicate: Predicate<Spot>) throws -> [Int] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])).map(\.number)
    }

    private func equals(_ number: Int) -> Predicate<Spot> { #Predicate { $0.number == number } }
    private func differs(_ number: Int) -> Predicate<Spot> { #Predicate { $0.number != number } }
    /// Swift would stop at a division by zero.
    private func divides(_ number: Int) -> Predicate<Spot> { #Predicate { 100 / $0.number == number } }

    @Test func thousandsStandBesideEachOther() throws {
        #expect(try found(Predicate(any: (15..<5_015).map(equals))) == Array(15..<20))
        #expect(try found(Predicate(all: (3..<5_003).map(differs))) == [0, 1, 2])
        #expect(try found(Predicate(any: (50..<5_050).map(divides))) == [1, 2])
        // What refuses a row is looked at before what would accept it.
        #expect(try found(Predicate(all: (51..<5_051).map { value in #Predicate<Spot> { 100 / $0.number != value } })) == Array(2..<20))
    }

    @Test func thousandsAreAddedOneByOne() throws {
        let any = (16..<5_016).reduce(equals(15)) { Predicate(any: [$0, equals($1)]) }
        #expect(try found(any) == Array(15..<20))
        let all = (4..<2_004).reduce(differs(3)) { Predicate(all: [differs($1), $0]) }
        #expect(try found(all) == [0, 1, 2])
        #expect(try found(Predicate(any: [all, any])) == [0, 1, 2] + Array(15..<20))
    }

    @Test(arguments: [10, 200])
    func aChainOfOneExpressionIsAsLongAsItIs(count: Int) throws {
        func chain(_ join: (Condition, Condition) -> Condition, _ test: (Int) -> Predicate<Spot>) -> Predicate<Spot> {
            Predicate { variable in
                func part(_ number: Int) -> Condition {
                    P.build_Equal(
                        lhs: P.build_KeyPath(root: variable, keyPath: \.number), rhs: P.build_Arg(number))
                }
                return (16..<16 + count).reduce(part(15)) { join($0, part($1)) }
            }
        }
        #expect(try found(chain({ or($0, $1) }, equals)) == Array(15..<20))
        #expect(try found(chain({ and($0, $1) }, equals)) == [])
    }

    @Test func aListOfCompositeValuesIsAsLongAsItIs() throws {
        let points = (15..<1_515).map { Point(x: $0, y: -$0) }
        #expect(try found(#Predicate { points.contains($0.point) }) == Array(15..<20))
        #expect(try found(#Predicate { spot in points.contains { $0.x == spot.number } }) == Array(15..<20))
    }

    /// Each in the other, so that none can be put beside another.
    @Test(arguments: [40, 5_000])
    func whatIsTooDeepIsRefusedByName(depth: Int) throws {
        var predicate = equals(3)
        for level in 0..<depth {
            predicate = level % 2 == 0 ? Predicate(any: [predicate, equals(4)]) : Predicate(all: [predicate, differs(5)])
        }
        if depth < 100 {
            #expect(try found(predicate) == [3, 4])
        } else {
            #expect { try found(predicate) } throws: {
                $0 as? SwiftDataError == .unsupportedPredicate && "\($0)".contains("Spot") && "\($0)".contains("deep")
                    && "\($0)".utf8.count < 1_000
            }
        }
    }

    /// What SQLite meets on the way is told with the model: here a stored text that Swift computes with and cannot decode.
    @Test func whatSQLiteMeetsInAFetchIsNamed() throws {
        try context.core(for: Spot.self).openStorage().write(changing: []) {
            try $0.run("UPDATE Spot SET point = '{}' WHERE number = 3")
        }
        let fetch = FetchDescriptor<Spot>(predicate: #Predicate { $0.point.sum == 0 })
        #expect { try context.fetch(fetch) } throws: {
            $0 as? SwiftDataError == .modelValidationFailure && "\($0)".contains("Spot.point of row")
                && ($0 as? SwiftDataError)?.cause is SQLiteError
        }
        let long = SQLiteError(code: .error, message: "m", statement: String(repeating: "x", count: 100_000), path: "p")
        #expect("\(long)".utf8.count < 2_000 && long.statement?.utf8.count == 100_000)
    }
}
