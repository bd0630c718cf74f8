import Foundation
import StoreSQLite

/// A value that stands for a row: an identifier, or a model.
package protocol StoredReference {
    /// The row's `storekeeper_id` in the table of `entity`; nil when it is of another entity or store, or not saved.
    ///
    /// - Parameter store: the identifier of the store that is asked; nil when it is not known.
    func rowID(in entity: EntityTable, of store: String?) -> Int64?
}

/// Swift values in the form that the store holds them in.
package enum StoredValue {
    /// The value of a parameter, or of a column, of `kind`.
    ///
    /// `nil` gives NULL, a `RawRepresentable` its raw value. A not-a-number gives NULL, which is what SQLite makes of it. An integer above
    /// `Int64.max` is an `UnsignedWord`, which no column holds.
    /// - Throws: `QueryError` or `EncodingError` when `value` cannot be held so.
    package static func encode(_ value: Any, as kind: StorageKind) throws -> Value {
        guard let value = unwrapped(value) else { return .null }
        if kind == .json { return .text(try CodableText.encode(value)) }
        switch value {
        case let value as Bool: return .integer(value ? 1 : 0)
        case let value as Int: return kind == .boolean ? .integer(value != 0 ? 1 : 0) : .integer(Int64(value))
        case let value as String: return .text(value)
        case let value as Double: return value.isNaN ? .null : .real(value)
        case let value as Date: return encode(value.timeIntervalSinceReferenceDate)
        case let value as UUID: return .text(value.uuidString)
        case let value as Data: return .blob(Array(value))
        case let value as URL: return .text(value.absoluteString)
        case let value as Float: return encode(Double(value))
        case let value as Decimal: return .text(value.description)
        case let value as any FixedWidthInteger: return try integer(value)
        case let value as Character: return .text(String(value))
        case let value as Substring: return .text(String(value))
        case let value as any RawRepresentable: return try encode(raw(value), as: kind)
        default:
            throw QueryError(.unsupportedPredicate, "A value of type \(type(of: value)) cannot be compared with what is stored: \(value)")
        }
    }

    /// `value` without its layers of `Optional`; nil when any of them is nil.
    package static func unwrapped(_ value: Any) -> Any? {
        var value = value
        while let optional = value as? any OptionalValue {
            guard let inner = optional.wrappedValue else { return nil }
            value = inner
        }
        return value
    }

    /// The value of `type` that `value` holds; nil for NULL.
    ///
    /// - Throws: `QueryError` or `DecodingError` when `value` is not what `encode` makes of a `type`.
    package static func decode(_ value: Value, as type: Any.Type) throws -> Any? {
        if value.isNull { return nil }
        if let optional = type as? any OptionalValue.Type { return try decode(value, as: optional.wrappedType) }
        let kind = StorageKind(of: type)
        switch (type, value) {
        case (is Bool.Type, .integer(let integer)): return integer != 0
        case (is String.Type, .text(let text)): return text
        case (is Double.Type, _): if let real = value.real { return real }
        case (is Float.Type, _): if let real = value.real { return Float(real) }
        case (is Date.Type, _): if let real = value.real { return Date(timeIntervalSinceReferenceDate: real) }
        case (is UUID.Type, .text(let text)): if let uuid = UUID(uuidString: text) { return uuid }
        case (is URL.Type, .text(let text)): if let url = URL(string: text) { return url }
        case (is Data.Type, .blob(let bytes)): return Data(bytes)
        case (is Decimal.Type, .text(let text)): if let decimal = Decimal(string: text) { return decimal }
        case (is Character.Type, .text(let text)): if text.count == 1, let character = text.first { return character }
        case (is Substring.Type, .text(let text)): return Substring(text)
        case (let type as any FixedWidthInteger.Type, .integer(let integer)): if let value = narrowed(integer, to: type) { return value }
        case (let type as any FixedWidthInteger.Type, .blob):
            if let word = UnsignedWord.word(value), let value = narrowed(word, to: type) { return value }
        case (let type as any RawRepresentable.Type, _) where kind != .json: if let raw = try represented(value, as: type) { return raw }
        case (let type as any Decodable.Type, .text(let text)): return try CodableText.decode(type, from: text)
        default: break
        }
        throw QueryError(.unsupportedPredicate, "\(value) is not the stored form of a \(type)")
    }

    private static func narrowed<T: FixedWidthInteger>(_ value: some FixedWidthInteger, to type: T.Type) -> Any? { T(exactly: value) }

    private static func represented<T: RawRepresentable>(_ value: Value, as type: T.Type) throws -> Any? {
        (try decode(value, as: T.RawValue.self) as? T.RawValue).flatMap { T(rawValue: $0) }
    }

    private static func encode(_ value: Double) -> Value { value.isNaN ? .null : .real(value) }

    private static func integer(_ value: some FixedWidthInteger) throws -> Value {
        if let integer = Int64(exactly: value) { return .integer(integer) }
        guard let word = UInt64(exactly: value) else {
            throw QueryError(.unsupportedPredicate, "\(value) is out of the range of integers of 64 bits")
        }
        return UnsignedWord.value(word)
    }

    private static func raw(_ value: some RawRepresentable) -> Any { value.rawValue }
}

/// `Codable` values as the JSON text that columns hold: keys sorted, slashes not escaped, so that equal values mostly give equal texts.
package enum CodableText {
    package static func encode(_ value: Any) throws -> String {
        guard let value = value as? any Encodable else {
            throw QueryError(.unsupportedPredicate, "A value of type \(type(of: value)) is not Codable: \(value)")
        }
        return try JSONText.encode(value)
    }

    package static func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(type, from: Data(text.utf8))
    }
}
