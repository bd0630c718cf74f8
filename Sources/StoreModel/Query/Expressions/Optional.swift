import Foundation

extension PredicateExpressions.OptionalFlatMap: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(variable: variable.key)
        shape.add(wrapped)
        shape.add(transform)
    }

    /// Optional chaining. What is reached by key paths alone is NULL by itself where the start is; all else is guarded.
    func term(in translator: PredicateTranslator) throws -> Term {
        let start = try translator.term(wrapped)
        switch start {
        case .constant(let constant):
            guard let value = StoredValue.unwrapped(translator.value(of: constant)) else { return .computed(Result?.none as Any) }
            return try translator.binding(variable, to: .computed(value)) { try translator.term(transform) }
        case .scalar(var scalar):
            let outer = scalar.origin
            scalar.origin = variable.key
            let end = try translator.binding(variable, to: .scalar(scalar)) { try translator.term(transform) }
            return try guarded(end, by: "\(scalar.sql) IS NOT NULL", outer: outer, in: translator)
        case .path:
            var scalar = try translator.scalar(wrapped, start)
            let outer = scalar.origin
            scalar.origin = variable.key
            let end = try translator.binding(variable, to: .scalar(scalar)) { try translator.term(transform) }
            return try guarded(end, by: "\(scalar.sql) IS NOT NULL", outer: outer, in: translator)
        case .model(var model):
            let outer = model.origin
            model.origin = variable.key
            let end = try translator.binding(variable, to: .model(model)) { try translator.term(transform) }
            return try guarded(end, by: "\(model.id) IS NOT NULL", outer: outer, in: translator)
        case .collection(let collection):
            let end = try translator.binding(variable, to: start) { try translator.term(transform) }
            guard let presence = collection.presence else { return end }
            return try guarded(end, by: presence, outer: nil, in: translator)
        case .range: throw translator.unsupported(self, "a range has no form in SQL here")
        }
    }

    private func guarded(
        _ end: Term, by condition: SQLFragment, outer: PredicateExpressions.VariableID?, in translator: PredicateTranslator
    ) throws -> Term {
        let isNested = Result.self is any OptionalValue.Type
        switch end {
        case .scalar(var scalar) where scalar.origin == variable.key:
            scalar.origin = outer
            scalar.canBeNull = true
            let isNumberInside = scalar.json != nil && scalar.kind.canBeNotANumber
            scalar.presence =
                isNested || isNumberInside && scalar.presence == nil ? "(\(condition))" : isNumberInside ? scalar.presence : nil
            return .scalar(scalar)
        case .path(var base, let root, let path) where base.origin == variable.key && !isNested:
            base.origin = outer
            base.canBeNull = true
            return .path(base, root: root, path: path)
        case .model(var model) where model.origin == variable.key:
            model.origin = outer
            model.canBeNull = true
            return .model(model)
        case .model(let model):
            return .model(
                ModelTerm(entity: model.entity, id: "CASE WHEN \(condition) THEN \(model.id) END", scope: translator.scope, canBeNull: true)
            )
        case .collection(var collection):
            collection.presence = collection.presence.map { "(\(condition) AND \($0))" } ?? "(\(condition))"
            return .collection(collection)
        case .scalar, .path, .constant:
            let scalar = try translator.scalar(transform, end)
            let value = scalar.kind == .boolean && !(RHS.Output.self is any OptionalValue.Type) ? scalar.truth : scalar.sql
            return .scalar(
                SQLScalar(
                    sql: "CASE WHEN \(condition) THEN \(value) END", kind: scalar.kind, canBeNull: true, entity: scalar.entity,
                    presence: isNested ? "(\(condition))" : nil))
        case .range: throw translator.unsupported(self, "a range has no form in SQL here")
        }
    }
}

extension PredicateExpressions.NilCoalesce: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(lhs)
        shape.add(rhs)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let left = try translator.term(lhs)
        if case .constant(let constant) = left {
            // What stands behind it is not looked at.
            return StoredValue.unwrapped(translator.value(of: constant)) == nil ? try translator.term(rhs) : left
        }
        if case .collection(let collection) = left, collection.presence == nil { return left }
        let right = try translator.term(rhs)
        switch (left, right) {
        case (.collection(let collection), .constant(let constant)):
            guard let elements = StoredValue.unwrapped(translator.value(of: constant)) as? any Collection, elements.isEmpty else { break }
            return .collection(collection.emptyIfAbsent)
        case (.model(let model), _):
            guard let other = right.identifier else { break }
            return .model(
                ModelTerm(
                    entity: model.entity, id: "COALESCE(\(model.id), \(other))", scope: translator.scope,
                    canBeNull: Output.self is any OptionalValue.Type))
        default:
            let a = try translator.scalar(lhs, left), b = try translator.scalar(rhs, right, like: a)
            let value: SQLFragment =
                if let presence = a.presence { "CASE WHEN \(presence) THEN \(a.sql) ELSE \(b.sql) END" } else {
                    "COALESCE(\(a.sql), \(b.sql))"
                }
            return .scalar(
                SQLScalar(sql: value, kind: a.kind, canBeNull: b.canBeNull || a.presence != nil, entity: a.entity, presence: b.presence))
        }
        throw translator.unsupported(self, "a relationship can be replaced by an empty list only")
    }
}

extension PredicateExpressions.ForcedUnwrap: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) { shape.add(inner) }

    /// A value that is absent refuses the row.
    func term(in translator: PredicateTranslator) throws -> Term {
        let term = try translator.term(inner)
        switch term {
        case .constant: return try translator.fold(self)
        case .model(var model):
            model.refusal = model.refusal.map { "(\($0) OR \(model.id) IS NULL)" } ?? "(\(model.id) IS NULL)"
            model.origin = nil
            return .model(model)
        case .collection(var collection):
            collection.refusal = collection.presence.map { "(NOT \($0))" }
            collection.presence = nil
            return .collection(collection)
        case .scalar, .path:
            let value = try translator.scalar(inner, term)
            let there = value.presence ?? "(\(value.sql) IS NOT NULL)"
            let unwrapped: SQLFragment =
                value.presence == nil
                ? .refusing("COALESCE(\(value.sql), storekeeper_refuse())") : value.sql.refused(if: "(NOT \(there))")
            return .scalar(
                SQLScalar(
                    sql: unwrapped, kind: value.kind, canBeNull: true, entity: value.entity, equalityNumber: value.equalityNumber))
        case .range: return term
        }
    }
}
