import Foundation

/// Names one model: its store, its entity, and its key there.
///
/// Temporary until the model's first save, which gives it a permanent one. A permanent one stays the same for ever, is
/// `Codable`, and equals the one that it is decoded from.
public struct PersistentIdentifier: Hashable, Identifiable, Equatable, Comparable, Codable, Sendable {
    /// The key of a model within its store.
    public struct ID: Hashable, Equatable, Sendable {
        enum Key: Hashable, Sendable {
            /// `storekeeper_id` of the row.
            case row(Int64)
            /// A model that has not been saved: unique in this process.
            case temporary(Int64)
            /// A key of another kind of store.
            case custom(String)
        }

        let entityName: String
        let storeIdentifier: String?
        let key: Key
    }

    /// What identifies it, as one value.
    public let id: ID

    /// The model's name, without what it is nested in.
    public var entityName: String { id.entityName }

    /// Nil while the identifier is temporary.
    public var storeIdentifier: String? { id.storeIdentifier }

    /// Whether the model has not been saved yet.
    public var isTemporary: Bool {
        if case .temporary = id.key { return true }
        return false
    }

    init(entityName: String, storeIdentifier: String?, row: Int64) {
        id =
            row > 0
            ? ID(entityName: entityName, storeIdentifier: storeIdentifier, key: .row(row))
            : ID(entityName: entityName, storeIdentifier: nil, key: .temporary(row))
    }

    private init(id: ID) { self.id = id }

    /// The row in a store of ours; negative for a temporary identifier, nil for one of another kind of store.
    var row: Int64? {
        switch id.key {
        case .row(let row), .temporary(let row): row
        case .custom: nil
        }
    }

    /// Makes the identifier of a model in another kind of store.
    ///
    /// - Throws: what encoding the key throws.
    public static func identifier<T>(
        for storeIdentifier: String, entityName: String, primaryKey: T
    ) throws -> PersistentIdentifier where T: Comparable, T: CustomStringConvertible, T: Decodable, T: Encodable, T: Hashable {
        let key: ID.Key =
            switch primaryKey {
            case let row as any FixedWidthInteger: Int64(exactly: row).map(ID.Key.row) ?? .custom("\(primaryKey)")
            case let text as String: ID.Key(text)
            default: .custom(primaryKey.description)
            }
        return PersistentIdentifier(id: ID(entityName: entityName, storeIdentifier: storeIdentifier, key: key))
    }

    public static func < (left: PersistentIdentifier, right: PersistentIdentifier) -> Bool {
        if left.entityName != right.entityName { return left.entityName < right.entityName }
        switch (left.id.key, right.id.key) {
        case (.row(let left), .row(let right)): return left < right
        case (.temporary(let left), .temporary(let right)): return left > right
        case (.custom(let left), .custom(let right)): return left < right
        default: return left.id.key.text < right.id.key.text
        }
    }

    // MARK: Codable

    private enum CodingKeys: CodingKey { case implementation }
    private enum ImplementationKeys: CodingKey { case primaryKey, uriRepresentation, isTemporary, storeIdentifier, entityName }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
            .nestedContainer(keyedBy: ImplementationKeys.self, forKey: .implementation)
        id = ID(
            entityName: try values.decode(String.self, forKey: .entityName),
            storeIdentifier: try values.decodeIfPresent(String.self, forKey: .storeIdentifier),
            key: ID.Key(try values.decode(String.self, forKey: .primaryKey)))
    }

    public func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: CodingKeys.self)
        var values = outer.nestedContainer(keyedBy: ImplementationKeys.self, forKey: .implementation)
        try values.encode(id.key.text, forKey: .primaryKey)
        try values.encode("x-coredata://\(storeIdentifier ?? "")/\(entityName)/\(id.key.text)", forKey: .uriRepresentation)
        try values.encode(isTemporary, forKey: .isTemporary)
        try values.encodeIfPresent(storeIdentifier, forKey: .storeIdentifier)
        try values.encode(entityName, forKey: .entityName)
    }
}

extension PersistentIdentifier.ID.Key {
    /// `p7` for row 7, `t7` for a temporary key, else the key itself.
    var text: String {
        switch self {
        case .row(let row): "p\(row)"
        case .temporary(let number): "t\(number.magnitude)"
        case .custom(let key): key
        }
    }

    init(_ text: String) {
        let number = Int64(text.dropFirst())
        switch (text.first, number) {
        case ("p", .some(let row)) where row > 0: self = .row(row)
        case ("t", .some(let number)) where number > 0: self = .temporary(-number)
        default: self = .custom(text)
        }
    }
}

extension PersistentIdentifier: CustomStringConvertible {
    public var description: String { "\(entityName)/\(id.key.text)" }
}
