import Foundation

extension Predicate {
    /// A predicate that holds where all of `predicates` hold; where there are none, everywhere.
    ///
    /// `#Predicate` on Linux does not take `other.evaluate($0)`: this is the way to put predicates together.
    public init(all predicates: [Predicate<repeat each Input>]) {
        self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
            PredicateExpressions.PredicateCombination(predicates, all: true, variable: repeat each variable)
        }
    }

    /// A predicate that holds where any of `predicates` holds; where there are none, nowhere.
    public init(any predicates: [Predicate<repeat each Input>]) {
        self.init { (variable: repeat PredicateExpressions.Variable<each Input>) in
            PredicateExpressions.PredicateCombination(predicates, all: false, variable: repeat each variable)
        }
    }
}

extension PredicateExpressions {
    /// Several predicates of the same input as one.
    public struct PredicateCombination<each Input>: StandardPredicateExpression, CustomStringConvertible {
        public typealias Output = Bool

        /// The parts.
        public let predicates: [Predicate<repeat each Input>]
        /// Whether all must hold; else one is enough.
        public let all: Bool
        /// What the combination itself is asked about; each part has variables of its own.
        public let variable: (repeat Variable<each Input>)

        init(_ predicates: [Predicate<repeat each Input>], all: Bool, variable: repeat Variable<each Input>) {
            // Those that are put together already lie beside the others, so that predicates that are added one by one do not lie in each other.
            self.predicates = predicates.flatMap { predicate -> [Predicate<repeat each Input>] in
                guard let inner = predicate.expression as? Self, inner.all == all else { return [predicate] }
                return inner.predicates
            }
            self.all = all
            self.variable = (repeat each variable)
        }

        /// Looks at the parts in their order, as far as it has to.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            let input = (repeat try (each variable).evaluate(bindings))
            for predicate in predicates where try predicate.evaluate(repeat each input) != all { return !all }
            return all
        }

        public var description: String {
            "PredicateCombination(\(all ? "all" : "any"): [\(predicates.map { "\($0.expression)" }.joined(separator: ", "))])"
        }

        /// - Throws: `EncodingError`, always.
        public func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "Foundation encodes no predicates on this platform"))
        }

        /// - Throws: `DecodingError`, always.
        public init(from decoder: any Decoder) throws {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "Foundation decodes no predicates on this platform"))
        }
    }
}

extension PredicateExpressions.PredicateCombination: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(word: all ? 1 : 0)
        shape.add(word: predicates.count)
        for variable in repeat each variable { shape.add(variable) }
        for predicate in predicates {
            shape.addAlone { shape in
                for variable in repeat each predicate.variable { shape.add(variable: variable.key) }
                func add<E: PredicateExpression>(_ expression: E) {
                    shape.add(word: Int(bitPattern: ObjectIdentifier(E.self)))
                    shape.add(expression)
                }
                add(predicate.expression)
            }
        }
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        var arguments: [Term] = []
        for variable in repeat each variable { arguments.append(try translator.term(variable)) }
        var conditions = Conditions(all: all)
        for predicate in predicates {
            var index = 0
            for variable in repeat each predicate.variable {
                translator.bind(variable, to: arguments[index])
                index += 1
            }
            if try conditions.add(predicate.expression, in: translator) { break }
        }
        // Not a captured value: it could not be evaluated without a row.
        if case .constant(let constant) = conditions.term {
            return SQLScalar.condition(translator.peek(constant) as? Bool == true ? "1" : "0")
        }
        return conditions.term
    }
}
