import Foundation

extension PredicateExpressions.Arithmetic: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(word: op.number)
        shape.add(lhs)
        shape.add(rhs)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let left = try translator.term(lhs), right = try translator.term(rhs)
        if case .constant(let first) = left, case .constant(let second) = right {
            let (a, b) = (translator.value(of: first), translator.value(of: second))
            guard let a = a as? any FixedWidthInteger else { return try translator.fold(self) }
            return .computed(try translator.calculate(a, op, b, in: self))
        }
        let (a, b) = try translator.ordered(lhs, left, rhs, right)
        switch a.kind {
        case .integer:
            if let result = UnsignedWord.calculated(a.sql, op.sql, b.sql, type: Output.self) {
                return .scalar(SQLScalar(sql: result, kind: .integer, canBeNull: true))
            }
            let result: SQLFragment = "storekeeper_integer(\(a.sql) \(op.sql) \(b.sql), \(Refusal.bounds(Output.self)))"
            return .scalar(SQLScalar(sql: .refusing(result), kind: .integer, canBeNull: true))
        case .real:
            return .scalar(SQLScalar(sql: "(\(a.sql) \(op.sql) \(b.sql))", kind: .real, canBeNull: true))
        case .float:
            return .scalar(SQLScalar(sql: "storekeeper_float(\(a.sql) \(op.sql) \(b.sql))", kind: .float, canBeNull: true))
        case .decimal:
            return .scalar(SQLScalar(sql: "storekeeper_decimal_\(op.name)(\(a.sql), \(b.sql))", kind: .decimal, canBeNull: true))
        default:
            throw translator.unsupported(self, "SQL has no arithmetic for \(Output.self)")
        }
    }
}

extension PredicateExpressions.ArithmeticOperator {
    fileprivate var sql: SQLFragment {
        switch self {
        case .add: "+"
        case .subtract: "-"
        case .multiply: "*"
        @unknown default: "+"
        }
    }

    fileprivate var number: Int {
        switch self {
        case .add: 0
        case .subtract: 1
        case .multiply: 2
        @unknown default: 3
        }
    }

    fileprivate var name: SQLFragment {
        switch self {
        case .add: "add"
        case .subtract: "subtract"
        case .multiply: "multiply"
        @unknown default: "add"
        }
    }
}

extension PredicateTranslator {
    /// The result of two captured integers, where Swift would trap on overflow.
    fileprivate func calculate<I: FixedWidthInteger>(
        _ a: I, _ operation: PredicateExpressions.ArithmeticOperator, _ b: Any, in expression: any PredicateExpression
    ) throws -> Any {
        guard let b = b as? I else { throw unsupported(expression, "its sides differ in type") }
        let (result, overflow) =
            switch operation {
            case .add: a.addingReportingOverflow(b)
            case .subtract: a.subtractingReportingOverflow(b)
            case .multiply: a.multipliedReportingOverflow(by: b)
            @unknown default: (a, true)
            }
        if overflow { throw unsupported(expression, "the result does not fit \(I.self)") }
        return result
    }
}

private func isLeast<I: FixedWidthInteger>(_ value: I) -> Bool { value == I.min }

extension PredicateExpressions.UnaryMinus: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) { shape.add(wrapped) }

    func term(in translator: PredicateTranslator) throws -> Term {
        let term = try translator.term(wrapped)
        if case .constant(let constant) = term {
            if let value = translator.value(of: constant) as? any FixedWidthInteger, isLeast(value) {
                throw translator.unsupported(self, "the result does not fit \(Output.self)")
            }
            return try translator.fold(self)
        }
        let value = try translator.scalar(wrapped, term)
        switch value.kind {
        case .integer:
            let result: SQLFragment = "storekeeper_integer(-\(value.sql), \(Refusal.bounds(Output.self)))"
            return .scalar(SQLScalar(sql: .refusing(result), kind: .integer, canBeNull: true))
        case .real, .float:
            // SQLite negates by subtracting from 0, which loses the sign of zero.
            return .scalar(SQLScalar(sql: "(-1.0 * \(value.sql))", kind: value.kind, canBeNull: value.canBeNull, origin: value.origin))
        case .decimal:
            return .scalar(
                SQLScalar(sql: "storekeeper_decimal_subtract('0', \(value.sql))", kind: .decimal, canBeNull: true, origin: value.origin))
        default: throw translator.unsupported(self, "SQL has no arithmetic for \(Output.self)")
        }
    }
}
