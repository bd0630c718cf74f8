import StoreSQLite

/// A piece of SQL with its parameters, in the order of the text.
///
/// Fragments are composed by string interpolation; a value only ever enters as a parameter, so that the same structure gives the same text.
package struct SQLFragment: Hashable, Sendable {
    package private(set) var text: String
    package private(set) var parameters: [SQLParameter]
    /// Whether it may refuse the row: what Swift would stop at.
    private(set) var canRefuse = false

    package init(text: String, parameters: [SQLParameter] = []) {
        self.text = text
        self.parameters = parameters
    }

    /// A single parameter with `value`.
    package static func parameter(_ value: Value) -> SQLFragment { parameter(SQLParameter(value)) }

    static func parameter(_ parameter: SQLParameter) -> SQLFragment { SQLFragment(text: "?", parameters: [parameter]) }

    /// `name` as a quoted identifier.
    package static func identifier(_ name: String) -> SQLFragment {
        guard name.utf8.contains(UInt8(ascii: "\"")) else { return SQLFragment(text: "\"" + name + "\"") }
        return SQLFragment(text: "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\"")
    }

    package mutating func append(_ other: SQLFragment) {
        text += other.text
        if !other.parameters.isEmpty { parameters += other.parameters }
        canRefuse = canRefuse || other.canRefuse
    }
}

extension SQLFragment {
    /// SQL that calls a function which may refuse the row.
    static func refusing(_ sql: SQLFragment) -> SQLFragment {
        var refusing = sql
        refusing.canRefuse = true
        return refusing
    }

    /// The same, where a condition does not hold that refuses the row.
    func refused(if condition: SQLFragment?) -> SQLFragment {
        guard let condition else { return self }
        return .refusing("CASE WHEN \(condition) THEN storekeeper_refuse() ELSE \(self) END")
    }
}

extension SQLFragment: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) { self.init(text: value) }
    package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.fragment }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var fragment: SQLFragment

        package init(literalCapacity: Int, interpolationCount: Int) {
            fragment = SQLFragment(text: "")
            fragment.text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        package mutating func appendLiteral(_ literal: String) { fragment.text += literal }
        package mutating func appendInterpolation(_ other: SQLFragment) { fragment.append(other) }
        package mutating func appendInterpolation(identifier name: String) { fragment.append(.identifier(name)) }
        /// Text that is SQL already, such as an alias the translator made.
        package mutating func appendInterpolation(raw text: String) { fragment.text += text }
    }
}

extension Sequence where Element == SQLFragment {
    /// The fragments one after the other with `separator` between them.
    func joined(_ separator: String) -> SQLFragment {
        var result = SQLFragment(text: "")
        for (index, fragment) in enumerated() {
            if index > 0 { result.append(SQLFragment(text: separator)) }
            result.append(fragment)
        }
        return result
    }
}
