/// Why a fetch could not be put into SQL.
package struct QueryError: Error, Hashable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// A part of a predicate has no form in SQL.
        case unsupportedPredicate
        /// A key path is not a stored property.
        case unsupportedKeyPath
        /// A sort descriptor has no form in SQL.
        case unsupportedSortDescriptor
    }

    package let kind: Kind
    /// What is not supported, named, and what to do instead.
    package let explanation: String

    package init(_ kind: Kind, _ explanation: String) {
        self.kind = kind
        self.explanation = explanation
    }

    package var description: String { explanation }
}
