/// What is left of a deleted model: the values of its attributes with `.preserveValueOnDeletion`.
// Unchecked: key paths and stored values are immutable.
public struct HistoryTombstone<Model>: Sequence, @unchecked Sendable where Model: PersistentModel {
    public typealias Element = Any

    private let values: [(keyPath: AnyKeyPath, value: any Sendable)]

    init(_ values: [(keyPath: AnyKeyPath, value: any Sendable)]) { self.values = values }

    /// The value; nil for an attribute that is not preserved, and for one that was nil.
    public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? { values.first { $0.keyPath == keyPath }?.value }

    /// The values that there are, in the order of the properties.
    public func makeIterator() -> Iterator { Iterator(rest: values.map(\.value)[...]) }

    /// Goes through the values.
    public struct Iterator: IteratorProtocol {
        public typealias Element = Any
        fileprivate var rest: ArraySlice<any Sendable>
        /// The next value; nil at the end.
        public mutating func next() -> Any? { rest.popFirst() }
    }
}
