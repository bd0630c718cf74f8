import Foundation

// Apple's Foundation has these three; on Linux the macro accepts them and the builders are missing.
extension PredicateExpressions {
    /// `root.localizedStandardContains(other)`.
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression,
        CustomStringConvertible
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        public typealias Output = Bool

        /// The text that is looked at.
        public let root: Root
        /// The text that is looked for.
        public let other: Other

        /// Made by `#Predicate`.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// What Foundation says of the two texts.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            try root.evaluate(bindings).localizedStandardContains(other.evaluate(bindings))
        }

        public var description: String { "StringLocalizedStandardContains(root: \(root), other: \(other))" }
    }

    /// `root.caseInsensitiveCompare(other)`.
    public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression,
        CustomStringConvertible
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        public typealias Output = ComparisonResult

        /// The text that is looked at.
        public let root: Root
        /// The text that it is compared with.
        public let other: Other

        /// Made by `#Predicate`.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// What Foundation says of the two texts.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            try root.evaluate(bindings).caseInsensitiveCompare(other.evaluate(bindings))
        }

        public var description: String { "StringCaseInsensitiveCompare(root: \(root), other: \(other))" }
    }

    /// `root.localizedCompare(other)`.
    public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression,
        CustomStringConvertible
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        public typealias Output = ComparisonResult

        /// The text that is looked at.
        public let root: Root
        /// The text that it is compared with.
        public let other: Other

        /// Made by `#Predicate`.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// What Foundation says of the two texts.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            try root.evaluate(bindings).localizedCompare(other.evaluate(bindings))
        }

        public var description: String { "StringLocalizedCompare(root: \(root), other: \(other))" }
    }

    /// Called by what `#Predicate` expands to.
    public static func build_localizedStandardContains<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
        StringLocalizedStandardContains(root: root, other: other)
    }

    /// Called by what `#Predicate` expands to.
    public static func build_caseInsensitiveCompare<Root, Other>(_ root: Root, _ other: Other) -> StringCaseInsensitiveCompare<Root, Other>
    {
        StringCaseInsensitiveCompare(root: root, other: other)
    }

    /// Called by what `#Predicate` expands to.
    public static func build_localizedCompare<Root, Other>(_ root: Root, _ other: Other) -> StringLocalizedCompare<Root, Other> {
        StringLocalizedCompare(root: root, other: other)
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedCompare: Sendable where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedCompare: Codable where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedStandardContains: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(root)
        shape.add(other)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let left = try translator.term(root), right = try translator.term(other)
        if case .constant = left, case .constant = right { return try translator.fold(self) }
        let a = try translator.scalar(root, left), b = try translator.scalar(other, right)
        return SQLScalar.condition("storekeeper_standard_contains(\(a.sql), \(b.sql))", canBeNull: a.canBeNull || b.canBeNull)
    }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(root)
        shape.add(other)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        try translator.comparison("storekeeper_case_compare", root, other, in: self)
    }
}

extension PredicateExpressions.StringLocalizedCompare: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(root)
        shape.add(other)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        try translator.comparison("storekeeper_localized_compare", root, other, in: self)
    }
}

extension PredicateTranslator {
    fileprivate func comparison<A: PredicateExpression, B: PredicateExpression, Whole: PredicateExpression>(
        _ function: SQLFragment, _ text: A, _ other: B, in expression: Whole
    ) throws -> Term {
        let left = try term(text), right = try term(other)
        if case .constant = left, case .constant = right { return try fold(expression) }
        let a = try scalar(text, left), b = try scalar(other, right)
        return .scalar(SQLScalar(sql: "\(function)(\(a.sql), \(b.sql))", kind: .integer, canBeNull: a.canBeNull || b.canBeNull))
    }
}
