import Foundation
import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

/// What Swift would stop at refuses the row: stored or pending, plain or under a negation.
@Suite struct RefusalTests {
    private let context: ModelContext

    init() throws {
        context = ModelContext(try ModelContainer(for: Sample.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }

    private func insert(_ a: Int, _ change: (Sample) -> Void) {
        let sample = Sample(a: a)
        context.insert(sample)
        change(sample)
    }

    /// The rows before the save and after it, which are the same.
    private func found(_ predicate: Predicate<Sample>) throws -> [Int] {
        try context.fetch(FetchDescriptor(predicate: predicate)).map(\.b).sorted()
    }

    @Test func overflowRefusesTheRow() throws {
        for (b, a) in [(1, Int.max), (2, 5), (3, Int.min)] { insert(a) { $0.b = b } }
        insert(0) {
            $0.b = 4; $0.small = 127
        }
        for _ in 0..<2 {
            #expect(try found(#Predicate { $0.a + 1 > 0 }) == [2, 4])
            #expect(try found(#Predicate { !($0.a + 1 > 0) }) == [3])
            #expect(try found(#Predicate { $0.a * 2 > 1 }) == [2])
            #expect(try found(#Predicate { !(-$0.a > 0) }) == [1, 2, 4])
            #expect(try found(#Predicate { $0.a / -1 < 1 || $0.b == 3 }) == [1, 2, 4])
            #expect(try found(#Predicate { $0.a % -1 == 0 }) == [1, 2, 4])
            #expect(try found(#Predicate { $0.small + 1 > 0 }) == [1, 2, 3])
            #expect(try found(#Predicate { $0.small - 127 - 5 < 0 }) == [4])
            try context.save()
        }
    }

    @Test func whatIsNotThereRefusesTheRow() throws {
        insert(0) { $0.b = 1 }
        insert(2) {
            $0.b = 2; $0.list = [1, 7]; $0.note = "x"
        }
        insert(4) {
            $0.b = 3; $0.list = [1, 5]; $0.note = "yy"; $0.holder = Holder(name: "h", rank: 3)
        }
        for _ in 0..<2 {
            #expect(try found(#Predicate { 10 / $0.a > 3 }) == [2])
            #expect(try found(#Predicate { !(10 / $0.a > 3) }) == [3])
            #expect(try found(#Predicate { 10 / $0.a != 3 }) == [2, 3])
            #expect(try found(#Predicate { 10 % $0.a == 0 || $0.b == 1 }) == [2])
            #expect(try found(#Predicate { $0.b == 1 || 10 % $0.a == 0 }) == [1, 2])
            #expect(try found(#Predicate { $0.list[1] != 5 }) == [2])
            #expect(try found(#Predicate { !($0.list[$0.b - 2] == 7) }) == [2, 3])
            #expect(try found(#Predicate { $0.note! != "x" }) == [3])
            #expect(try found(#Predicate { !($0.note!.count == 1) }) == [3])
            #expect(try found(#Predicate { $0.note != nil && $0.note! != "x" }) == [3])
            #expect(try found(#Predicate { $0.note == nil || $0.note! == "x" }) == [1, 2])
            #expect(try found(#Predicate { $0.holder!.rank != 1 }) == [3])
            #expect(try found(#Predicate { !($0.holder!.samples.count == 2) }) == [3])
            #expect(try found(#Predicate { !$0.list.contains { 10 / ($0 - 7) > 3 } }) == [1, 3])
            #expect(try found(#Predicate { ($0.a...3).contains(2) }) == [1, 2])
            #expect(try found(#Predicate { !($0.a...3).contains(2) }) == [])
            try context.save()
        }
        try context.delete(model: Sample.self, where: #Predicate { 10 / $0.a > 3 })
        #expect(try found(#Predicate { _ in true }) == [1, 3])
    }

    /// What cannot refuse the row is asked as before, of indexes, also beside what can.
    @Test func onlyWhatCanRefuseIsWatched() throws {
        let core = context.core(for: Sample.self)
        let entity = try #require(core.layout.catalog.entity(named: "Sample"))
        func sql(_ predicate: Predicate<Sample>) throws -> String {
            try FetchTranslation(of: entity, in: core.layout.catalog, where: predicate).count().sql
        }
        #expect(
            try sql(#Predicate { $0.text == "a" && $0.a > 3 })
                == #"SELECT COUNT(*) FROM "Sample" AS t0 WHERE ((t0."text" = ?) AND (t0."a" > ?))"#)
        let watched = try sql(#Predicate { $0.text == "a" && 10 / $0.a > 3 && $0.b == 1 })
        let plan = try core.openStorage().read { connection in
            try connection.rows("EXPLAIN QUERY PLAN " + watched, Array(repeating: .null, count: 4)).compactMap { $0.last?.text }
        }
        #expect(watched.contains("storekeeper_begin") && plan.contains { $0.contains("text=?") }, "\(watched) \(plan)")
    }

    @Test func aReferenceToARowThatIsGoneIsNil() throws {
        let mark = Mark(name: "m")
        insert(1) {
            $0.b = 1; $0.loose = mark
        }
        insert(1) { $0.b = 2 }
        try context.save()
        let id: PersistentIdentifier? = mark.persistentModelID, none: PersistentIdentifier? = nil
        #expect(try found(#Predicate { $0.loose?.persistentModelID == id }) == [1])
        context.delete(mark)
        for _ in 0..<2 {
            #expect(try found(#Predicate { $0.loose == nil }) == [1, 2])
            #expect(try found(#Predicate { $0.loose != nil }) == [])
            #expect(try found(#Predicate { $0.loose?.name == nil }) == [1, 2])
            #expect(try found(#Predicate { $0.loose?.persistentModelID == none }) == [1, 2])
            #expect(try found(#Predicate { $0.loose?.persistentModelID == id }) == [])
            #expect(try found(#Predicate { if let mark = $0.loose { mark.name == "x" } else { true } }) == [1, 2])
            try context.save()
        }
    }

    @Test func notANumberIsEqualToNothingAndIsThere() throws {
        insert(1) {
            $0.b = 1; $0.text = "a"; $0.reading = Reading(value: .nan, exact: .nan, text: "")
        }
        insert(1) {
            $0.b = 2; $0.text = "b"; $0.real = 2.5
        }
        let numbers = [Double.nan, 2.5], table = ["a": Double.nan, "b": 1]
        for _ in 0..<2 {
            #expect(try found(#Predicate { !numbers.contains($0.real) }) == [1])
            #expect(try found(#Predicate { numbers.contains($0.real) }) == [2])
            #expect(try found(#Predicate { !($0.reading.value < 5) }) == [1])
            #expect(try found(#Predicate { $0.reading.value != 1 }) == [1, 2])
            #expect(try found(#Predicate { !($0.reading.exact > 0) }) == [1, 2])
            #expect(try found(#Predicate { table[$0.text] == nil }) == [])
            #expect(try found(#Predicate { !(table[$0.text, default: 0] < 1) }) == [1, 2])
            try context.save()
        }
    }

    @Test func textsWithTheCharacterZeroAreWhole() throws {
        insert(1) {
            $0.b = 1; $0.text = "a\0b"; $0.words = ["c", "a\0b"]; $0.counts = ["a\0b": 1]; $0.reading.text = "a\0b"
        }
        insert(1) {
            $0.b = 2; $0.text = "a"; $0.words = ["a"]; $0.counts = ["a": 2]; $0.reading.text = "a"
        }
        let captured = ["a\0b"], table = ["a\0b": 5], zero = "a\0b"
        for _ in 0..<2 {
            #expect(try found(#Predicate { captured.contains($0.text) }) == [1])
            #expect(try found(#Predicate { sample in captured.contains { $0 == sample.text } }) == [1])
            #expect(try found(#Predicate { $0.words.contains("a") }) == [2])
            #expect(try found(#Predicate { $0.words.contains(zero) }) == [1])
            #expect(try found(#Predicate { $0.words.contains { $0.count == 3 } }) == [1])
            #expect(try found(#Predicate { $0.words.first == "a" }) == [2])
            #expect(try found(#Predicate { $0.b == 1 && $0.words[1] == zero }) == [1])
            #expect(try found(#Predicate { $0.words.max() == "a" }) == [2])
            #expect(try found(#Predicate { $0.counts["a"] == 2 }) == [2])
            #expect(try found(#Predicate { $0.counts[zero] == 1 }) == [1])
            #expect(try found(#Predicate { table[$0.text] == 5 }) == [1])
            #expect(try found(#Predicate { $0.reading.text == zero }) == [1])
            try context.save()
        }
    }

    /// Pending and stored, random predicates find the rows for which Swift says so, and those at which it would stop never.
    @Test func randomPredicatesRefuseWhatSwiftWouldStopAt() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["STORE_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9_999_999)
        let rounds = environment["STORE_ROUNDS"].flatMap { Int($0) } ?? 300
        print("STORE_SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        var models = RandomSamples(context)
        var matches = 0, refusals = 0
        for round in 0..<rounds {
            if round % 10 == 0 {
                if round > 0, Bool.random(using: &random) { try context.save() }
                models.change(&random)
            }
            let (predicate, check) = CheckedPredicate.predicate(depth: Int.random(in: 0...4, using: &random), using: &random)
            let verdicts = models.samples.map { sample in (sample.text, try? check(sample)) }
            let expected = verdicts.filter { $0.1 == true }.map(\.0).sorted()
            matches += expected.count
            refusals += verdicts.count { $0.1 == nil }
            let found = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.text).sorted()
            #expect(found == expected, "seed \(seed), round \(round): \(predicate.expression)")
        }
        // It has seen both, and neither alone.
        #expect(matches > rounds && refusals > rounds, "\(matches) matches, \(refusals) refusals")
    }
}

/// Models that change at random.
private struct RandomSamples {
    private let context: ModelContext
    private(set) var samples: [Sample] = []
    private var holders: [Holder] = []
    private var marks: [Mark] = []

    init(_ context: ModelContext) { self.context = context }

    mutating func change(_ random: inout SeededGenerator) {
        func pick<T>(_ choices: [T]) -> T { choices.randomElement(using: &random)! }
        let texts = CheckedPredicate.texts, numbers = CheckedPredicate.numbers
        for _ in 0..<3 {
            (samples, holders, marks) = (samples + [Sample(a: 0)], holders + [Holder(name: pick(texts))], marks + [Mark(name: pick(texts))])
            context.insert(samples.last!)
            context.insert(holders.last!)
            context.insert(marks.last!)
        }
        for _ in 0..<6 {
            let (sample, holder) = (pick(samples), pick(holders))
            (sample.a, sample.b) = (pick(numbers), pick(numbers))
            (sample.text, sample.note) = (pick(texts), Bool.random(using: &random) ? pick(texts) : nil)
            sample.words = (0..<pick([0, 1, 3])).map { _ in pick(texts) }
            sample.list = (0..<pick([0, 1, 3])).map { _ in pick(numbers) }
            sample.counts = [pick(texts): 1]
            sample.real = pick([0, 2.5])
            sample.reading = Reading(value: pick(CheckedPredicate.reals), exact: 0, text: pick(texts))
            sample.holder = Bool.random(using: &random) ? holder : nil
            sample.loose = Bool.random(using: &random) ? pick(marks) : nil
            let other = pick(holders)
            (other.name, other.rank) = (pick(texts), pick(numbers))
            other.marks = [pick(marks)]
        }
        for (index, place) in [samples.count, holders.count, marks.count].map({ Int.random(in: 0..<$0, using: &random) }).enumerated() {
            switch index {
            case 0: context.delete(samples.remove(at: place))
            case 1: context.delete(holders.remove(at: place))
            default: context.delete(marks.remove(at: place))
            }
        }
    }
}
