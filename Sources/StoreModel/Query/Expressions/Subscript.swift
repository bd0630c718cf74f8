import Foundation
import StoreSQLite

extension PredicateExpressions.CollectionIndexSubscript: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(wrapped)
        shape.add(index)
    }

    /// An element of a list in a column. An index that the list does not have refuses the row.
    func term(in translator: PredicateTranslator) throws -> Term {
        let list = try translator.term(wrapped), position = try translator.term(index)
        if case .constant(let first) = list, case .constant(let second) = position,
            let values = translator.value(of: first) as? Wrapped.Output, let index = translator.value(of: second) as? Wrapped.Output.Index
        {
            guard values.indices.contains(index) else { throw translator.unsupported(self, "the captured list has no such index") }
            return .computed(values[index])
        }
        guard jsonElementType(of: Wrapped.Output.self) != nil, Wrapped.Output.Index.self == Int.self else {
            throw translator.unsupported(self, "only lists in columns can be indexed")
        }
        let text = try translator.scalar(wrapped, list)
        let path: SQLFragment
        if case .constant(let constant) = position, let index = translator.value(of: constant) as? Int {
            path = .parameter(.text(index < 0 ? "$[2000000000]" : "$[\(index)]"))
        } else {
            path = "storekeeper_step(\(try translator.scalar(index, position).sql))"
        }
        let value = ZeroText.part(of: text.sql, at: path, type: Wrapped.Output.Element.self)
        guard let element = SQLScalar(json: value.refused(if: "json_type(\(text.sql), \(path)) IS NULL"), type: Wrapped.Output.Element.self)
        else { throw translator.unsupported(self, "such an element cannot be read from JSON") }
        return .scalar(element)
    }
}

extension PredicateExpressions.DictionaryKeySubscript: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(wrapped)
        shape.add(key)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let dictionary = try translator.term(wrapped), key = try translator.term(key)
        if case .constant = dictionary, case .constant = key { return try translator.fold(self) }
        return .scalar(
            try translator.entry(
                of: try translator.scalar(wrapped, dictionary), at: try translator.scalar(self.key, key), keyType: Key.Output.self,
                valueType: Value?.self, in: self))
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(wrapped)
        shape.add(key)
        shape.add(self.default)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let dictionary = try translator.term(wrapped), key = try translator.term(key), fallback = try translator.term(self.default)
        if case .constant = dictionary, case .constant = key, case .constant = fallback { return try translator.fold(self) }
        var entry = try translator.entry(
            of: try translator.scalar(wrapped, dictionary), at: try translator.scalar(self.key, key), keyType: Key.Output.self,
            valueType: Default.Output?.self, in: self)
        let other = try translator.scalar(self.default, fallback, like: entry)
        if let presence = entry.presence {
            entry.sql = "CASE WHEN \(presence) THEN \(entry.sql) ELSE \(other.sql) END"
            entry.presence = nil
        } else {
            entry.sql = "COALESCE(\(entry.sql), \(other.sql))"
            entry.canBeNull = other.canBeNull
        }
        return .scalar(entry)
    }
}

extension PredicateTranslator {
    /// The value under a key of a dictionary that is held as a JSON object.
    fileprivate func entry(
        of dictionary: SQLScalar, at key: SQLScalar, keyType: Any.Type, valueType: Any.Type, in expression: any PredicateExpression
    ) throws -> SQLScalar {
        guard keyType == String.self || keyType == Int.self else {
            throw unsupported(expression, "a dictionary with keys of type \(keyType) is not held as a JSON object")
        }
        let row = alias()
        let key: SQLFragment = keyType == Int.self ? "CAST(\(key.sql) AS TEXT)" : key.sql
        let value: SQLFragment =
            "(SELECT \(raw: row).value FROM json_each(\(dictionary.sql)) AS \(raw: row) WHERE \(raw: row).key = \(key))"
        let ours: SQLFragment = "storekeeper_zero_entry(\(dictionary.sql), \(key))"
        let whole = ZeroText.read(dictionary.sql, ours, else: UnsignedWord.read(value, exact: ours, type: valueType))
        guard let entry = SQLScalar(json: whole, type: valueType) else {
            throw unsupported(expression, "a value of type \(valueType) cannot be read from JSON")
        }
        return entry
    }
}
