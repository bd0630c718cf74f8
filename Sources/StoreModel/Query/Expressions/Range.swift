import Foundation

extension PredicateExpressions.Range: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(lower)
        shape.add(upper)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        .range(RangeTerm(lower: try translator.term(lower), upper: try translator.term(upper), includesUpper: false))
    }
}

extension PredicateExpressions.ClosedRange: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(lower)
        shape.add(upper)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        .range(RangeTerm(lower: try translator.term(lower), upper: try translator.term(upper), includesUpper: true))
    }
}

extension PredicateExpressions.RangeExpressionContains: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(range)
        shape.add(element)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let bounds: RangeTerm
        switch try translator.term(range) {
        case .range(let range): bounds = range
        case .constant(let constant):
            guard let range = translator.value(of: constant) as? any CapturedRange else { fallthrough }
            bounds = range.term
        default: throw translator.unsupported(range, "only ranges with bounds that SQL can hold are supported")
        }
        return try translator.contains(bounds, element, translator.term(element), in: self)
    }
}

extension PredicateTranslator {
    /// The condition that `element` is within `bounds`.
    func contains<E: PredicateExpression>(
        _ bounds: RangeTerm, _ element: E, _ term: Term, in expression: any PredicateExpression
    ) throws -> Term {
        guard let kind = StorageKind(plain: E.Output.self), kind != .json else {
            throw unsupported(expression, "\(E.Output.self) has an order of its own, which SQL does not know")
        }
        let value = try scalar(element, term)
        var conditions: [SQLFragment] = []
        var canBeNull = value.canBeNull
        var limits: [SQLFragment] = []
        for (bound, comparator) in [(bounds.lower, ">="), (bounds.upper, bounds.includesUpper ? "<=" : "<")] {
            guard let bound else { continue }
            let limit = try scalar(element, bound, like: value)
            canBeNull = canBeNull || limit.canBeNull
            limits.append(limit.sql)
            conditions.append(comparison(value, SQLFragment(text: comparator), limit))
        }
        let within: SQLFragment = "(\(conditions.joined(" AND ")))"
        // Bounds of a row in the wrong order, where Swift would stop.
        if bounds.dependOnRow, limits.count == 2 {
            let collation: SQLFragment = value.kind == .decimal ? " COLLATE storekeeper_decimal" : ""
            return SQLScalar.condition(within.refused(if: "(\(limits[0]) <= \(limits[1])\(collation)) IS NOT TRUE"), canBeNull: true)
        }
        return SQLScalar.condition(within, canBeNull: canBeNull)
    }
}

extension RangeTerm {
    /// Whether one of the bounds does.
    fileprivate var dependOnRow: Bool {
        [lower, upper].contains { bound in
            switch bound {
            case nil, .constant: false
            default: true
            }
        }
    }
}

/// A range that a predicate has captured.
protocol CapturedRange {
    var term: RangeTerm { get }
}

extension Range: CapturedRange {
    var term: RangeTerm { RangeTerm(lower: .computed(lowerBound), upper: .computed(upperBound), includesUpper: false) }
}

extension ClosedRange: CapturedRange {
    var term: RangeTerm { RangeTerm(lower: .computed(lowerBound), upper: .computed(upperBound), includesUpper: true) }
}

extension PartialRangeFrom: CapturedRange {
    var term: RangeTerm { RangeTerm(lower: .computed(lowerBound), upper: nil, includesUpper: false) }
}

extension PartialRangeUpTo: CapturedRange {
    var term: RangeTerm { RangeTerm(lower: nil, upper: .computed(upperBound), includesUpper: false) }
}

extension PartialRangeThrough: CapturedRange {
    var term: RangeTerm { RangeTerm(lower: nil, upper: .computed(upperBound), includesUpper: true) }
}
