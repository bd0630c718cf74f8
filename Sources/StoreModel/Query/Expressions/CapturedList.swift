import Foundation
import StoreSQLite

extension Array where Element == Any {
    /// The elements of a captured sequence.
    init(any sequence: any Sequence) {
        func elements(_ sequence: some Sequence) -> [Any] { sequence.map { $0 } }
        self = elements(sequence)
    }
}

extension PredicateTranslator {
    /// A list as a FROM clause of its own.
    func collection<E: PredicateExpression>(_ expression: E, _ term: Term) throws -> CollectionTerm where E.Output: Sequence {
        switch term {
        case .collection(let collection): return collection
        case .constant(let constant):
            guard let values = value(of: constant) as? any Sequence else { break }
            return try captured(Array(any: values), type: E.Output.Element.self, in: expression)
        case .scalar(let scalar) where scalar.kind == .json:
            guard jsonElementType(of: E.Output.self) != nil else { break }
            return try list(scalar.sql, type: E.Output.Element.self, canBeAbsent: scalar.canBeNull, in: expression)
        case .path:
            let scalar = try scalar(expression, term)
            return try collection(expression, .scalar(scalar))
        default: break
        }
        throw unsupported(expression, "it is not a list that SQL can go through")
    }

    /// Whether `value` is one of `values`: one parameter, however many there are.
    func isOne(of list: Constant, _ value: SQLScalar, type: Any.Type, in expression: any PredicateExpression) throws -> Term? {
        // Whether a list has a nil among its elements, and what composite values it has, decides what the SQL is.
        let isPlain = value.kind != .json && !(type is any OptionalValue.Type)
        guard let sequence = (isPlain ? peek(list) : self.value(of: list)) as? any Sequence else { return nil }
        let values = Array(any: sequence)
        let present = values.filter { StoredValue.unwrapped($0) != nil }
        var condition: SQLFragment
        if let entity = value.entity {
            if let stranger = present.first(where: { !($0 is any StoredReference) }) {
                throw unsupported(expression, "a value of type \(Swift.type(of: stranger)) does not identify a row of \(entity.name)")
            }
            condition = "(\(value.sql) IN (SELECT value FROM json_each(\(try parameter(list, as: .rows(entity.name))))))"
        } else if value.kind == .json {
            let number = SwiftFunctions.equalityNumber(of: innermost(type))
            let tests = try present.map { element -> SQLFragment in
                var value = value
                value.equalityNumber = number
                let other = try parameter(Constant(element), type: type, like: value, in: expression)
                guard case .scalar(let equal) = EqualityPair(value, other, optional: false).equal else { return "0" }
                return equal.sql
            }
            condition = tests.isEmpty ? "0" : tests.balanced(" OR ")
        } else {
            let json = try parameter(list, as: .list(value.kind))
            let collation: SQLFragment = value.kind == .decimal ? " COLLATE storekeeper_decimal" : ""
            let element = CapturedList.element(of: value.kind, type: type)
            condition = "(\(value.sql)\(collation) IN (SELECT \(element) FROM json_each(\(json))))"
        }
        if present.count < values.count {
            condition = "(\(condition) OR \(value.presence.map { "NOT \($0)" } ?? "\(value.sql) IS NULL"))"
        }
        return SQLScalar.condition(condition, canBeNull: value.canBeNull)
    }

    /// The elements of a captured list when they must be written out one by one; nil when SQL can go through them.
    func unrolled(_ list: Term, _ type: Any.Type) -> [Any]? {
        guard case .constant(let constant) = list, StorageKind(of: type) == .json, let values = value(of: constant) as? any Sequence else {
            return nil
        }
        return Array(any: values)
    }

    /// The test for each element of a captured list.
    func each<T, E: PredicateExpression<Bool>>(
        of values: [Any], as variable: PredicateExpressions.Variable<T>, _ test: E
    ) throws -> [SQLScalar] {
        try values.map { value in try binding(variable, to: .computed(value)) { try condition(test) } }
    }

    private func captured(_ values: [Any], type: Any.Type, in expression: any PredicateExpression) throws -> CollectionTerm {
        let kind = StorageKind(of: type)
        guard kind != .json else { throw unsupported(expression, "a captured list of composite values has no form in SQL here") }
        let list = try CapturedList(values, kind: kind)
        let row = alias()
        let scope = QueryScope(source: "json_each(\(.parameter(list.json))) AS \(raw: row)")
        let element = SQLScalar(
            sql: CapturedList.element(row, of: kind, type: type), kind: kind, canBeNull: type is any OptionalValue.Type || list.hasNull)
        return CollectionTerm(scope: scope, element: .scalar(element))
    }

    /// The elements of a JSON array.
    private func list(
        _ json: SQLFragment, type: Any.Type, canBeAbsent: Bool, in expression: any PredicateExpression
    ) throws -> CollectionTerm {
        let row = alias()
        let isText = StorageKind(of: type) == .text
        let source = isText ? ZeroText.read(json, "storekeeper_zero_list(\(json))", else: json) : json
        let value =
            isText
            ? CapturedList.element(row, of: .text, type: type)
            : UnsignedWord.read(
                "\(raw: row).value", exact: "storekeeper_word(\(raw: row).json -> \(raw: row).fullkey)", type: type)
        guard let element = SQLScalar(json: value, type: type) else {
            throw unsupported(expression, "elements of type \(type) cannot be compared inside JSON")
        }
        return CollectionTerm(
            scope: QueryScope(source: "json_each(\(source)) AS \(raw: row)"), element: .scalar(element),
            presence: canBeAbsent ? "(\(json) IS NOT NULL)" : nil)
    }
}

/// A captured list as one JSON parameter.
///
/// Numbers that JSON text would round go in as the bit patterns of their doubles, bytes in Base64 (so also an `UnsignedWord`), and a text with U+0000, which SQLite would
/// cut there, as a list of its bytes.
struct CapturedList {
    let json: Value
    let hasNull: Bool

    /// - Parameter leavingOutNulls: leaves out not-a-numbers, which nothing is equal to.
    init(_ values: [Any], kind: StorageKind, leavingOutNulls: Bool = false) throws {
        var text = "["
        var hasNull = false
        for value in values {
            let value = try StoredValue.encode(value, as: kind)
            if leavingOutNulls, value.isNull { continue }
            if text.utf8.count > 1 { text += "," }
            switch value {
            case .null:
                hasNull = true
                text += "null"
            case .integer(let integer): text += String(integer)
            case .real(let real): text += String(Int64(bitPattern: real.bitPattern))
            case .text(let string): CapturedList.quote(string, into: &text)
            case .blob(let bytes): CapturedList.quote(Data(bytes).base64EncodedString(), into: &text)
            }
        }
        json = .text(text + "]")
        self.hasNull = hasNull
    }

    /// One element of a `json_each`.
    ///
    /// - Parameter row: its alias; nil where it needs none.
    static func element(_ row: String? = nil, of kind: StorageKind, type: Any.Type) -> SQLFragment {
        let prefix = row.map { $0 + "." } ?? ""
        let value: SQLFragment = "\(raw: prefix)value"
        switch kind {
        case .text:
            return """
                CASE \(raw: prefix)type WHEN 'array' THEN CAST(storekeeper_bytes(json_extract(\(value), '$[0]')) AS TEXT) \
                ELSE \(value) END
                """
        case .real, .float, .date: return "storekeeper_real(\(value))"
        case .data: return "storekeeper_bytes(\(value))"
        case .integer where UnsignedWord.isHeld(by: type):
            return "CASE \(raw: prefix)type WHEN 'text' THEN storekeeper_bytes(\(value)) ELSE \(value) END"
        default: return value
        }
    }

    private static func quote(_ string: String, into text: inout String) {
        if string.utf8.contains(0) {
            text += "[\"\(Data(string.utf8).base64EncodedString())\"]"
            return
        }
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\u{1}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

/// A sequence whose JSON is an array of its elements.
private protocol JSONArray {
    static var elementType: Any.Type { get }
}

extension Array: JSONArray {
    static var elementType: Any.Type { Element.self }
}
extension ContiguousArray: JSONArray {
    static var elementType: Any.Type { Element.self }
}
extension Set: JSONArray {
    static var elementType: Any.Type { Element.self }
}
extension Optional: JSONArray where Wrapped: JSONArray {
    static var elementType: Any.Type { Wrapped.elementType }
}

/// The type of the elements of a list that is held as a JSON array; nil for every other type.
func jsonElementType(of type: Any.Type) -> Any.Type? { (type as? any JSONArray.Type)?.elementType }
