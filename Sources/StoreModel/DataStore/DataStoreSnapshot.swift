/// The values of one model, apart from any context. Relationships are identifiers.
public protocol DataStoreSnapshot: Decodable, Encodable, Sendable {
    /// Whose values these are; temporary for a model that has not been saved.
    var persistentIdentifier: PersistentIdentifier { get }
    /// Takes the values of a model.
    ///
    /// - Parameter relatedBackingDatas: may take up the values of related models; a save gives one dictionary to all its snapshots, empty
    ///   at first.
    init(from: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])
    /// The same values under another identifier.
    ///
    /// - Parameter remappedIdentifiers: the new identifier of each that changes in relationships too; nil where none does.
    func copy(persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?) -> Self
}

/// How a snapshot is coded: its identifier, and each property under its own name.
public enum DataStoreSnapshotCodingKey: CodingKey {
    /// The key `persistentIdentifier`.
    case persistentIdentifier
    /// A property's own name.
    case modeledProperty(String)

    public var stringValue: String {
        switch self {
        case .persistentIdentifier: "persistentIdentifier"
        case .modeledProperty(let name): name
        }
    }

    /// Of any text, since any may be the name of a property.
    public init?(stringValue: String) {
        self = stringValue == "persistentIdentifier" ? .persistentIdentifier : .modeledProperty(stringValue)
    }

    public var intValue: Int? { nil }
    /// Always nil: snapshots have no numbered keys.
    public init?(intValue: Int) { nil }
}
