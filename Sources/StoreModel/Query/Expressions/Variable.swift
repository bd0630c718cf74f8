import Foundation

extension PredicateExpressions.Variable: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) { shape.add(variable: key) }

    func term(in translator: PredicateTranslator) throws -> Term {
        guard let term = translator.variable(key) else {
            throw translator.unsupported(self, "the variable belongs to no row of this fetch")
        }
        return term
    }
}

extension PredicateExpressions.Value: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) { shape.add(captured: Captured(value)) }

    func term(in translator: PredicateTranslator) -> Term { .constant(translator.captured(value)) }
}

extension PredicateExpressions.NilLiteral: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {}

    func term(in translator: PredicateTranslator) -> Term { .computed(Wrapped?.none as Any) }
}
