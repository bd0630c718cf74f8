import Foundation

extension PredicateExpressions.Variable: SQLTranslatable {
    func term(in translator: PredicateTranslator) throws -> Term {
        guard let term = translator.variable(key) else {
            throw translator.unsupported(self, "the variable belongs to no row of this fetch")
        }
        return term
    }
}

extension PredicateExpressions.Value: SQLTranslatable {
    func term(in translator: PredicateTranslator) -> Term { .constant(value) }
}

extension PredicateExpressions.NilLiteral: SQLTranslatable {
    func term(in translator: PredicateTranslator) -> Term { .constant(Wrapped?.none as Any) }
}
