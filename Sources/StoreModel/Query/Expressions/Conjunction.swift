import Foundation

/// A chain of conditions, all of which must hold or one of which is enough, however long it is: the macro writes `a && b && c` as
/// `(a && b) && c`.
private protocol Chain: PredicateExpression {
    static var needsAll: Bool { get }
    var first: any PredicateExpression<Bool> { get }
    var last: any PredicateExpression<Bool> { get }
}

extension PredicateExpressions.Conjunction: Chain {
    fileprivate static var needsAll: Bool { true }
    fileprivate var first: any PredicateExpression<Bool> { lhs }
    fileprivate var last: any PredicateExpression<Bool> { rhs }
}

extension PredicateExpressions.Disjunction: Chain {
    fileprivate static var needsAll: Bool { false }
    fileprivate var first: any PredicateExpression<Bool> { lhs }
    fileprivate var last: any PredicateExpression<Bool> { rhs }
}

extension Chain {
    /// Its conditions, in order. Without recursion: a chain may be long.
    fileprivate var links: [any PredicateExpression<Bool>] {
        var links: [any PredicateExpression<Bool>] = [last]
        var rest = first
        while let chain = rest as? any Chain, type(of: chain).needsAll == Self.needsAll {
            links.append(chain.last)
            rest = chain.first
        }
        links.append(rest)
        return links.reversed()
    }
}

extension PredicateExpressions.Conjunction: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(lhs)
        shape.add(rhs)
    }

    func term(in translator: PredicateTranslator) throws -> Term { try translator.chain(links, all: true) }
}

extension PredicateExpressions.Disjunction: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(lhs)
        shape.add(rhs)
    }

    func term(in translator: PredicateTranslator) throws -> Term { try translator.chain(links, all: false) }
}

extension PredicateTranslator {
    /// The condition that all of the conditions hold, or any.
    ///
    /// A captured value that decides ends it, as in Swift: what stands behind it is not looked at.
    fileprivate func chain(_ links: [any PredicateExpression<Bool>], all: Bool) throws -> Term {
        var conditions = Conditions(all: all)
        for link in links where try conditions.add(link, in: self) { break }
        return conditions.term
    }
}

/// Conditions that are put together one after the other.
struct Conditions {
    private let all: Bool
    private var known: [SQLScalar] = []

    init(all: Bool) { self.all = all }

    /// Whether the condition decides, so that none behind it counts.
    mutating func add(_ condition: some PredicateExpression<Bool>, in translator: PredicateTranslator) throws -> Bool {
        let term = try translator.term(condition)
        guard let value = translator.boolean(term) else {
            known.append(try translator.scalar(condition, term))
            return false
        }
        guard value != all else { return false }
        isDecided = true
        return true
    }

    private var isDecided = false

    /// What they come to; a captured value where none depends on a row.
    var term: Term {
        if known.isEmpty { return .computed(all != isDecided) }
        let end = isDecided ? [SQLScalar(sql: all ? "0" : "1", kind: .boolean, canBeNull: false)] : []
        if known.count == 1, end.isEmpty { return .scalar(known[0]) }
        return all ? (known + end).all : (known + end).any
    }
}

extension [SQLScalar] {
    /// The condition that any holds.
    var any: Term { joined(all: false) }
    /// The condition that all hold.
    var all: Term { joined(all: true) }

    private func joined(all: Bool) -> Term {
        guard contains(where: \.sql.canRefuse) else {
            return SQLScalar.condition(map(\.sql).balanced(all ? " AND " : " OR "), canBeNull: contains(where: \.canBeNull))
        }
        // One after the other, as far as Swift goes. Not AND, which SQLite leaves out beside a constant 0.
        let cases = map { test -> SQLFragment in all ? "WHEN \(test.sql) IS NOT TRUE THEN 0" : "WHEN \(test.sql) THEN 1" }.joined(" ")
        let whole: SQLFragment = "CASE \(cases) ELSE \(raw: all ? "1" : "0") END"
        return .scalar(SQLScalar(sql: whole, kind: .boolean, canBeNull: false, conjuncts: all ? flatMap(\.parts) : []))
    }
}

extension [SQLFragment] {
    /// All of them with a word between, in parentheses by halves: SQLite bounds the depth of an expression, and chains go as deep as they are long.
    func balanced(_ word: SQLFragment) -> SQLFragment { self[...].balanced(word) }
}

extension ArraySlice<SQLFragment> {
    fileprivate func balanced(_ word: SQLFragment) -> SQLFragment {
        guard count > 1 else { return first ?? "" }
        let middle = startIndex + (count + 1) / 2
        return "(\(self[..<middle].balanced(word))\(word)\(self[middle...].balanced(word)))"
    }
}

extension PredicateExpressions.Negation: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) { shape.add(wrapped) }

    /// NULL counts as false inside, so that its negation is true: `!(x == 5)` includes the rows without `x`.
    func term(in translator: PredicateTranslator) throws -> Term {
        let term = try translator.term(wrapped)
        if case .constant = term { return try translator.fold(self) }
        let condition = try translator.scalar(wrapped, term)
        return SQLScalar.condition(condition.canBeNull ? "(\(condition.sql) IS NOT TRUE)" : "(NOT \(condition.sql))")
    }
}

extension SQLScalar {
    /// What has to hold for it to hold.
    fileprivate var parts: [SQLFragment] { conjuncts.isEmpty ? [sql] : conjuncts }
}
