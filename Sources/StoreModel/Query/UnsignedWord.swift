import Foundation
import StoreSQLite

/// Unsigned integers of 64 bits in SQL, whose own end at `Int64.max`.
///
/// What is larger is eight bytes, the highest first: SQLite has every such BLOB behind every number, and among each other in the order of their
/// bytes. So what is compared with a column, a captured value or a part of a `Codable` value, needs no case of its own. No column holds one.
@usableFromInline
enum UnsignedWord {
    @usableFromInline
    static func value(_ word: UInt64) -> Value {
        if let integer = Int64(exactly: word) { return .integer(integer) }
        return .blob(withUnsafeBytes(of: word.bigEndian) { Array($0) })
    }

    /// Nil for what `value` does not give.
    static func word(_ value: Value) -> UInt64? {
        switch value {
        case .integer(let integer): return UInt64(exactly: integer)
        case .blob(let bytes) where bytes.count == 8: return bytes.reduce(0) { $0 << 8 | UInt64($1) }
        default: return nil
        }
    }

    /// Whether a type, seen through optionals and raw values, has values above `Int64.max`.
    static func isHeld(by type: Any.Type) -> Bool {
        func raw<T: RawRepresentable>(_: T.Type) -> Any.Type { T.RawValue.self }
        let type = innermost(type)
        if type == UInt64.self || type == UInt.self { return true }
        guard StorageKind(plain: type) == nil, let representable = type as? any RawRepresentable.Type else { return false }
        return isHeld(by: raw(representable))
    }

    /// A value that SQLite's functions for JSON give, with what they round to floating point taken from `exact`.
    static func read(_ value: SQLFragment, exact: SQLFragment, type: Any.Type) -> SQLFragment {
        isHeld(by: type) ? "CASE typeof(\(value)) WHEN 'real' THEN \(exact) ELSE \(value) END" : value
    }

    /// - Parameter refuse: refuses the row, where Swift would stop.
    static func register(on connection: Connection, refuse: @escaping () -> Value) throws {
        try connection.register(function: "storekeeper_word", arguments: 1) { arguments in
            guard case .text(let json) = arguments[0] else { return .null }
            return value(try CodableText.decode(UInt64.self, from: json))
        }
        try connection.register(function: "storekeeper_words", arguments: 3, isDeterministic: false) { arguments in
            guard let a = word(arguments[0]), let b = word(arguments[2]), case .text(let operation) = arguments[1] else { return refuse() }
            let (result, overflow) =
                switch operation {
                case "+": a.addingReportingOverflow(b)
                case "-": a.subtractingReportingOverflow(b)
                case "*": a.multipliedReportingOverflow(by: b)
                case "/": a.dividedReportingOverflow(by: b)
                default: a.remainderReportingOverflow(dividingBy: b)
                }
            return overflow ? refuse() : value(result)
        }
    }

    /// The result of an operation of integers; nil where they are of another type.
    static func calculated(_ a: SQLFragment, _ operation: SQLFragment, _ b: SQLFragment, type: Any.Type) -> SQLFragment? {
        isHeld(by: type) ? .refusing("storekeeper_words(\(a), '\(operation)', \(b))") : nil
    }
}
