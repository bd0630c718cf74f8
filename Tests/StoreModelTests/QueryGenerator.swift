import Foundation
import StoreModel

private typealias P = PredicateExpressions

/// An expression of a predicate, whatever its node.
typealias Piece<Output> = any StandardPredicateExpression<Output>

/// Random predicates over the library, made of nodes as the macro makes them.
struct QueryGenerator {
    private var random: SeededGenerator
    private var values: SeededGenerator
    private let book: P.Variable<Book>

    /// A random predicate of about `depth` levels.
    static func predicate(depth: Int, using random: inout SeededGenerator) -> Predicate<Book> {
        var values = SeededGenerator(seed: random.next())
        return predicate(depth: depth, using: &random, values: &values)
    }

    /// A random predicate whose nodes come from one generator and whose captured values from another: with the same nodes and other values
    /// it is what a program's next fetch from the same place would be.
    static func predicate(depth: Int, using random: inout SeededGenerator, values: inout SeededGenerator) -> Predicate<Book> {
        if depth > 0, Int.random(in: 0..<12, using: &random) == 0 {
            let all = Bool.random(using: &random)
            let count = Int.random(in: 0...3, using: &random)
            let parts = (0..<count).map { _ in Self.predicate(depth: depth - 1, using: &random, values: &values) }
            return all ? Predicate(all: parts) : Predicate(any: parts)
        }
        var state = (random, values)
        let made = Predicate<Book> { book in
            var generator = QueryGenerator(random: state.0, values: state.1, book: book)
            let piece = generator.bool(depth)
            state = (generator.random, generator.values)
            return piece
        }
        (random, values) = state
        return made
    }

    private init(random: SeededGenerator, values: SeededGenerator, book: P.Variable<Book>) {
        self.random = random
        self.values = values
        self.book = book
    }

    private mutating func pick<T>(_ choices: [T]) -> T { choices.randomElement(using: &random)! }

    /// A captured value.
    private mutating func sample<T>(_ choices: [T]) -> T { choices.randomElement(using: &values)! }

    /// A captured list, of any length.
    private mutating func samples<T>(_ choices: [T]) -> [T] {
        (0..<Int.random(in: 0...4, using: &values)).map { _ in sample(choices) }
    }

    private mutating func one(of count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    // MARK: Conditions

    private mutating func bool(_ depth: Int) -> Piece<Bool> {
        if depth <= 0 { return leafCondition() }
        switch one(of: 16) {
        case 0, 1: return and(bool(depth - 1), bool(depth - 1))
        case 2, 3: return or(bool(depth - 1), bool(depth - 1))
        case 4: return not(bool(depth - 1))
        case 5: return equal(integer(depth - 1), integer(depth - 1))
        case 6: return equal(optionalInteger(depth - 1), optionalInteger(depth - 1))
        case 7: return compare(integer(depth - 1), integer(depth - 1))
        case 8: return compare(real(depth - 1), real(depth - 1))
        case 9: return equal(text(depth - 1), text(depth - 1))
        case 10: return equal(optionalText(depth - 1), optionalText(depth - 1))
        case 11: return search(text(depth - 1), text(depth - 1))
        case 12: return conditional(bool(depth - 1), bool(depth - 1), bool(depth - 1))
        case 13: return coalesce(optionalBool(depth - 1), bool(depth - 1))
        case 14: return tagsCondition(depth - 1)
        default: return equal(real(depth - 1), real(depth - 1))
        }
    }

    private mutating func leafCondition() -> Piece<Bool> {
        switch one(of: 27) {
        case 0: return path(\.isOpen)
        case 1: return path(path(\.editor), \.alive)
        case 2: return path(path(\.details), \.hardcover)
        case 3: return contains(value(samples(Samples.texts)), path(\.title))
        case 4:
            return contains(value(samples(Samples.integers.map { $0 as Int? } + [nil])), path(\.copies))
        case 5: return equal(path(\.shelf), value(sample(Shelf.allCases)))
        case 6: return equal(path(\.lent), value(sample(Samples.dates + [nil])))
        case 7: return equal(path(\.isSigned), value(sample([true, false, nil])))
        case 8: return compare(path(\.price), value(sample(Samples.decimals)))
        case 9: return contains(path(\.keywords), value(sample(Samples.texts)))
        case 10: return value(sample([true, false]))
        case 11: return inside(value(range()), path(\.pages))
        case 12:
            return between(
                value(sample(Samples.integers.filter { $0 < 2 })), value(sample(Samples.integers.filter { $0 > 2 })), path(\.pages))
        case 13: return StoreModelTests.standardContains(path(\.title), value(sample(Samples.texts)))
        case 14: return equal(caseCompare(path(\.title), value(sample(Samples.texts))), value(ComparisonResult.orderedSame))
        case 15: return and(StoreModelTests.equal(path(\.copies), nothing(), unequal: true), compare(forced(path(\.copies)), integer(0)))
        case 16: return contains(value(samples(Samples.sizes)), path(path(\.details), \.size))
        case 17: return equal(path(\.reference), value(sample(Samples.references)))
        case 18: return contains(value(samples(Samples.references)), path(\.reference))
        case 19: return equal(chain(path(\.author)) { StoreModelTests.path($0, \.reference) }, value(sample(Samples.references + [nil])))
        case 20: return equal(path(\.author), flatChain(path(\.author)) { StoreModelTests.path($0, \.mentor) })
        case 21: return equal(path(\.author), nothing())
        case 22: return compare(path(\.added), value(sample(Samples.dates)))
        case 23: return compare(path(\.isbn), value(sample(Samples.identifiers)))
        case 24: return compare(calculate(path(\.price), value(sample(Samples.decimals)), .add), value(sample(Samples.decimals)))
        case 25: return equal(path(\.weight), value(sample(Samples.floats)))
        default: return isEmpty(one(of: 2) == 0 ? path(\.keywords) : path(path(\.details), \.colours))
        }
    }

    /// A captured range.
    private mutating func range() -> ClosedRange<Int> {
        let lower = sample(Samples.integers)
        return lower...max(lower, sample(Samples.integers))
    }

    private mutating func optionalBool(_ depth: Int) -> Piece<Bool?> {
        if depth <= 0 { return path(\.isSigned) }
        switch one(of: 6) {
        case 0: return path(\.isSigned)
        case 1: return chain(path(\.author)) { path($0, \.alive) }
        case 2:
            let other = integer(depth - 1)
            return chain(path(\.copies)) { [self] in
                var copy = self
                return copy.compare($0, other)
            }
        case 3: return chain(path(\.oldDetails)) { path($0, \.hardcover) }
        case 4:
            let other = text(depth - 1)
            return chain(path(\.subtitle)) { StoreModelTests.search($0, other, starts: false) }
        default: return chain(path(\.author)) { isEmpty(path($0, \.books)) }
        }
    }

    private mutating func tagsCondition(_ depth: Int) -> Piece<Bool> {
        let outer = text(0), number = integer(depth - 1), weight = sample(Samples.reals), choice = one(of: 9),
            texts = samples(Samples.texts)
        let sizes = samples(Samples.sizes)
        let tags: Piece<[Tag]> = path(\.tags)
        switch choice {
        case 0: return any(tags) { StoreModelTests.equal(path($0, \.label), outer) }
        case 1: return all(tags) { less(path($0, \.weight), value(weight)) }
        case 2: return equal(count(filter(tags) { less(path($0, \.weight), value(weight)) }), number)
        case 3: return any(path(path(\.editor), \.books)) { StoreModelTests.equal(path($0, \.pages), number) }
        case 4: return all(path(\.keywords)) { StoreModelTests.search($0, outer, starts: true) }
        case 5: return any(value(texts)) { [self] in StoreModelTests.search(path(\.title), $0, starts: false) }
        case 6: return all(value(sizes)) { less(path($0, \.height), number) }
        case 7: return any(filter(tags) { less(path($0, \.weight), value(weight)) }) { StoreModelTests.equal(path($0, \.label), outer) }
        default: return any(tags) { tag in any(path(tag, \.books)) { less(path($0, \.rating), path(tag, \.weight)) } }
        }
    }

    // MARK: Values

    private mutating func integer(_ depth: Int) -> Piece<Int> {
        if depth <= 0 {
            switch one(of: 5) {
            case 0: return value(sample(Samples.integers))
            case 1: return path(path(path(\.details), \.size), \.height)
            case 2: return path(path(\.details), \.year)
            default: return path(\.pages)
            }
        }
        switch one(of: 10) {
        case 0: return arithmetic(integer(depth - 1), integer(depth - 1))
        case 1: return coalesce(optionalInteger(depth - 1), integer(depth - 1))
        case 2: return conditional(bool(depth - 1), integer(depth - 1), integer(depth - 1))
        case 3: return count(path(\.tags))
        case 4: return count(path(\.keywords))
        case 5: return length(text(depth - 1))
        case 6: return quotient(integer(depth - 1), value(sample(Samples.integers.filter { $0 != 0 && $0 != -1 })))
        case 7: return remainder(integer(depth - 1), value(sample(Samples.integers.filter { $0 != 0 && $0 != -1 })))
        case 8: return entry(path(\.counts), value(sample(Samples.texts)), else: integer(depth - 1))
        default: return negative(integer(depth - 1))
        }
    }

    private mutating func optionalInteger(_ depth: Int) -> Piece<Int?> {
        if depth <= 0 { return one(of: 3) == 0 ? value(sample(Samples.integers + [nil])) : path(\.copies) }
        switch one(of: 9) {
        case 0: return path(\.copies)
        case 1: return flatChain(path(\.author)) { path($0, \.age) }
        case 2: return flatChain(flatChain(path(\.author)) { path($0, \.mentor) }) { path($0, \.age) }
        case 3: return chain(path(\.oldDetails)) { path(path($0, \.size), \.height) }
        case 4: return chain(path(\.author)) { count(path($0, \.books)) }
        case 5: return flatChain(path(\.marks)) { largest($0) }
        case 6: return flatChain(path(\.marks)) { smallest($0) }
        case 7: return entry(path(\.counts), text(depth - 1))
        default:
            let other = integer(depth - 1)
            return chain(path(\.copies)) { [self] in
                var copy = self
                return copy.arithmetic($0, other)
            }
        }
    }

    private mutating func real(_ depth: Int) -> Piece<Double> {
        if depth <= 0 {
            switch one(of: 4) {
            case 0: return value(sample(Samples.reals + [.nan]))
            case 1: return path(path(path(\.details), \.size), \.width)
            default: return path(\.rating)
            }
        }
        switch one(of: 5) {
        case 0: return arithmetic(real(depth - 1), real(depth - 1))
        case 1: return ratio(real(depth - 1), real(depth - 1))
        case 2: return coalesce(path(\.discount), real(depth - 1))
        case 3: return conditional(bool(depth - 1), real(depth - 1), real(depth - 1))
        default: return negative(real(depth - 1))
        }
    }

    private mutating func text(_ depth: Int) -> Piece<String> {
        if depth <= 0 {
            switch one(of: 5) {
            case 0: return value(sample(Samples.texts))
            case 1: return path(path(\.editor), \.name)
            case 2: return path(path(\.details), \.publisher)
            default: return path(\.title)
            }
        }
        switch one(of: 3) {
        case 0: return coalesce(optionalText(depth - 1), text(depth - 1))
        case 1: return conditional(bool(depth - 1), text(depth - 1), text(depth - 1))
        default:
            let index: Piece<Int> = value(sample([0, 1, 2]))
            return conditional(less(index, count(path(\.keywords))), element(path(\.keywords), index), text(depth - 1))
        }
    }

    private mutating func optionalText(_ depth: Int) -> Piece<String?> {
        if depth <= 0 { return one(of: 3) == 0 ? value(sample(Samples.texts + [nil])) : path(\.subtitle) }
        switch one(of: 4) {
        case 0: return chain(path(\.author)) { path($0, \.name) }
        case 1: return flatChain(path(\.oldDetails)) { path(path($0, \.size), \.unit) }
        case 2: return first(path(\.keywords))
        default: return conditional(bool(depth - 1), optionalText(depth - 1), path(\.subtitle))
        }
    }

    // MARK: Nodes with a random operator

    private func path<T>(_ keyPath: any KeyPath<Book, T> & Sendable) -> Piece<T> { StoreModelTests.path(book, keyPath) }
    private func path<Root, T>(_ root: Piece<Root>, _ keyPath: any KeyPath<Root, T> & Sendable) -> Piece<T> {
        StoreModelTests.path(root, keyPath)
    }

    private mutating func compare<T: Comparable>(_ a: Piece<T>, _ b: Piece<T>) -> Piece<Bool> {
        less(a, b, pick([.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual]))
    }

    private mutating func equal<T: Equatable>(_ a: Piece<T>, _ b: Piece<T>) -> Piece<Bool> {
        StoreModelTests.equal(a, b, unequal: one(of: 2) == 0)
    }

    private mutating func search(_ a: Piece<String>, _ b: Piece<String>) -> Piece<Bool> {
        StoreModelTests.search(a, b, starts: one(of: 2) == 0)
    }

    /// Without products: Swift traps where they overflow.
    private mutating func arithmetic(_ a: Piece<Int>, _ b: Piece<Int>) -> Piece<Int> { calculate(a, b, pick([.add, .subtract])) }

    private mutating func arithmetic(_ a: Piece<Double>, _ b: Piece<Double>) -> Piece<Double> {
        calculate(a, b, pick([.add, .subtract, .multiply]))
    }
}

// MARK: - Nodes

private func value<T: Codable & Sendable>(_ value: T) -> Piece<T> { P.build_Arg(value) }

private func path<Root, T>(_ root: Piece<Root>, _ keyPath: any KeyPath<Root, T> & Sendable) -> Piece<T> {
    func open<R: StandardPredicateExpression<Root>>(_ root: R) -> Piece<T> { P.build_KeyPath(root: root, keyPath: keyPath) }
    return open(root)
}

private func and(_ a: Piece<Bool>, _ b: Piece<Bool>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<Bool>, B: StandardPredicateExpression<Bool>>(_ a: A, _ b: B) -> Piece<Bool> {
        P.build_Conjunction(lhs: a, rhs: b)
    }
    return open(a, b)
}

private func or(_ a: Piece<Bool>, _ b: Piece<Bool>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<Bool>, B: StandardPredicateExpression<Bool>>(_ a: A, _ b: B) -> Piece<Bool> {
        P.build_Disjunction(lhs: a, rhs: b)
    }
    return open(a, b)
}

private func not(_ a: Piece<Bool>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<Bool>>(_ a: A) -> Piece<Bool> { P.build_Negation(a) }
    return open(a)
}

private func less<T: Comparable>(_ a: Piece<T>, _ b: Piece<T>, _ op: P.ComparisonOperator = .lessThan) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<T>, B: StandardPredicateExpression<T>>(_ a: A, _ b: B) -> Piece<Bool> {
        P.build_Comparison(lhs: a, rhs: b, op: op)
    }
    return open(a, b)
}

private func search(_ a: Piece<String>, _ b: Piece<String>, starts: Bool) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<String>, B: StandardPredicateExpression<String>>(_ a: A, _ b: B) -> Piece<Bool> {
        if starts { P.build_starts(a, with: b) } else { P.build_contains(a, b) }
    }
    return open(a, b)
}

private func contains<T: Equatable>(_ list: Piece<[T]>, _ element: Piece<T>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<[T]>, B: StandardPredicateExpression<T>>(_ a: A, _ b: B) -> Piece<Bool> {
        P.build_contains(a, b)
    }
    return open(list, element)
}

// A builder that takes a variable returns one static type: the body is built once to learn that type, and again inside.

private func any<T>(_ list: Piece<[T]>, _ test: (P.Variable<T>) -> Piece<Bool>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<[T]>, B: StandardPredicateExpression<Bool>>(_ a: A, _: B) -> Piece<Bool> {
        P.build_contains(a, where: { test($0) as! B })
    }
    return open(list, test(P.Variable()))
}

private func all<T>(_ list: Piece<[T]>, _ test: (P.Variable<T>) -> Piece<Bool>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<[T]>, B: StandardPredicateExpression<Bool>>(_ a: A, _: B) -> Piece<Bool> {
        P.build_allSatisfy(a) { test($0) as! B }
    }
    return open(list, test(P.Variable()))
}

private func filter<T>(_ list: Piece<[T]>, _ test: (P.Variable<T>) -> Piece<Bool>) -> Piece<[T]> {
    func open<A: StandardPredicateExpression<[T]>, B: StandardPredicateExpression<Bool>>(_ a: A, _: B) -> Piece<[T]> {
        P.build_filter(a) { test($0) as! B }
    }
    return open(list, test(P.Variable()))
}

private func chain<T, Result>(_ start: Piece<T?>, _ end: (P.Variable<T>) -> Piece<Result>) -> Piece<Result?> {
    func open<A: StandardPredicateExpression<T?>, B: StandardPredicateExpression<Result>>(_ a: A, _: B) -> Piece<Result?> {
        P.OptionalFlatMap<A, T, B, Result>(a) { end($0) as! B }
    }
    return open(start, end(P.Variable()))
}

private func flatChain<T, Result>(_ start: Piece<T?>, _ end: (P.Variable<T>) -> Piece<Result?>) -> Piece<Result?> {
    func open<A: StandardPredicateExpression<T?>, B: StandardPredicateExpression<Result?>>(_ a: A, _: B) -> Piece<Result?> {
        P.OptionalFlatMap<A, T, B, Result>(a) { end($0) as! B }
    }
    return open(start, end(P.Variable()))
}

private func count<T>(_ list: Piece<[T]>) -> Piece<Int> { path(list, \.count) }
private func isEmpty<T>(_ list: Piece<[T]>) -> Piece<Bool> { path(list, \.isEmpty) }
private func first<T>(_ list: Piece<[T]>) -> Piece<T?> { path(list, \.first) }
private func length(_ text: Piece<String>) -> Piece<Int> { path(text, \.count) }

private func largest<T: Comparable>(_ list: Piece<[T]>) -> Piece<T?> {
    func open<A: StandardPredicateExpression<[T]>>(_ a: A) -> Piece<T?> { P.build_max(a) }
    return open(list)
}

private func negative<T: SignedNumeric>(_ a: Piece<T>) -> Piece<T> {
    func open<A: StandardPredicateExpression<T>>(_ a: A) -> Piece<T> { P.build_UnaryMinus(a) }
    return open(a)
}

private func conditional<T>(_ test: Piece<Bool>, _ a: Piece<T>, _ b: Piece<T>) -> Piece<T> {
    func open<C: StandardPredicateExpression<Bool>, A: StandardPredicateExpression<T>, B: StandardPredicateExpression<T>>(
        _ test: C, _ a: A, _ b: B
    ) -> Piece<T> {
        P.build_Conditional(test, a, b)
    }
    return open(test, a, b)
}

private func equal<T: Equatable>(_ a: Piece<T>, _ b: Piece<T>, unequal: Bool = false) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<T>, B: StandardPredicateExpression<T>>(_ a: A, _ b: B) -> Piece<Bool> {
        if unequal { P.build_NotEqual(lhs: a, rhs: b) } else { P.build_Equal(lhs: a, rhs: b) }
    }
    return open(a, b)
}

private func coalesce<T>(_ a: Piece<T?>, _ b: Piece<T>) -> Piece<T> {
    func open<A: StandardPredicateExpression<T?>, B: StandardPredicateExpression<T>>(_ a: A, _ b: B) -> Piece<T> {
        P.build_NilCoalesce(lhs: a, rhs: b)
    }
    return open(a, b)
}

private func calculate<T: Numeric>(_ a: Piece<T>, _ b: Piece<T>, _ op: P.ArithmeticOperator) -> Piece<T> {
    func open<A: StandardPredicateExpression<T>, B: StandardPredicateExpression<T>>(_ a: A, _ b: B) -> Piece<T> {
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

private func ratio(_ a: Piece<Double>, _ b: Piece<Double>) -> Piece<Double> {
    func open<A: StandardPredicateExpression<Double>, B: StandardPredicateExpression<Double>>(_ a: A, _ b: B) -> Piece<Double> {
        P.build_Division(lhs: a, rhs: b)
    }
    return open(a, b)
}

private func inside(_ range: Piece<ClosedRange<Int>>, _ element: Piece<Int>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<ClosedRange<Int>>, B: StandardPredicateExpression<Int>>(_ a: A, _ b: B) -> Piece<Bool> {
        P.RangeExpressionContains(range: a, element: b)
    }
    return open(range, element)
}

private func between(_ lower: Piece<Int>, _ upper: Piece<Int>, _ element: Piece<Int>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<Int>, B: StandardPredicateExpression<Int>, C: StandardPredicateExpression<Int>>(
        _ a: A, _ b: B, _ c: C
    ) -> Piece<Bool> {
        P.RangeExpressionContains(range: P.build_Range(lower: a, upper: b), element: c)
    }
    return open(lower, upper, element)
}

private func standardContains(_ text: Piece<String>, _ other: Piece<String>) -> Piece<Bool> {
    func open<A: StandardPredicateExpression<String>, B: StandardPredicateExpression<String>>(_ a: A, _ b: B) -> Piece<Bool> {
        P.build_localizedStandardContains(a, b)
    }
    return open(text, other)
}

private func caseCompare(_ text: Piece<String>, _ other: Piece<String>) -> Piece<ComparisonResult> {
    func open<A: StandardPredicateExpression<String>, B: StandardPredicateExpression<String>>(_ a: A, _ b: B) -> Piece<ComparisonResult> {
        P.build_caseInsensitiveCompare(a, b)
    }
    return open(text, other)
}

private func nothing<T>() -> Piece<T?> { P.build_NilLiteral() as P.NilLiteral<T> }

private func forced<T>(_ value: Piece<T?>) -> Piece<T> {
    func open<A: StandardPredicateExpression<T?>>(_ a: A) -> Piece<T> { P.ForcedUnwrap<A, T>(a) }
    return open(value)
}

private func smallest<T: Comparable>(_ list: Piece<[T]>) -> Piece<T?> {
    func open<A: StandardPredicateExpression<[T]>>(_ a: A) -> Piece<T?> { P.build_min(a) }
    return open(list)
}

private func element<T>(_ list: Piece<[T]>, _ index: Piece<Int>) -> Piece<T> {
    func open<A: StandardPredicateExpression<[T]>, B: StandardPredicateExpression<Int>>(_ a: A, _ b: B) -> Piece<T> {
        P.build_subscript(a, b)
    }
    return open(list, index)
}

private func entry(_ dictionary: Piece<[String: Int]>, _ key: Piece<String>) -> Piece<Int?> {
    func open<A: StandardPredicateExpression<[String: Int]>, B: StandardPredicateExpression<String>>(_ a: A, _ b: B) -> Piece<Int?> {
        P.build_subscript(a, b)
    }
    return open(dictionary, key)
}

private func entry(_ dictionary: Piece<[String: Int]>, _ key: Piece<String>, else other: Piece<Int>) -> Piece<Int> {
    func open<A: StandardPredicateExpression<[String: Int]>, B: StandardPredicateExpression<String>, C: StandardPredicateExpression<Int>>(
        _ a: A, _ b: B, _ c: C
    ) -> Piece<Int> {
        P.build_subscript(a, b, default: c)
    }
    return open(dictionary, key, other)
}
