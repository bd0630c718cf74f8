import Foundation
import StoreSQLite

/// The slot of a value that a `ValueTransformer` turns into bytes. Those are turned back on the first read of the property.
public struct TransformableSlot<Wrapped>: Slot {
    /// Nil while the stored bytes have not been turned back, and before the first value.
    public var value: Wrapped?
    /// The stored bytes of a value that has not been turned back yet, or that cannot be.
    public var data: Data?
    private let transformer: TransformerReference

    init(_ transformer: TransformerReference) { self.transformer = transformer }

    public var shape: SlotShape { .attribute(.data, isOptional: Wrapped.self is any OptionalValue.Type) }

    public mutating func initialize(_ value: Wrapped) { assign(value) }
    /// Takes a new value, and drops the stored bytes.
    public mutating func assign(_ value: Wrapped) {
        self.value = value
        data = nil
    }
    public mutating func load(_ cursor: inout RowCursor) {
        value = nil
        data = cursor.skipNull() ? nil : cursor.withNextBytes { Data($0) }
    }
    /// Takes bytes.
    public mutating func load(stored: Value) {
        guard case .blob(let bytes) = stored else { return }
        value = nil
        data = Data(bytes)
    }
    /// The bytes, where the transformer does not turn them back.
    public var undecodable: Value? {
        guard value == nil, let data, (try? reversed()) == nil else { return nil }
        return .blob(Array(data))
    }
    /// Binds the bytes, if the property is wanted.
    public func bind(_ binder: inout RowBinder) {
        guard binder.wantsNext() else { return }
        do {
            if let data = try transformed() { data.withUnsafeBytes { binder.bind(blob: $0) } } else { binder.bindNull() }
        } catch {
            binder.fail(error)
        }
    }

    /// The bytes; nil for a nil value.
    private func transformed() throws -> Data? {
        guard let value else { return data }
        let plain: Any? = if let optional = value as? any OptionalValue { optional.wrappedValue } else { value }
        guard let plain else { return nil }
        guard let result = try transformer.transformer().transformedValue(plain) as? Data else {
            throw SwiftDataError.modelValidation(
                "the transformer \(transformer) made no Data of a \(type(of: plain))", remedy: "let its transformedValue return Data")
        }
        return result
    }

    func reversed() throws -> Wrapped? {
        guard let data, let plain = try transformer.transformer().reverseTransformedValue(data) else { return nil }
        return plain as? Wrapped
    }

    public var anyValue: Any? { value ?? (try? reversed()) }
    public mutating func setAny(_ value: Any?) -> Bool {
        guard let value = slotValue(value, as: Wrapped.self) else { return false }
        assign(value)
        return true
    }
    public var sqlValue: Value? { (try? transformed()).flatMap { $0 }.map { .blob([UInt8]($0)) } ?? .null }
}

/// Which transformer: a class, or a registered name.
enum TransformerReference: CustomStringConvertible {
    case type(ValueTransformer.Type)
    case name(String)

    var description: String {
        switch self {
        case .type(let type): "\(type)"
        case .name(let name): name
        }
    }

    func transformer() throws -> ValueTransformer {
        switch self {
        case .type(let type): return type.init()
        case .name(let name):
            if let found = ValueTransformer.valueTransformer(forName: NSValueTransformerName(name)) { return found }
            throw SwiftDataError.modelValidation(
                "no ValueTransformer is registered under the name \(name)",
                remedy: "call ValueTransformer.setValueTransformer(_:forName:) before the first use of the store")
        }
    }
}

/// `.transformable(by:)` with a class, which is made anew for each use.
public func _transformableSlot<T>(_ type: T.Type, by transformer: ValueTransformer.Type) -> TransformableSlot<T> {
    TransformableSlot(.type(transformer))
}
/// `.transformable(by:)` with a class, which is made anew for each use.
public func _transformableSlot<T>(like value: @autoclosure () -> T, by transformer: ValueTransformer.Type) -> TransformableSlot<T> {
    TransformableSlot(.type(transformer))
}
/// `.transformable(by:)` with the name of a registered transformer, looked up at each use.
public func _transformableSlot<T>(_ type: T.Type, by transformer: String) -> TransformableSlot<T> { TransformableSlot(.name(transformer)) }
/// `.transformable(by:)` with the name of a registered transformer, looked up at each use.
public func _transformableSlot<T>(like value: @autoclosure () -> T, by transformer: String) -> TransformableSlot<T> {
    TransformableSlot(.name(transformer))
}

extension ModelRow {
    /// What a property's getter gives: turns the stored bytes back once; a substitute where that fails, which is reported.
    public func _value<Wrapped>(_ slot: TransformableSlot<Wrapped>, at index: Int) -> Wrapped {
        if let value = slot.value { return value }
        do {
            if let value = try slot.reversed() {
                var keeper = KeepReversed(value: value)
                _visit(index, &keeper)
                return value
            }
            if slot.data != nil {
                _report(
                    .modelValidation(
                        "the bytes of property \(_propertyName(at: index)) cannot be turned back into \(Wrapped.self)",
                        remedy: "let the transformer understand them, or repair them in the store"))
            }
        } catch {
            _report(
                .modelValidation("property \(_propertyName(at: index)) cannot be read", remedy: "register its transformer", cause: error))
        }
        return _substitute(at: index)
    }
}

private struct KeepReversed<Wrapped>: SlotVisitor {
    let value: Wrapped
    mutating func visit<S: Slot>(_ slot: inout S) { _ = slot.setAny(value) }
}
