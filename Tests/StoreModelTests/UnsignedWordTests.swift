import Foundation
import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

private enum Quota: UInt64, Codable { case none = 0, most = 0xFFFF_FFFF_FFFF_FFFF }

private struct Bounds: Codable, Hashable {
    var top: UInt64
    var word: UInt?
    var list: [UInt64]
    var names: [String: UInt64]
    var quota: Quota
}

@Model private final class Tally {
    var number: Int
    var big: UInt64
    var maybe: UInt64?
    var word: UInt
    var quota: Quota?
    var bounds: Bounds
    var list: [UInt64]
    var set: Set<UInt64>

    init(_ number: Int, _ big: UInt64, _ maybe: UInt64?, _ free: UInt64) {
        self.number = number
        (self.big, self.maybe, word) = (big, maybe, UInt(big))
        bounds = Bounds(top: free, word: UInt(free), list: [free, 1], names: ["a": free], quota: free > 5 ? .most : .none)
        (list, set) = ([free, big], [free])
    }
}

/// Integers above `Int64.max`, which SQLite has none of: captured, pending, in JSON, and as results. SQL finds what Swift's evaluation finds.
@Suite struct UnsignedWordTests {
    private static let edge = UInt64(Int64.max)
    private static let stored: [UInt64] = [0, 1, 7, edge - 1, edge]
    private static let all: [UInt64] = stored + [edge + 1, edge + 2, .max - 1, .max]

    private let context: ModelContext

    init() throws {
        context = ModelContext(try ModelContainer(for: Tally.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }

    private func check(_ predicate: Predicate<Tally>, _ note: String = "", location: SourceLocation = #_sourceLocation) throws {
        let expected = try context.fetch(FetchDescriptor<Tally>()).filter { try predicate.evaluate($0) }.map(\.number).sorted()
        let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number).sorted()
        #expect(found == expected, "\(note) \(predicate.expression)", sourceLocation: location)
    }

    private func fill(pending: Bool) throws {
        var number = 0
        for (index, big) in Self.stored.enumerated() {
            for free in Self.all {
                number += 1
                context.insert(Tally(number, big, index % 2 == 0 ? nil : big, free))
            }
        }
        try context.save()
        guard pending else { return }
        for big in Self.all {
            number += 1
            context.insert(Tally(number, big, big, big))
        }
    }

    @Test(arguments: [false, true])
    func aCapturedValueThatNoColumnHoldsIsCompared(pending: Bool) throws {
        try fill(pending: pending)
        for value in Self.all {
            let word = UInt(value), maybe: UInt64? = value, most = UInt64.max
            let note = "\(value), pending \(pending)"
            try check(#Predicate { $0.big < value }, note)
            try check(#Predicate { $0.big <= value }, note)
            try check(#Predicate { value < $0.big }, note)
            try check(#Predicate { $0.big >= value }, note)
            try check(#Predicate { $0.big == value }, note)
            try check(#Predicate { $0.big != value }, note)
            try check(#Predicate { $0.maybe == maybe }, note)
            try check(#Predicate { $0.maybe != maybe }, note)
            try check(#Predicate { $0.word > word }, note)
            try check(#Predicate { ($0.maybe ?? value) > 7 }, note)
            try check(#Predicate { ($0.maybe ?? most) > value }, note)
            try check(#Predicate { ($0.number > 3 ? $0.big : value) == value }, note)
            for other in Self.all where other >= value {
                try check(#Predicate { (value...other).contains($0.big) }, note)
                try check(#Predicate { (value..<other).contains($0.bounds.top) }, note)
                let list = [value, other, 7], optionals: [UInt64?] = [value, nil], set: Set = [other]
                try check(#Predicate { list.contains($0.big) }, note)
                try check(#Predicate { list.contains($0.maybe ?? other) }, note)
                try check(#Predicate { optionals.contains($0.maybe) }, note)
                try check(#Predicate { set.contains($0.bounds.top) }, note)
                try check(#Predicate { list.contains { $0 == other } && $0.big > 0 }, note)
                try check(#Predicate { tally in list.contains { $0 == tally.bounds.top } }, note)
            }
        }
        let quota: Quota? = .most
        try check(#Predicate { $0.quota == quota })
        try check(#Predicate { $0.quota != quota })
    }

    @Test(arguments: [false, true])
    func aPartOfACodableValueIsComparedExactly(pending: Bool) throws {
        try fill(pending: pending)
        let quota = Quota.most
        for value in Self.all {
            let word: UInt? = UInt(value), maybe: UInt64? = value
            let note = "\(value), pending \(pending)"
            try check(#Predicate { $0.bounds.top < value }, note)
            try check(#Predicate { $0.bounds.top == value }, note)
            try check(#Predicate { $0.bounds.word == word }, note)
            try check(#Predicate { $0.bounds.list.contains(value) }, note)
            try check(#Predicate { $0.bounds.list.contains { $0 > value } }, note)
            try check(#Predicate { $0.bounds.list.first == maybe }, note)
            try check(#Predicate { $0.bounds.names["a"] == maybe }, note)
            try check(#Predicate { $0.bounds.names["b", default: value] >= value }, note)
            try check(#Predicate { $0.list[0] > value }, note)
            try check(#Predicate { $0.list.allSatisfy { $0 <= value } }, note)
            try check(#Predicate { $0.list.max() == maybe }, note)
            try check(#Predicate { $0.set.contains(value) }, note)
            try check(#Predicate { $0.bounds.top > $0.big }, note)
            try check(#Predicate { $0.bounds.quota == quota }, note)
        }
    }

    @Test func aPartIsSortedByExactly() throws {
        try fill(pending: false)
        let sorted = try context.fetch(FetchDescriptor<Tally>(sortBy: [SortDescriptor(\.bounds.top), SortDescriptor(\.number)]))
        let expected = sorted.sorted { ($0.bounds.top, $0.number) < ($1.bounds.top, $1.number) }
        #expect(sorted.map(\.number) == expected.map(\.number))
        let reversed = try context.fetch(FetchDescriptor<Tally>(sortBy: [SortDescriptor(\.bounds.word, order: .reverse)]))
        #expect(reversed.map(\.bounds.top) == expected.map(\.bounds.top).reversed())
    }

    /// A result that `UInt64` holds counts, whether SQLite has it or not; another one refuses the row.
    @Test func arithmeticGoesAsFarAsTheType() throws {
        try fill(pending: false)
        func rows(_ predicate: Predicate<Tally>) throws -> Set<Int> {
            Set(try context.fetch(FetchDescriptor(predicate: predicate)).map(\.number))
        }
        let models = try context.fetch(FetchDescriptor<Tally>())
        func expected(_ test: (Tally) -> Bool) -> Set<Int> { Set(models.filter(test).map(\.number)) }
        for value in Self.all where value > 0 {
            #expect(
                try rows(#Predicate { $0.big + value > 5 })
                    == expected { !$0.big.addingReportingOverflow(value).overflow && $0.big + value > 5 })
            #expect(
                try rows(#Predicate { !(value - $0.bounds.top > 5) })
                    == expected { !value.subtractingReportingOverflow($0.bounds.top).overflow && value - $0.bounds.top <= 5 })
            #expect(
                try rows(#Predicate { $0.bounds.top * 2 >= value })
                    == expected { !$0.bounds.top.multipliedReportingOverflow(by: 2).overflow && $0.bounds.top * 2 >= value })
            #expect(try rows(#Predicate { $0.bounds.top / value == 1 }) == expected { $0.bounds.top / value == 1 })
            #expect(try rows(#Predicate { $0.bounds.top % value == 1 }) == expected { $0.bounds.top % value == 1 })
            #expect(
                try rows(#Predicate { value / $0.bounds.top >= 1 }) == expected { $0.bounds.top > 0 && value / $0.bounds.top >= 1 })
        }
    }

    /// What no column holds is refused by the save, as before.
    @Test func aColumnHoldsNone() throws {
        context.insert(Tally(1, .max, nil, 1))
        #expect { try context.save() } throws: { "\($0)".contains("Tally.big") }
    }

    /// The next fetch of the same shape has another value, in range and out of it.
    @Test func aTranslationThatIsKeptTakesEither() throws {
        try fill(pending: false)
        let count = try context.fetchCount(FetchDescriptor<Tally>())
        var found: [Int] = []
        for value in [UInt64.max, 1, .max, 8] {
            found.append(try context.fetchCount(FetchDescriptor<Tally>(predicate: #Predicate { $0.big < value })))
        }
        #expect(found == [count, count / 5, count, count / 5 * 3])
        #expect(context.core(for: Tally.self).layout.translations.count == 2)
    }
}
