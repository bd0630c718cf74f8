import Foundation

extension PredicateExpressions.Conjunction: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(lhs)
        shape.add(rhs)
    }

    /// A captured `false` ends it, as in Swift: what stands behind it is not looked at.
    func term(in translator: PredicateTranslator) throws -> Term {
        let left = try translator.term(lhs)
        if let value = translator.boolean(left) { return value ? try translator.term(rhs) : .computed(false) }
        let right = try translator.term(rhs)
        if translator.boolean(right) == true { return left }
        let a = try translator.scalar(lhs, left), b = try translator.scalar(rhs, right)
        var both = SQLScalar(sql: "(\(a.sql) AND \(b.sql))", kind: .boolean, canBeNull: a.canBeNull || b.canBeNull)
        // Not AND, which SQLite leaves out beside a constant 0.
        if both.sql.canRefuse { both.sql = "CASE WHEN \(a.sql) THEN \(b.sql) ELSE 0 END" }
        if both.sql.canRefuse { both.conjuncts = a.parts + b.parts }
        return .scalar(both)
    }
}

extension PredicateExpressions.Disjunction: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(lhs)
        shape.add(rhs)
    }

    /// A captured `true` ends it, as in Swift: what stands behind it is not looked at.
    func term(in translator: PredicateTranslator) throws -> Term {
        let left = try translator.term(lhs)
        if let value = translator.boolean(left) { return value ? .computed(true) : try translator.term(rhs) }
        let right = try translator.term(rhs)
        if translator.boolean(right) == false { return left }
        let a = try translator.scalar(lhs, left), b = try translator.scalar(rhs, right)
        let either: SQLFragment =
            a.sql.canRefuse || b.sql.canRefuse ? "CASE WHEN \(a.sql) THEN 1 ELSE \(b.sql) END" : "(\(a.sql) OR \(b.sql))"
        return SQLScalar.condition(either, canBeNull: a.canBeNull || b.canBeNull)
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
