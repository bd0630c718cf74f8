import Foundation

extension PredicateExpressions.Conditional: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(test)
        shape.add(trueBranch)
        shape.add(falseBranch)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let condition = try translator.term(test)
        if let value = translator.boolean(condition) { return try translator.term(value ? trueBranch : falseBranch) }
        let test = try translator.scalar(test, condition).sql
        let first = try translator.term(trueBranch), second = try translator.term(falseBranch)
        if let entity = first.entity ?? second.entity, let a = first.identifier, let b = second.identifier {
            return .model(
                ModelTerm(
                    entity: entity, id: "CASE WHEN \(test) THEN \(a) ELSE \(b) END", scope: translator.scope,
                    canBeNull: Output.self is any OptionalValue.Type))
        }
        let a: SQLScalar, b: SQLScalar
        if case .constant = first {
            b = try translator.scalar(falseBranch, second)
            a = try translator.scalar(trueBranch, first, like: b)
        } else {
            a = try translator.scalar(trueBranch, first)
            b = try translator.scalar(falseBranch, second, like: a)
        }
        return .scalar(
            SQLScalar(
                sql: "CASE WHEN \(test) THEN \(a.sql) ELSE \(b.sql) END", kind: a.kind, canBeNull: a.canBeNull || b.canBeNull,
                entity: a.entity ?? b.entity))
    }
}

extension Term {
    /// The entity of a reference to a row.
    var entity: EntityTable? {
        if case .model(let model) = self { model.entity } else { nil }
    }

    /// The identifier of a reference to a row; NULL for a captured `nil`.
    var identifier: SQLFragment? {
        switch self {
        case .model(let model): model.id
        case .constant(let constant) where constant.isAbsent: "NULL"
        default: nil
        }
    }
}
