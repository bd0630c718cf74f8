import Foundation
import StoreSQLite

extension PredicateExpressions.SequenceContains: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(sequence)
        shape.add(element)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let list = try translator.term(sequence), item = try translator.term(element)
        switch (list, item) {
        case (.constant, .constant): return try translator.fold(self)
        case (.range(let range), _): return try translator.contains(range, element, item, in: self)
        case (.constant(let constant), _):
            if LHS.Output.self is any CapturedRange.Type, let range = translator.value(of: constant) as? any CapturedRange {
                return try translator.contains(range.term, element, item, in: self)
            }
            let value = try translator.scalar(element, item)
            if let term = try translator.isOne(of: constant, value, type: RHS.Output.self, in: self) { return term }
        default:
            let collection = try translator.collection(sequence, list)
            let member = try translator.elementScalar(collection, in: self)
            // Nothing is equal to it, and NULL is.
            if case .constant(let constant) = item, constant.isNotANumber { return collection.value("0", kind: .boolean) }
            let value = try translator.scalar(element, item, like: member)
            let pair =
                if member.kind.canBeNotANumber, let presence = member.presence {
                    EqualityPair(numbers: member, presence, value, translator.numberPresence(of: item, value))
                } else {
                    EqualityPair(member, value, optional: RHS.Output.self is any OptionalValue.Type)
                }
            guard case .scalar(let equal) = pair.equal else { return .computed(false) }
            return collection.value("(EXISTS \(collection.select("1", where: equal.sql)))", kind: .boolean)
        }
        throw translator.unsupported(self, "the list has no form in SQL")
    }
}

extension PredicateExpressions.SequenceContainsWhere: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(variable: variable.key)
        shape.add(sequence)
        shape.add(test)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let list = try translator.term(sequence)
        if let values = translator.unrolled(list, LHS.Output.Element.self) {
            let tests = try translator.each(of: values, as: variable, test)
            return tests.isEmpty ? .computed(false) : tests.any
        }
        let collection = try translator.collection(sequence, list)
        let test = try translator.test(test, of: variable, in: collection)
        return collection.value("(EXISTS \(collection.select("1", where: test.sql)))", kind: .boolean)
    }
}

extension PredicateExpressions.SequenceAllSatisfy: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(variable: variable.key)
        shape.add(sequence)
        shape.add(test)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let list = try translator.term(sequence)
        if let values = translator.unrolled(list, LHS.Output.Element.self) {
            let tests = try translator.each(of: values, as: variable, test)
            return tests.isEmpty ? .computed(true) : tests.all
        }
        let collection = try translator.collection(sequence, list)
        let test = try translator.test(test, of: variable, in: collection)
        return collection.value("(NOT EXISTS \(collection.select("1", where: "\(test.sql) IS NOT TRUE")))", kind: .boolean)
    }
}

extension PredicateExpressions.Filter: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(variable: variable.key)
        shape.add(sequence)
        shape.add(filter)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let list = try translator.term(sequence)
        var collection = try translator.collection(sequence, list)
        let test = try translator.test(filter, of: variable, in: collection)
        collection.conditions.append(test.sql)
        return .collection(collection)
    }
}

extension PredicateExpressions.SequenceMinimum: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) { shape.add(elements) }

    func term(in translator: PredicateTranslator) throws -> Term { try translator.extremum("MIN", elements, in: self) }
}

extension PredicateExpressions.SequenceMaximum: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) { shape.add(elements) }

    func term(in translator: PredicateTranslator) throws -> Term { try translator.extremum("MAX", elements, in: self) }
}

extension PredicateTranslator {
    /// The condition of one element, in the FROM clause of the collection.
    func test<T, E: PredicateExpression<Bool>>(
        _ test: E, of variable: PredicateExpressions.Variable<T>, in collection: CollectionTerm
    ) throws -> SQLScalar {
        try within(collection.scope) {
            try binding(variable, to: collection.element) { try condition(test) }
        }
    }

    fileprivate func elementScalar(_ collection: CollectionTerm, in expression: any PredicateExpression) throws -> SQLScalar {
        switch collection.element {
        case .scalar(let scalar): return scalar
        case .model(let model): return model.identifier
        default: throw unsupported(expression, "its elements are not values in SQL")
        }
    }

    fileprivate func extremum<E: PredicateExpression, Whole: PredicateExpression>(
        _ function: SQLFragment, _ elements: E, in expression: Whole
    ) throws -> Term where E.Output: Sequence {
        let list = try term(elements)
        if case .constant = list { return try fold(expression) }
        guard StorageKind(plain: E.Output.Element.self) != nil else {
            throw unsupported(expression, "\(E.Output.Element.self) has an order of its own, which SQL does not know")
        }
        let collection = try collection(elements, list)
        let element = try elementScalar(collection, in: expression)
        return collection.value(collection.select("\(function)(\(element.sql))"), kind: element.kind, canBeNull: true)
    }
}
