import Foundation
import StoreSQLite

extension PredicateExpressions.TypeCheck: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) { shape.add(input) }

    /// `is`: by the class that the row says it is of.
    func term(in translator: PredicateTranslator) throws -> Term {
        let term = try translator.term(input)
        switch term {
        case .constant: return try translator.fold(self)
        case .model(let model):
            guard let condition = try translator.condition(that: model, is: Desired.self) else {
                return SQLScalar.condition("0")
            }
            return SQLScalar.condition(condition)
        default: throw translator.unsupported(self, "only the class of a model can be asked for")
        }
    }
}

extension PredicateExpressions.ConditionalCast: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) { shape.add(input) }

    func term(in translator: PredicateTranslator) throws -> Term {
        let term = try translator.term(input)
        switch term {
        case .constant: return try translator.fold(self)
        case .model(let model):
            guard let entity = translator.catalog.entity(for: Desired.self) else { break }
            let condition = try translator.condition(that: model, is: Desired.self)
            let id: SQLFragment = condition.map { "CASE WHEN \($0) THEN \(model.id) END" } ?? "NULL"
            return .model(ModelTerm(entity: entity, id: id, scope: model.scope, canBeNull: true))
        default: break
        }
        throw translator.unsupported(self, "only a model can be cast, to a class of the schema")
    }
}

extension PredicateExpressions.ForceCast: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) { shape.add(input) }

    /// A row of another class refuses the row that leads there.
    func term(in translator: PredicateTranslator) throws -> Term {
        let term = try translator.term(input)
        switch term {
        case .constant: return try translator.fold(self)
        case .model(let model):
            guard let entity = translator.catalog.entity(for: Desired.self),
                let condition = try translator.condition(that: model, is: Desired.self)
            else { break }
            return .model(
                ModelTerm(
                    entity: entity, id: "CASE WHEN \(condition) THEN \(model.id) END", refusal: "(NOT \(condition))", scope: model.scope,
                    canBeNull: true))
        default: break
        }
        throw translator.unsupported(self, "only a model can be cast, to a class of the schema")
    }
}

extension PredicateTranslator {
    /// The condition that a row is of a class; nil when it never can be.
    func condition(that model: ModelTerm, is type: Any.Type) throws -> SQLFragment? {
        if type == model.entity.modelType || innermost(type) == model.entity.modelType { return "(\(model.id) IS NOT NULL)" }
        guard let entity = catalog.entity(for: innermost(type)), entity.table == model.entity.table, let names = entity.classNames else {
            return nil
        }
        let list = names.map { SQLFragment.parameter(.text($0)) }.joined(", ")
        return "(\(column(EntityTable.classColumn, of: model)) IN (\(list)) IS TRUE)"
    }
}
