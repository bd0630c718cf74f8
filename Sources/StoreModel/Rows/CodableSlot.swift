import Foundation
import StoreSQLite

/// The slot of any other `Codable` value: JSON text in one column.
///
/// The text is decoded on the first read of the property, since most fetches read only some properties.
@frozen
public struct CodableSlot<Wrapped: Codable>: Slot {
    /// Nil while the stored text has not been decoded, and before the first value.
    public var value: Wrapped?
    /// The stored text of a value that has not been decoded yet, or that does not decode.
    public var text: String?

    /// Neither value nor text, until one comes.
    @inlinable
    public init() {
        value = nil
        text = nil
    }

    public var shape: SlotShape { .attribute(.json, isOptional: Wrapped.self is any OptionalValue.Type) }

    @inlinable
    public mutating func initialize(_ value: Wrapped) { assign(value) }

    /// Takes a new value, and drops the stored text.
    @inlinable
    public mutating func assign(_ value: Wrapped) {
        self.value = value
        text = nil
    }

    @inlinable
    public mutating func load(_ cursor: inout RowCursor) {
        value = nil
        text = cursor.skipNull() ? nil : cursor.nextText()
    }

    public mutating func load(stored: Value) {
        guard case .text(let text) = stored else { return }
        value = nil
        self.text = text
    }

    public var undecodable: Value? {
        guard value == nil, let text, (try? JSONText.decode(Wrapped.self, from: text)) == nil else { return nil }
        return .text(text)
    }

    @inlinable
    public func bind(_ binder: inout RowBinder) {
        if binder.wantsNext() { bindText(&binder) }
    }

    @usableFromInline
    func bindText(_ binder: inout RowBinder) {
        do {
            if let text = try encoded() {
                binder.bind(text)
            } else {
                binder.bindNull()
            }
        } catch {
            binder.fail(error)
        }
    }

    /// The JSON text; nil for a nil value.
    @usableFromInline
    func encoded() throws -> String? {
        guard let value else { return text }
        if let optional = value as? any OptionalValue, optional.wrappedValue == nil { return nil }
        return try JSONText.encode(value)
    }

    public var anyValue: Any? { value ?? text.flatMap { try? JSONText.decode(Wrapped.self, from: $0) } }
    public mutating func setAny(_ value: Any?) -> Bool {
        guard let value = slotValue(value, as: Wrapped.self) else { return false }
        assign(value)
        return true
    }
    public var sqlValue: Value? { (try? encoded()).flatMap { $0 }.map(Value.text) ?? .null }
}

/// Values as JSON text, in one form: keys sorted, sets in the order of their elements' bytes, slashes not escaped, dates as seconds since the
/// reference date.
enum JSONText {
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return CanonicalList.text(String(decoding: try encoder.encode(value), as: UTF8.self), of: value)
    }

    static func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(type, from: Data(text.utf8))
    }
}

extension ModelRow {
    /// What a property's getter gives: decodes the stored text once; a substitute where that fails, which is reported.
    @inlinable
    public func _value<Wrapped>(_ slot: CodableSlot<Wrapped>, at index: Int) -> Wrapped {
        if let value = slot.value { return value }
        return _decode(slot.text, at: index)
    }

    /// Decodes the text of a slot and keeps the value there.
    @usableFromInline
    func _decode<Wrapped: Codable>(_ text: String?, at index: Int) -> Wrapped {
        guard let text else {
            if let none = (Wrapped.self as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ()) as? Wrapped { return none }
            return _substitute(at: index)
        }
        do {
            let value = try JSONText.decode(Wrapped.self, from: text)
            var keeper = KeepDecoded(value: value)
            _visit(index, &keeper)
            return value
        } catch {
            _report(
                .modelValidation(
                    "the text of property \(_propertyName(at: index)) does not decode as \(Wrapped.self): \(error)",
                    remedy: "repair the text in the store, or give the type a decoder that still understands it"))
            return _substitute(at: index, for: text)
        }
    }
}

private struct KeepDecoded<Wrapped>: SlotVisitor {
    let value: Wrapped
    mutating func visit<S: Slot>(_ slot: inout S) { _ = slot.setAny(value) }
}
