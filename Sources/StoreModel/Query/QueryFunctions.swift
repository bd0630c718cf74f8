import Foundation
import StoreSQLite

/// The SQL functions and collations that translated predicates and sorts call. Every connection that runs them must have them.
///
/// All functions but `storekeeper_equal` give NULL when an argument is NULL.
package enum QueryFunctions {
    /// Registers all of them on `connection`.
    package static func register(on connection: Connection) throws {
        try registerText(on: connection)
        try registerNumbers(on: connection)
        try Refusal.register(on: connection)
        try ZeroText.register(on: connection)
        try registerDecimals(on: connection)
        try connection.register(function: "storekeeper_path", arguments: 2) { arguments in
            guard case .integer(let number) = arguments[0], !arguments[1].isNull else { return .null }
            return try SwiftFunctions.path(number, arguments[1])
        }
        try connection.register(function: "storekeeper_pending", arguments: 3) { arguments in
            guard case .integer(let table) = arguments[0], case .integer(let row) = arguments[1], case .integer(let value) = arguments[2]
            else { return .null }
            return PendingOverlay.current?.value(Int(value), of: row, in: Int(table)) ?? .null
        }
        try connection.register(function: "storekeeper_equal", arguments: 3) { arguments in
            guard case .integer(let number) = arguments[0] else { return .integer(0) }
            return .integer(try SwiftFunctions.areEqual(number, arguments[1], arguments[2]) ? 1 : 0)
        }
    }

    private static func registerText(on connection: Connection) throws {
        try connection.register(texts: "storekeeper_contains") { PlainText.contains($0, $1) }
        try connection.register(texts: "storekeeper_starts") { PlainText.starts($0, with: $1) }
        try connection.register(texts: "storekeeper_standard_contains") { $0.localizedStandardContains($1) }
        try connection.register(function: "storekeeper_matches", arguments: 2) { arguments in
            guard case .text(let text) = arguments[0], case .text(let pattern) = arguments[1] else { return .null }
            return .integer(try text.contains(Regex(pattern)) ? 1 : 0)
        }
        try connection.register(function: "storekeeper_count", arguments: 1) { arguments in
            guard case .text(let text) = arguments[0] else { return .null }
            return .integer(Int64(text.count))
        }
        try connection.register(comparison: "storekeeper_case_compare") { $0.caseInsensitiveCompare($1) }
        try connection.register(comparison: "storekeeper_localized_compare") { $0.localizedCompare($1) }
        try connection.register(collation: "storekeeper_standard") { a, b in
            StandardOrder.compare(a, b)
        }
    }

    private static func registerNumbers(on connection: Connection) throws {
        try connection.register(function: "storekeeper_real", arguments: 1) { arguments in
            guard case .integer(let bits) = arguments[0] else { return .null }
            return .real(Double(bitPattern: UInt64(bitPattern: bits)))
        }
        try connection.register(function: "storekeeper_bytes", arguments: 1) { arguments in
            guard case .text(let text) = arguments[0], let data = Data(base64Encoded: text) else { return .null }
            return .blob(Array(data))
        }
        try connection.register(function: "storekeeper_number", arguments: 1) { arguments in
            switch arguments[0] {
            case .text(let text): return Double(text).flatMap { $0.isNaN ? nil : Value.real($0) } ?? .null
            default: return arguments[0].real.map { .real($0) } ?? .null
            }
        }
        try connection.register(function: "storekeeper_float", arguments: 1) { arguments in
            arguments[0].real.map { .real(Double(Float($0))) } ?? .null
        }
        try connection.register(function: "storekeeper_divide", arguments: 2) { arguments in
            guard let a = arguments[0].real, let b = arguments[1].real else { return .null }
            let quotient = a / b
            return quotient.isNaN ? .null : .real(quotient)
        }
    }

    private static func registerDecimals(on connection: Connection) throws {
        try connection.register(decimals: "storekeeper_decimal_add") { $0 + $1 }
        try connection.register(decimals: "storekeeper_decimal_subtract") { $0 - $1 }
        try connection.register(decimals: "storekeeper_decimal_multiply") { $0 * $1 }
        try connection.register(collation: "storekeeper_decimal") { a, b in
            let (a, b) = (String(decoding: a, as: UTF8.self), String(decoding: b, as: UTF8.self))
            guard let first = Decimal(string: a), let second = Decimal(string: b) else { return a < b ? -1 : a == b ? 0 : 1 }
            return first < second ? -1 : first == second ? 0 : 1
        }
    }
}

extension Value {
    fileprivate var decimal: Decimal? { text.flatMap { Decimal(string: $0) } }
}

extension Connection {
    /// Registers a function of two texts that is true or false.
    fileprivate func register(texts name: String, _ body: @escaping (String, String) -> Bool) throws {
        try register(function: name, arguments: 2) { arguments in
            guard case .text(let a) = arguments[0], case .text(let b) = arguments[1] else { return .null }
            return .integer(body(a, b) ? 1 : 0)
        }
    }

    /// Registers a function of two texts that is -1, 0 or 1.
    fileprivate func register(comparison name: String, _ body: @escaping (String, String) -> ComparisonResult) throws {
        try register(function: name, arguments: 2) { arguments in
            guard case .text(let a) = arguments[0], case .text(let b) = arguments[1] else { return .null }
            return .integer(Int64(body(a, b).rawValue))
        }
    }

    /// Registers a function of two decimal numbers in text.
    fileprivate func register(decimals name: String, _ body: @escaping (Decimal, Decimal) -> Decimal) throws {
        try register(function: name, arguments: 2) { arguments in
            guard let a = arguments[0].decimal, let b = arguments[1].decimal else { return .null }
            return .text(body(a, b).description)
        }
    }
}

/// Searches that work on bytes where bytes and characters are the same: both sides ASCII, without the carriage return that joins a line feed.
enum PlainText {
    static func contains(_ text: String, _ needle: String) -> Bool {
        guard isPlain(text), isPlain(needle) else { return holds(text, needle) }
        let (text, needle) = (text.utf8, needle.utf8)
        guard let first = needle.first else { return true }
        var rest = text[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: needle) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    static func starts(_ text: String, with prefix: String) -> Bool {
        guard isPlain(text), isPlain(prefix) else { return text.starts(with: prefix) }
        return text.utf8.starts(with: prefix.utf8)
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 < 0x80 && $0 != 0x0D }
    }

    /// The search as a predicate does it.
    private static func holds<C: Collection>(_ text: C, _ needle: C) -> Bool where C.Element: Equatable {
        text.contains(needle)
    }
}
