import Foundation

extension PredicateExpressions.Range: SQLTranslatable {
    func term(in translator: PredicateTranslator) throws -> Term {
        .range(RangeTerm(lower: try translator.term(lower), upper: try translator.term(upper), includesUpper: false))
    }
}

extension PredicateExpressions.ClosedRange: SQLTranslatable {
    func term(in translator: PredicateTranslator) throws -> Term {
        .range(RangeTerm(lower: try translator.term(lower), upper: try translator.term(upper), includesUpper: true))
    }
}

extension PredicateExpressions.RangeExpressionContains: SQLTranslatable {
    func term(in translator: PredicateTranslator) throws -> Term {
        let bounds: RangeTerm
        switch try translator.term(range) {
        case .range(let range): bounds = range
        case .constant(let range as any CapturedRange): bounds = range.term
        default: throw translator.unsupported(range, "only ranges with bounds that SQL can hold are supported")
        }
        return try translator.contains(bounds, element, in: self)
    }
}

extension PredicateTranslator {
    /// The condition that `element` is within `bounds`.
    func contains<E: PredicateExpression>(_ bounds: RangeTerm, _ element: E, in expression: any PredicateExpression) throws -> Term {
        guard let kind = StorageKind(plain: E.Output.self), kind != .json else {
            throw unsupported(expression, "\(E.Output.self) has an order of its own, which SQL does not know")
        }
        let value = try scalar(element)
        var conditions: [SQLFragment] = []
        var canBeNull = value.canBeNull
        for (bound, comparator) in [(bounds.lower, ">="), (bounds.upper, bounds.includesUpper ? "<=" : "<")] {
            guard let bound else { continue }
            let limit = try scalar(element, bound, like: value)
            canBeNull = canBeNull || limit.canBeNull
            conditions.append(comparison(value, SQLFragment(text: comparator), limit))
        }
        return SQLScalar.condition("(\(conditions.joined(" AND ")))", canBeNull: canBeNull)
    }
}

/// A range that a predicate has captured.
protocol CapturedRange {
    var term: RangeTerm { get }
}

extension Range: CapturedRange {
    var term: RangeTerm { RangeTerm(lower: .constant(lowerBound), upper: .constant(upperBound), includesUpper: false) }
}

extension ClosedRange: CapturedRange {
    var term: RangeTerm { RangeTerm(lower: .constant(lowerBound), upper: .constant(upperBound), includesUpper: true) }
}

extension PartialRangeFrom: CapturedRange {
    var term: RangeTerm { RangeTerm(lower: .constant(lowerBound), upper: nil, includesUpper: false) }
}

extension PartialRangeUpTo: CapturedRange {
    var term: RangeTerm { RangeTerm(lower: nil, upper: .constant(upperBound), includesUpper: false) }
}

extension PartialRangeThrough: CapturedRange {
    var term: RangeTerm { RangeTerm(lower: nil, upper: .constant(upperBound), includesUpper: true) }
}
