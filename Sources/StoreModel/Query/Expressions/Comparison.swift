import Foundation

extension PredicateExpressions.Comparison: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(word: op.number)
        shape.add(lhs)
        shape.add(rhs)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let left = try translator.term(lhs), right = try translator.term(rhs)
        if case .constant = left, case .constant = right { return try translator.fold(self) }
        let (a, b) = try translator.ordered(lhs, left, rhs, right)
        return SQLScalar.condition(translator.comparison(a, op.sql, b), canBeNull: a.canBeNull || b.canBeNull)
    }
}

extension PredicateExpressions.ComparisonOperator {
    fileprivate var number: Int {
        switch self {
        case .lessThan: 0
        case .lessThanOrEqual: 1
        case .greaterThan: 2
        case .greaterThanOrEqual: 3
        @unknown default: 4
        }
    }

    fileprivate var sql: SQLFragment {
        switch self {
        case .lessThan: "<"
        case .lessThanOrEqual: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqual: ">="
        @unknown default: "<"
        }
    }
}

extension PredicateTranslator {
    /// Both sides of an ordering in SQL, of which at least one depends on a row.
    ///
    /// - Throws: `QueryError` for a type whose order in Swift is its own, such as an enumeration that declares `<`.
    func ordered<L: PredicateExpression, R: PredicateExpression>(
        _ lhs: L, _ left: Term, _ rhs: R, _ right: Term
    ) throws -> (SQLScalar, SQLScalar) {
        guard let kind = StorageKind(plain: L.Output.self), kind != .json else {
            throw unsupported(lhs, "\(L.Output.self) has an order of its own, which SQL does not know")
        }
        if case .constant = left {
            let b = try scalar(rhs, right)
            return (try scalar(lhs, left, like: b), b)
        }
        let a = try scalar(lhs, left)
        return (a, try scalar(rhs, right, like: a))
    }

    /// The condition `a comparator b`.
    func comparison(_ a: SQLScalar, _ comparator: SQLFragment, _ b: SQLScalar) -> SQLFragment {
        a.kind == .decimal
            ? "(\(a.sql) \(comparator) \(b.sql) COLLATE storekeeper_decimal)" : "(\(a.sql) \(comparator) \(b.sql))"
    }
}
