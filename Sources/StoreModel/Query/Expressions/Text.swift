import Foundation
import StoreSQLite

extension PredicateExpressions.CollectionContainsCollection: SQLTranslatable {
    /// A text within a text, by Swift's own rules: characters, not bytes; every character of the needle stands for itself.
    func term(in translator: PredicateTranslator) throws -> Term {
        try translator.search("storekeeper_contains", base, other, in: self)
    }
}

extension PredicateExpressions.SequenceStartsWith: SQLTranslatable {
    /// A text at the start of a text, by Swift's own rules: characters, not bytes.
    func term(in translator: PredicateTranslator) throws -> Term {
        try translator.search("storekeeper_starts", base, prefix, in: self)
    }
}

extension PredicateTranslator {
    fileprivate func search<A: PredicateExpression, B: PredicateExpression, Whole: PredicateExpression>(
        _ function: SQLFragment, _ text: A, _ needle: B, in expression: Whole
    ) throws -> Term {
        let left = try term(text), right = try term(needle)
        if case .constant = left, case .constant = right { return try fold(expression) }
        guard StorageKind(plain: A.Output.self) == .text, StorageKind(plain: B.Output.self) == .text else {
            throw unsupported(expression, "only a text can be looked for in a text")
        }
        let a = try scalar(text, left), b = try scalar(needle, right)
        return SQLScalar.condition("\(function)(\(a.sql), \(b.sql))", canBeNull: a.canBeNull || b.canBeNull)
    }
}

extension PredicateExpressions.StringContainsRegex: SQLTranslatable {
    func term(in translator: PredicateTranslator) throws -> Term {
        let text = try translator.term(subject)
        guard case .constant(let expression as PredicateExpressions.PredicateRegex) = try translator.term(regex) else {
            throw translator.unsupported(self, "the regular expression must be a captured one")
        }
        if case .constant = text { return try translator.fold(self) }
        let value = try translator.scalar(subject, text)
        return SQLScalar.condition(
            "storekeeper_matches(\(value.sql), \(.parameter(.text(expression.stringRepresentation))))", canBeNull: value.canBeNull)
    }
}
