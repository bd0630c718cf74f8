/// The values of one model, by property.
public struct DefaultSnapshot: DataStoreSnapshot {
    /// Whose values these are.
    public let persistentIdentifier: PersistentIdentifier
    /// Of an attribute its value, of a to-one an identifier, of a to-many a list of them. A nil stands for itself.
    private(set) var values: [String: any Codable & Sendable]

    /// Takes the values of a model whose storage `@Model` wrote; of another backing data, which cannot be looked through, the identifier.
    public init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
        persistentIdentifier =
            backingData.persistentModelID ?? PersistentIdentifier(entityName: "", storeIdentifier: nil, row: -1)
        values = [:]
        guard let row = backingData._row, let type = row._modelType else { return }
        for (index, property) in type.propertyMetadata.enumerated() {
            switch row.shape(at: index) {
            case .toOne: values[property.name] = row.relatedIdentifiers(at: index, isToMany: false).first
            case .toMany: values[property.name] = row.relatedIdentifiers(at: index, isToMany: true)
            case .external: values[property.name] = row.heldExternal(at: index).data ?? row.externalData(at: index)
            case .attribute:
                if let value = row.value(at: index), !SnapshotCoding.isNil(value), let codable = value as? any Codable {
                    values[property.name] = SnapshotCoding.sendable(codable)
                }
            case .ephemeral, nil: break
            }
        }
    }

    private init(_ identifier: PersistentIdentifier, _ values: [String: any Codable & Sendable]) {
        persistentIdentifier = identifier
        self.values = values
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        persistentIdentifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
        values = [:]
        for key in container.allKeys {
            guard case .modeledProperty(let name) = key else { continue }
            if let identifier = try? container.decode(PersistentIdentifier.self, forKey: key) {
                values[name] = identifier
            } else if let identifiers = try? container.decode([PersistentIdentifier].self, forKey: key), !identifiers.isEmpty {
                values[name] = identifiers
            } else {
                // Its type is known to the model only: it is decoded when the model is made.
                values[name] = try container.decode(RawValue.self, forKey: key)
            }
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
        for (name, value) in values { try container.encode(value, forKey: .modeledProperty(name)) }
    }

    /// The same values under another identifier, with other identifiers in its relationships.
    ///
    /// - Parameter remappedIdentifiers: the new identifier of each that changes; others stay.
    public func copy(
        persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = [:]
    ) -> DefaultSnapshot {
        let remapped = remappedIdentifiers ?? [:]
        var copy = values
        for (name, value) in values {
            if let identifier = value as? PersistentIdentifier {
                copy[name] = remapped[identifier] ?? identifier
            } else if let identifiers = value as? [PersistentIdentifier] {
                copy[name] = identifiers.map { remapped[$0] ?? $0 }
            }
        }
        return DefaultSnapshot(persistentIdentifier, copy)
    }
}

/// A coded value whose type is not known yet.
indirect enum RawValue: Codable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case text(String)
    case list([RawValue])
    case object([String: RawValue])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let boolean = try? value.decode(Bool.self) {
            self = .boolean(boolean)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let integer = try? value.decode(UInt64.self) {
            self = .unsigned(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([RawValue].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: RawValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .boolean(let boolean): try value.encode(boolean)
        case .integer(let integer): try value.encode(integer)
        case .unsigned(let integer): try value.encode(integer)
        case .number(let number): try value.encode(number)
        case .text(let text): try value.encode(text)
        case .list(let list): try value.encode(list)
        case .object(let object): try value.encode(object)
        }
    }
}
