import Foundation

@testable import StoreModel

private typealias P = PredicateExpressions

/// Swift would have stopped.
struct Refused: Error {}

/// Random conditions on a `Sample`: as a predicate, and as Swift that throws where evaluating the predicate would end the program.
struct CheckedPredicate {
    let piece: Piece<Bool>
    let check: (Sample) throws -> Bool

    fileprivate struct Number {
        let piece: Piece<Int>
        let value: (Sample) throws -> Int
    }

    fileprivate struct Generator {
        var random: SeededGenerator
        let sample: P.Variable<Sample>
    }

    static let numbers = [Int.min, -2, -1, 0, 1, 2, 10, Int.max]
    static let texts = ["", "x", "a\0b", "a", "e\u{301}"]
    static let reals = [-1, 0, 2.5, Double.nan]

    static func predicate(depth: Int, using random: inout SeededGenerator) -> (Predicate<Sample>, (Sample) throws -> Bool) {
        var generator = random
        var check: ((Sample) throws -> Bool)?
        let predicate = Predicate<Sample> { sample in
            var state = Generator(random: generator, sample: sample)
            let made = state.condition(depth)
            (generator, check) = (state.random, made.check)
            return made.piece
        }
        random = generator
        return (predicate, check ?? { _ in false })
    }
}

extension CheckedPredicate.Generator {
    private mutating func one(of count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    private mutating func pick<T>(_ choices: [T]) -> T { choices.randomElement(using: &random)! }
    private func path<T>(_ keyPath: any KeyPath<Sample, T> & Sendable) -> Piece<T> { P.build_KeyPath(root: sample, keyPath: keyPath) }

    mutating func condition(_ depth: Int) -> CheckedPredicate {
        guard depth > 0 else { return leaf() }
        switch one(of: 6) {
        case 0:
            let (a, b) = (condition(depth - 1), condition(depth - 1))
            return CheckedPredicate(piece: both(a.piece, b.piece)) { try a.check($0) && b.check($0) }
        case 1:
            let (a, b) = (condition(depth - 1), condition(depth - 1))
            return CheckedPredicate(piece: either(a.piece, b.piece)) { try a.check($0) || b.check($0) }
        case 2:
            let (test, a, b) = (condition(depth - 1), condition(depth - 1), condition(depth - 1))
            return CheckedPredicate(piece: choice(test.piece, a.piece, b.piece)) { try test.check($0) ? a.check($0) : b.check($0) }
        case 3:
            let a = condition(depth - 1)
            return CheckedPredicate(piece: opposite(a.piece)) { try !a.check($0) }
        default:
            let (a, b) = (number(depth), one(of: 2) == 0 ? constant(CheckedPredicate.numbers) : number(depth - 1))
            return one(of: 2) == 0
                ? CheckedPredicate(piece: less(a.piece, b.piece)) { try a.value($0) < b.value($0) }
                : CheckedPredicate(piece: unequal(a.piece, b.piece)) { try a.value($0) != b.value($0) }
        }
    }

    private mutating func leaf() -> CheckedPredicate {
        let (text, real, number) = (pick(CheckedPredicate.texts), pick(CheckedPredicate.reals), pick(CheckedPredicate.numbers))
        let list = (0..<one(of: 4)).map { _ in pick(CheckedPredicate.texts) },
            reals = (0..<one(of: 4)).map { _ in pick(CheckedPredicate.reals) }
        let table = ["x": pick(CheckedPredicate.reals), "a\0b": 1]
        /// A model that was deleted is still held until the save.
        func target(_ sample: Sample) -> Mark? { sample.loose.flatMap { $0.modelContext == nil || $0.isDeleted ? nil : $0 } }
        func same(_ a: String, _ b: String?) -> Bool { b.map { a.utf8.elementsEqual($0.utf8) } ?? false }
        switch one(of: 17) {
        case 0: return plain(#Predicate { $0.text == text }) { same(text, $0.text) }
        case 1: return plain(#Predicate { $0.words.contains(text) }) { $0.words.contains { same(text, $0) } }
        case 2: return plain(#Predicate { list.contains($0.text) }) { sample in list.contains { same($0, sample.text) } }
        case 3: return plain(#Predicate { $0.counts[text] == nil }) { sample in !sample.counts.contains { same(text, $0.key) } }
        case 4: return plain(#Predicate { $0.reading.value < real }) { $0.reading.value < real }
        case 5: return plain(#Predicate { $0.reading.value != real }) { $0.reading.value != real }
        case 6: return plain(#Predicate { $0.reading.text == text }) { same(text, $0.reading.text) }
        case 7: return plain(#Predicate { reals.contains($0.real) }) { reals.contains($0.real) }
        case 8: return plain(#Predicate { table[$0.text] == nil }) { table[$0.text] == nil }
        case 9: return plain(#Predicate { $0.loose == nil }) { target($0) == nil }
        case 10: return plain(#Predicate { $0.loose?.name == text }) { same(text, target($0)?.name) }
        case 11: return plain(#Predicate { $0.holder?.name == text }) { same(text, $0.holder?.name) }
        case 12:
            return plain(#Predicate { $0.holder?.samples.contains { $0.b == number } == true }) {
                $0.holder?.samples.contains { $0.b == number } == true
            }
        case 13:
            return plain(#Predicate { $0.holder?.marks.contains { $0.name == text } ?? false }) {
                $0.holder?.marks.contains { same(text, $0.name) } ?? false
            }
        case 14: return plain(#Predicate { $0.words.first == text }) { same(text, $0.words.first) }
        case 15:
            return plain(#Predicate { $0.note! == text }) { sample in
                guard let note = sample.note else { throw Refused() }
                return same(text, note)
            }
        default:
            return plain(#Predicate { $0.holder!.rank != number }) { sample in
                guard let holder = sample.holder else { throw Refused() }
                return holder.rank != number
            }
        }
    }

    private func plain(_ predicate: Predicate<Sample>, _ check: @escaping (Sample) throws -> Bool) -> CheckedPredicate {
        return CheckedPredicate(piece: P.PredicateCombination([predicate], all: true, variable: sample), check: check)
    }

    // MARK: Numbers

    private mutating func constant(_ choices: [Int]) -> CheckedPredicate.Number {
        let value = pick(choices)
        return CheckedPredicate.Number(piece: P.build_Arg(value)) { _ in value }
    }

    /// One that depends on the row: what depends on captured values alone is an error where Swift would stop.
    private mutating func number(_ depth: Int) -> CheckedPredicate.Number {
        guard depth > 0 else { return one(of: 2) == 0 ? number(\.a, { $0.a }) : number(\.b, { $0.b }) }
        let a = number(depth - 1)
        switch one(of: 7) {
        case 0, 1, 2:
            let b = one(of: 2) == 0 ? constant(CheckedPredicate.numbers) : number(depth - 1)
            let op: P.ArithmeticOperator = pick([.add, .subtract, .multiply])
            return CheckedPredicate.Number(piece: arithmetic(a.piece, b.piece, op)) { sample in
                let (a, b) = (try a.value(sample), try b.value(sample))
                let (result, overflow) =
                    switch op {
                    case .add: a.addingReportingOverflow(b)
                    case .subtract: a.subtractingReportingOverflow(b)
                    default: a.multipliedReportingOverflow(by: b)
                    }
                if overflow { throw Refused() }
                return result
            }
        case 3, 4:
            let isQuotient = one(of: 2) == 0
            let b = one(of: 2) == 0 ? constant(CheckedPredicate.numbers.filter { $0 != 0 }) : number(depth - 1)
            return CheckedPredicate.Number(piece: isQuotient ? quotient(a.piece, b.piece) : remainder(a.piece, b.piece)) { sample in
                let (a, b) = (try a.value(sample), try b.value(sample))
                let (result, overflow) = isQuotient ? a.dividedReportingOverflow(by: b) : a.remainderReportingOverflow(dividingBy: b)
                if overflow { throw Refused() }
                return result
            }
        case 5:
            return CheckedPredicate.Number(piece: negative(a.piece)) { sample in
                let a = try a.value(sample)
                if a == Int.min { throw Refused() }
                return -a
            }
        default:
            return CheckedPredicate.Number(piece: element(path(\.list), a.piece)) { sample in
                let index = try a.value(sample)
                guard sample.list.indices.contains(index) else { throw Refused() }
                return sample.list[index]
            }
        }
    }

    private func number(_ keyPath: any KeyPath<Sample, Int> & Sendable, _ value: @escaping (Sample) -> Int) -> CheckedPredicate.Number {
        CheckedPredicate.Number(piece: path(keyPath), value: value)
    }
}

// MARK: - Nodes

private func both(_ a: Piece<Bool>, _ b: Piece<Bool>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<Bool>, B: StandardPredicateExpression<Bool>>(_ a: A, _ b: B) -> Piece<Bool> {
        P.build_Conjunction(lhs: a, rhs: b)
    }
    return open(a, b)
}

private func either(_ a: Piece<Bool>, _ b: Piece<Bool>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<Bool>, B: StandardPredicateExpression<Bool>>(_ a: A, _ b: B) -> Piece<Bool> {
        P.build_Disjunction(lhs: a, rhs: b)
    }
    return open(a, b)
}

private func opposite(_ a: Piece<Bool>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<Bool>>(_ a: A) -> Piece<Bool> { P.build_Negation(a) }
    return open(a)
}

private func choice(_ test: Piece<Bool>, _ a: Piece<Bool>, _ b: Piece<Bool>) -> Piece<Bool> {
    func open<C: StandardPredicateExpression<Bool>, A: StandardPredicateExpression<Bool>, B: StandardPredicateExpression<Bool>>(
        _ test: C, _ a: A, _ b: B
    ) -> Piece<Bool> {
        P.build_Conditional(test, a, b)
    }
    return open(test, a, b)
}

private func less(_ a: Piece<Int>, _ b: Piece<Int>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<Int>, B: StandardPredicateExpression<Int>>(_ a: A, _ b: B) -> Piece<Bool> {
        P.build_Comparison(lhs: a, rhs: b, op: .lessThan)
    }
    return open(a, b)
}

private func unequal(_ a: Piece<Int>, _ b: Piece<Int>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<Int>, B: StandardPredicateExpression<Int>>(_ a: A, _ b: B) -> Piece<Bool> {
        P.build_NotEqual(lhs: a, rhs: b)
    }
    return open(a, b)
}

private func arithmetic(_ a: Piece<Int>, _ b: Piece<Int>, _ op: P.ArithmeticOperator) -> Piece<Int> {
    func open<A: StandardPredicateExpression<Int>, B: StandardPredicateExpression<Int>>(_ a: A, _ b: B) -> Piece<Int> {
        P.build_Arithmetic(lhs: a, rhs: b, op: op)
    }
    return open(a, b)
}

private func quotient(_ a: Piece<Int>, _ b: Piece<Int>) -> Piece<Int> {
    func open<A: StandardPredicateExpression<Int>, B: StandardPredicateExpression<Int>>(_ a: A, _ b: B) -> Piece<Int> {
        P.build_Division(lhs: a, rhs: b)
    }
    return open(a, b)
}

private func remainder(_ a: Piece<Int>, _ b: Piece<Int>) -> Piece<Int> {
    func open<A: StandardPredicateExpression<Int>, B: StandardPredicateExpression<Int>>(_ a: A, _ b: B) -> Piece<Int> {
        P.build_Remainder(lhs: a, rhs: b)
    }
    return open(a, b)
}

private func negative(_ a: Piece<Int>) -> Piece<Int> {
    func open<A: StandardPredicateExpression<Int>>(_ a: A) -> Piece<Int> { P.build_UnaryMinus(a) }
    return open(a)
}

private func element(_ list: Piece<[Int]>, _ index: Piece<Int>) -> Piece<Int> {
    func open<A: StandardPredicateExpression<[Int]>, B: StandardPredicateExpression<Int>>(_ a: A, _ b: B) -> Piece<Int> {
        P.build_subscript(a, b)
    }
    return open(list, index)
}
