import Foundation
import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

private struct Figures: Codable, Hashable {
    var first: Double?
    var second: Double?
    var plain: Double
    var list: [Double]
    var gaps: [Double?]
    var names: [String?]
}

@Model private final class Chart {
    var number: Int
    var ratio: Double
    var maybe: Double?
    var figures: Figures
    var other: Figures?

    init(_ number: Int, maybe: Double?, _ figures: Figures, other: Figures?) {
        (self.number, ratio) = (number, Double(number))
        (self.maybe, self.figures, self.other) = (maybe, figures, other)
    }
}

/// Where `nil`, a not-a-number and what is not there meet: SQL has one NULL for them, and finds what Swift's evaluation finds.
@Suite struct QueryEdgeTests {
    private let context: ModelContext

    init() throws {
        context = ModelContext(try ModelContainer(for: Chart.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let values: [Double?] = [nil, .nan, 0, 2]
        var number = 0
        for first in values {
            for second in values {
                number += 1
                let figures = Figures(
                    first: first, second: second, plain: first ?? 1, list: first.map { [$0, 3] } ?? [],
                    gaps: number % 3 == 0 ? [] : [first, second],
                    names: number % 3 == 0 ? [] : [number % 2 == 0 ? nil : "a"])
                context.insert(
                    Chart(number, maybe: second.flatMap { $0.isNaN ? nil : $0 }, figures, other: number % 4 == 0 ? nil : figures))
            }
        }
        try context.save()
    }

    private func check(_ predicate: Predicate<Chart>, location: SourceLocation = #_sourceLocation) throws {
        let expected = try context.fetch(FetchDescriptor<Chart>()).filter { try predicate.evaluate($0) }.map(\.number).sorted()
        let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number).sorted()
        #expect(found == expected, "\(predicate.expression)", sourceLocation: location)
    }

    @Test func twoThatAreNullAreEqualOnlyWhereNeitherIsThere() throws {
        try check(#Predicate { $0.figures.first == $0.figures.second })
        try check(#Predicate { $0.figures.first != $0.figures.second })
        try check(#Predicate { !($0.figures.first == $0.figures.second) })
        try check(#Predicate { $0.figures.first == $0.maybe })
        try check(#Predicate { $0.maybe != $0.figures.first })
        try check(#Predicate { $0.figures.first == nil })
        try check(#Predicate { $0.figures.first != nil })
        try check(#Predicate { $0.other?.first == nil })
        try check(#Predicate { $0.other?.plain == nil })
        try check(#Predicate { $0.other?.plain == $0.figures.first })
        try check(#Predicate { $0.other?.first != $0.figures.second })
        try check(#Predicate { $0.figures.plain == $0.figures.plain })
        try check(#Predicate { ($0.figures.first ?? 7) > 1 })
        try check(#Predicate { ($0.figures.first ?? 7) == ($0.figures.second ?? 7) })
    }

    @Test func theFirstOfAListIsNilOnlyWhereThereIsNone() throws {
        try check(#Predicate { $0.figures.list.first == nil })
        try check(#Predicate { $0.figures.list.first != nil })
        try check(#Predicate { $0.figures.gaps.first == nil })
        try check(#Predicate { $0.figures.names.first == nil })
        try check(#Predicate { $0.figures.names.first != nil })
        try check(#Predicate { $0.figures.list.first == $0.figures.first })
        try check(#Predicate { $0.other?.list.first == nil })
        let two: Double? = 2, name: String? = "a"
        try check(#Predicate { $0.figures.list.first == two })
        try check(#Predicate { $0.figures.names.contains(name) })
    }

    @Test func aCapturedNotANumberIsEqualToNothing() throws {
        let odd = Double.nan, maybe: Double? = .nan, none: Double? = nil, list = [Double.nan, 2], gaps: [Double?] = [.nan, nil]
        try check(#Predicate { $0.ratio < odd })
        try check(#Predicate { !($0.ratio < odd) })
        try check(#Predicate { $0.ratio == odd })
        try check(#Predicate { $0.ratio != odd })
        try check(#Predicate { $0.maybe == maybe })
        try check(#Predicate { $0.maybe != maybe })
        try check(#Predicate { $0.figures.first == maybe })
        try check(#Predicate { $0.figures.first != none })
        try check(#Predicate { $0.figures.list.contains(odd) })
        try check(#Predicate { $0.figures.gaps.contains(maybe) })
        try check(#Predicate { $0.figures.gaps.contains(none) })
        try check(#Predicate { list.contains($0.ratio) })
        try check(#Predicate { gaps.contains($0.maybe) })
        try check(#Predicate { gaps.contains($0.figures.first) })
        try check(#Predicate { list.contains($0.figures.plain) })
        try check(#Predicate { ($0.maybe ?? odd) >= 0 })
        try check(#Predicate { ($0.number > 4 ? odd : $0.ratio) == $0.ratio })
    }

    /// A forced unwrap is looked at where its branch is taken.
    @Test func aForcedUnwrapInABranchIsLookedAtWhereItIsTaken() throws {
        try check(#Predicate { ($0.maybe != nil ? $0.maybe! : -1) < 1 })
        try check(#Predicate { $0.maybe == nil ? true : $0.maybe! > 1 })
        try check(#Predicate { ($0.other == nil ? 5 : $0.other!.plain) > 1 })
        try check(#Predicate { !($0.maybe == nil || $0.maybe! > 1) })
        // Where it is taken, Swift would stop: the row does not match, and no error comes of it.
        let found = try context.fetchCount(FetchDescriptor<Chart>(predicate: #Predicate { ($0.number > 0 ? $0.maybe! : -1) < 100 }))
        #expect(found == 8)
    }
}
