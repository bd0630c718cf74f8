import Foundation
import StoreSQLite

extension PredicateExpressions.Equal: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(lhs)
        shape.add(rhs)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        guard let pair = try translator.equality(lhs, rhs) else { return try translator.fold(self) }
        return pair.equal
    }
}

extension PredicateExpressions.NotEqual: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(lhs)
        shape.add(rhs)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        guard let pair = try translator.equality(lhs, rhs) else { return try translator.fold(self) }
        return pair.notEqual
    }
}

/// Both sides of an equation in SQL.
struct EqualityPair {
    let equal: Term
    let notEqual: Term

    private init(_ equal: Term, _ notEqual: Term) {
        self.equal = equal
        self.notEqual = notEqual
    }

    /// An equation whose sides are never equal.
    ///
    /// Not a constant: one of the sides depends on a row, so what stands around it cannot be evaluated without one.
    static var never: EqualityPair { EqualityPair(SQLScalar.condition("0"), SQLScalar.condition("1")) }

    /// The comparison of two optionals of optionals, with the conditions that the outer ones are there.
    init(nested a: SQLScalar, _ first: SQLFragment, _ b: SQLScalar, _ second: SQLFragment) {
        guard case .scalar(let inner) = EqualityPair(a, b, optional: true).equal else {
            self = .never
            return
        }
        let equal: SQLFragment = "(\(first) = \(second) AND \(inner.sql))"
        self.init(SQLScalar.condition(equal), SQLScalar.condition("(NOT \(equal))"))
    }

    /// The comparison of two optional floating point values, of which one may be there and NULL: not a number, which nothing is equal to.
    init(numbers a: SQLScalar, _ first: SQLFragment, _ b: SQLScalar, _ second: SQLFragment) {
        let equal: SQLFragment = "CASE WHEN \(first) THEN \(second) AND \(a.sql) = \(b.sql) ELSE NOT \(second) END"
        self.init(SQLScalar.condition("(\(equal))", canBeNull: true), SQLScalar.condition("((\(equal)) IS NOT TRUE)"))
    }

    /// The comparison of `a` and `b`.
    ///
    /// - Parameter optional: whether the sides are optional: then `nil` equals `nil`, and SQL's `IS` is Swift's `==`.
    init(_ a: SQLScalar, _ b: SQLScalar, optional: Bool) {
        // Booleans that are NULL for false must be made 0 before they are compared.
        let (left, right) = a.kind == .boolean && !optional ? (a.truth, b.truth) : (a.sql, b.sql)
        let nulls = (a.canBeNull || b.canBeNull) && !(a.kind == .boolean && !optional)
        if let number = a.equalityNumber ?? b.equalityNumber {
            let same: SQLFragment = "storekeeper_equal(\(.parameter(.integer(number))), \(left), \(right))"
            self.init(SQLScalar.condition(same), SQLScalar.condition("(NOT \(same))"))
        } else {
            let collation: SQLFragment = a.kind == .decimal ? " COLLATE storekeeper_decimal" : ""
            if !nulls {
                self.init(SQLScalar.condition("(\(left) = \(right)\(collation))"), SQLScalar.condition("(\(left) <> \(right)\(collation))"))
            } else if optional, a.entity != nil, !a.canBeNull || !b.canBeNull {
                // Only a row that is there can be equal: a join to it is no outer one then.
                self.init(SQLScalar.condition("(\(left) = \(right))", canBeNull: true), SQLScalar.condition("(\(left) IS NOT \(right))"))
            } else if optional {
                self.init(
                    SQLScalar.condition("(\(left) IS \(right)\(collation))"), SQLScalar.condition("(\(left) IS NOT \(right)\(collation))"))
            } else {
                self.init(
                    SQLScalar.condition("(\(left) = \(right)\(collation))", canBeNull: true),
                    SQLScalar.condition("((\(left) = \(right)\(collation)) IS NOT TRUE)"))
            }
        }
    }
}

extension PredicateTranslator {
    /// Both sides of an equation, or nil when neither depends on a row.
    func equality<L: PredicateExpression, R: PredicateExpression>(_ lhs: L, _ rhs: R) throws -> EqualityPair? {
        let left = try term(lhs), right = try term(rhs)
        let optional = L.Output.self is any OptionalValue.Type
        switch (left, right) {
        case (.constant, .constant): return nil
        case (.constant(let constant), _) where constant.isNotANumber: return .never
        case (_, .constant(let constant)) where constant.isNotANumber: return .never
        case (.collection(let collection), .constant(let constant)), (.constant(let constant), .collection(let collection)):
            guard constant.isAbsent else { break }
            guard let presence = collection.presence else { return .never }
            return EqualityPair(
                SQLScalar(sql: presence, kind: .boolean, canBeNull: false), SQLScalar(sql: "0", kind: .boolean, canBeNull: false),
                optional: false)
        default: break
        }
        var a: SQLScalar, b: SQLScalar
        if case .constant = left {
            b = try scalar(rhs, right)
            a = try scalar(lhs, left, like: b)
        } else {
            a = try scalar(lhs, left)
            b = try scalar(rhs, right, like: a)
        }
        if let wrapped = (L.Output.self as? any OptionalValue.Type)?.wrappedType, wrapped is any OptionalValue.Type {
            return EqualityPair(nested: a, presence(of: left, a), b, presence(of: right, b))
        }
        if let presence = absence(of: left, b) ?? absence(of: right, a) {
            return EqualityPair(
                SQLScalar(sql: presence, kind: .boolean, canBeNull: false), SQLScalar(sql: "0", kind: .boolean, canBeNull: false),
                optional: false)
        }
        if optional, a.kind.canBeNotANumber, a.presence != nil || b.presence != nil {
            return EqualityPair(numbers: a, numberPresence(of: left, a), b, numberPresence(of: right, b))
        }
        if a.kind == .json || b.kind == .json {
            a.equalityNumber = SwiftFunctions.equalityNumber(of: innermost(L.Output.self))
        }
        if let first = a.entity, let second = b.entity, first.table != second.table {
            // Identifiers of different entities are never equal, but for two that are absent.
            guard optional else { return .never }
            let absent: SQLFragment = "(\(a.sql) IS NULL AND \(b.sql) IS NULL)"
            return EqualityPair(
                SQLScalar(sql: absent, kind: .boolean, canBeNull: false), SQLScalar(sql: "1", kind: .boolean, canBeNull: false),
                optional: false)
        }
        return EqualityPair(a, b, optional: optional)
    }

    /// Where one side is nil and the other says by itself whether it is there.
    private func absence(of term: Term, _ other: SQLScalar) -> SQLFragment? {
        guard case .constant(let constant) = term, constant.isAbsent else { return nil }
        return other.presence
    }

    /// The condition that an optional number is there, where a captured one says so by its shape.
    func numberPresence(of term: Term, _ scalar: SQLScalar) -> SQLFragment {
        if case .constant(let constant) = term { return constant.isAbsent ? "0" : "1" }
        return scalar.presence ?? "(\(scalar.sql) IS NOT NULL)"
    }

    /// The condition that the outer of two optionals is there.
    private func presence(of term: Term, _ scalar: SQLScalar) -> SQLFragment {
        if case .constant(let constant) = term { return (value(of: constant) as? any OptionalValue)?.wrappedValue == nil ? "0" : "1" }
        return scalar.presence ?? "(\(scalar.sql) IS NOT NULL)"
    }
}
