import Foundation
import StoreSQLite

extension PredicateExpressions.CollectionContainsCollection: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(base)
        shape.add(other)
    }

    /// A text within a text, by Swift's own rules: characters, not bytes; every character of the needle stands for itself.
    func term(in translator: PredicateTranslator) throws -> Term {
        let text = try translator.term(base), needle = try translator.term(other)
        return try translator.search("storekeeper_contains", base, text, other, needle, in: self)
    }
}

extension PredicateExpressions.SequenceStartsWith: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(base)
        shape.add(prefix)
    }

    /// A text at the start of a text, by Swift's own rules: characters, not bytes.
    func term(in translator: PredicateTranslator) throws -> Term {
        let text = try translator.term(base), start = try translator.term(prefix)
        guard case .scalar(var condition) = try translator.search("storekeeper_starts", base, text, prefix, start, in: self) else {
            return try translator.fold(self)
        }
        if case .constant(let constant) = start {
            // Bytes decide first where they can, by an index if there is one; the function then looks at characters.
            let text = try translator.scalar(base, text).sql
            let lower = try translator.parameter(constant, as: .prefixStart), upper = try translator.parameter(constant, as: .prefixEnd)
            condition.sql = "(\(text) >= \(lower) AND \(text) < \(upper) AND \(condition.sql))"
        }
        return .scalar(condition)
    }
}

/// The byte-wise range that all texts with a prefix lie in.
enum PrefixBounds {
    /// The first text of the range, and the first value after it: an empty blob, which stands after every text, where bytes say nothing.
    ///
    /// Bytes say something for printable ASCII only, without the three characters that another character is equal to: the Kelvin sign
    /// equals `K`, the Greek question mark `;`, and the varia a grave accent.
    static func of(_ prefix: String) -> (Value, Value) {
        let isPlain = prefix.utf8.allSatisfy { byte in
            (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "K") && byte != UInt8(ascii: ";") && byte != UInt8(ascii: "`")
        }
        guard isPlain, let last = prefix.utf8.last else { return (.text(""), .blob([])) }
        return (.text(prefix), .text(prefix.dropLast() + String(UnicodeScalar(last + 1))))
    }
}

extension PredicateTranslator {
    fileprivate func search<A: PredicateExpression, B: PredicateExpression, Whole: PredicateExpression>(
        _ function: SQLFragment, _ text: A, _ left: Term, _ needle: B, _ right: Term, in expression: Whole
    ) throws -> Term {
        if case .constant = left, case .constant = right { return try fold(expression) }
        guard StorageKind(plain: A.Output.self) == .text, StorageKind(plain: B.Output.self) == .text else {
            throw unsupported(expression, "only a text can be looked for in a text")
        }
        let a = try scalar(text, left), b = try scalar(needle, right)
        return SQLScalar.condition("\(function)(\(a.sql), \(b.sql))", canBeNull: a.canBeNull || b.canBeNull)
    }
}

extension PredicateExpressions.StringContainsRegex: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(subject)
        shape.add(regex)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let text = try translator.term(subject)
        guard case .constant(let constant) = try translator.term(regex),
            let expression = translator.value(of: constant) as? PredicateExpressions.PredicateRegex
        else {
            throw translator.unsupported(self, "the regular expression must be a captured one")
        }
        if case .constant = text { return try translator.fold(self) }
        let value = try translator.scalar(subject, text)
        return SQLScalar.condition(
            "storekeeper_matches(\(value.sql), \(.parameter(.text(expression.stringRepresentation))))", canBeNull: value.canBeNull)
    }
}
