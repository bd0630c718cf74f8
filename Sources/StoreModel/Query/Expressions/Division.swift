import Foundation

extension PredicateExpressions.IntDivision: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(lhs)
        shape.add(rhs)
    }

    /// A division by a stored zero refuses the row.
    func term(in translator: PredicateTranslator) throws -> Term {
        let left = try translator.term(lhs), right = try translator.term(rhs)
        var isSafe = false
        if case .constant(let constant) = right, let divisor = translator.value(of: constant) as? LHS.Output {
            guard divisor != 0 else { throw translator.unsupported(self, "it divides by zero") }
            isSafe = divisor != -1
            if case .constant = left, isSafe { return try translator.fold(self) }
        }
        let a = try translator.scalar(lhs, left), b = try translator.scalar(rhs, right)
        let quotient: SQLFragment =
            UnsignedWord.calculated(a.sql, "/", b.sql, type: Output.self)
            ?? (isSafe ? "(\(a.sql) / \(b.sql))" : .refusing("storekeeper_integer(\(a.sql) / \(b.sql), \(Refusal.bounds(Output.self)))"))
        return .scalar(SQLScalar(sql: quotient, kind: .integer, canBeNull: true))
    }
}

extension PredicateExpressions.IntRemainder: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(lhs)
        shape.add(rhs)
    }

    /// The remainder has the sign of the dividend in both. A division by a stored zero refuses the row.
    func term(in translator: PredicateTranslator) throws -> Term {
        let left = try translator.term(lhs), right = try translator.term(rhs)
        var isSafe = false
        if case .constant(let constant) = right, let divisor = translator.value(of: constant) as? LHS.Output {
            guard divisor != 0 else { throw translator.unsupported(self, "it divides by zero") }
            isSafe = divisor != -1
            if case .constant = left, isSafe { return try translator.fold(self) }
        }
        let a = try translator.scalar(lhs, left), b = try translator.scalar(rhs, right)
        let remainder: SQLFragment =
            UnsignedWord.calculated(a.sql, "%", b.sql, type: Output.self)
            ?? (isSafe
                ? "(\(a.sql) % \(b.sql))"
                : .refusing("storekeeper_remainder(\(a.sql), \(b.sql), \(Refusal.least(Output.self)))"))
        return .scalar(SQLScalar(sql: remainder, kind: .integer, canBeNull: true))
    }
}

extension PredicateExpressions.FloatDivision: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(lhs)
        shape.add(rhs)
    }

    /// SQL divides by zero to NULL, Swift to an infinity: only a function tells them apart.
    func term(in translator: PredicateTranslator) throws -> Term {
        let left = try translator.term(lhs), right = try translator.term(rhs)
        if case .constant = left, case .constant = right { return try translator.fold(self) }
        let a = try translator.scalar(lhs, left), b = try translator.scalar(rhs, right)
        var quotient: SQLFragment = "storekeeper_divide(\(a.sql), \(b.sql))"
        if case .constant(let constant) = right, let divisor = translator.value(of: constant) as? LHS.Output, divisor != 0 {
            quotient = "(\(a.sql) / \(b.sql))"
        }
        if a.kind == .float { quotient = "storekeeper_float(\(quotient))" }
        return .scalar(SQLScalar(sql: quotient, kind: a.kind, canBeNull: true))
    }
}
