import StoreSQLite

/// A parameter of a statement: its value, and where another fetch of the same shape takes its own from.
package struct SQLParameter: Hashable, Sendable {
    package let value: Value
    let source: Source?

    package init(_ value: Value) {
        self.value = value
        source = nil
    }

    init(_ value: Value, from source: Source) {
        self.value = value
        self.source = source
    }

    /// A captured value and how it is put into SQL.
    struct Source: Hashable {
        let capture: Int
        let encoding: Encoding
    }

    enum Encoding: Hashable {
        /// As a column of this kind holds it.
        case value(StorageKind)
        /// As a JSON list of what columns of this kind hold.
        case list(StorageKind)
        /// As the number of a row of the entity of this name.
        case row(String)
        case rows(String)
        /// The bytes that a text with this prefix is not before, and is before.
        case prefixStart
        case prefixEnd
    }

    // What comes from the same place is the same, whatever it is this time: what the SQL is does not depend on it.
    package static func == (left: SQLParameter, right: SQLParameter) -> Bool {
        left.source == right.source && (left.source != nil || left.value == right.value)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(source)
        if source == nil { hasher.combine(value) }
    }
}

extension SQLParameter.Encoding {
    /// - Throws: `QueryError` for a value that cannot be held so.
    func encode(_ value: Any, in catalog: EntityCatalog, store: String?) throws -> Value {
        switch self {
        case .value(let kind): return try StoredValue.encode(value, as: kind)
        case .list(let kind): return try CapturedList(Self.present(value), kind: kind, leavingOutNulls: true).json
        case .row(let name):
            guard let value = StoredValue.unwrapped(value) else { return .null }
            return .integer(try Self.row(value, name, catalog, store))
        case .rows(let name):
            return .text(
                "[" + (try Self.present(value).map { String(try Self.row($0, name, catalog, store)) }.joined(separator: ",")) + "]")
        case .prefixStart: return PrefixBounds.of(StoredValue.unwrapped(value) as? String ?? "").0
        case .prefixEnd: return PrefixBounds.of(StoredValue.unwrapped(value) as? String ?? "").1
        }
    }

    /// The elements of a captured list that are not nil.
    private static func present(_ list: Any) throws -> [Any] {
        guard let list = list as? any Sequence else { return [] }
        return Array(any: list).filter { StoredValue.unwrapped($0) != nil }
    }

    /// A number that no row has, and no pending one.
    private static let noRow = Int64.min

    /// Of the row, or of the pending one; `noRow` for an identifier of another entity or store.
    private static func row(_ value: Any, _ name: String, _ catalog: EntityCatalog, _ store: String?) throws -> Int64 {
        guard let reference = value as? any StoredReference, let entity = catalog.entity(named: name) else {
            throw QueryError(.unsupportedPredicate, "A value of type \(type(of: value)) does not identify a row of \(name)")
        }
        return reference.rowID(in: entity, of: store) ?? noRow
    }
}
