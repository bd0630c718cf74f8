/// How the values of a snapshot become those of a row.
enum SnapshotCoding {
    static func isNil(_ value: Any) -> Bool {
        guard let optional = value as? any OptionalValue else { return false }
        return optional.wrappedValue.map(isNil) ?? true
    }

    /// A stored value is one of a value type, or a JSON text: it is shared by being copied.
    static func sendable(_ value: any Codable) -> any Codable & Sendable {
        unsafeBitCast(value as any Codable, to: (any Codable & Sendable).self)
    }

    /// The values of any snapshot, by property, as it codes them.
    static func values(_ snapshot: any DataStoreSnapshot) throws -> [String: any Codable & Sendable] {
        if let snapshot = snapshot as? DefaultSnapshot { return snapshot.values }
        let text = try JSONText.encode(snapshot)
        return try JSONText.decode([String: RawValue].self, from: text)
    }

    /// Sets an attribute of a row.
    ///
    /// - Returns: false where the value is none of the property's type.
    static func set(_ value: any Codable & Sendable, at index: Int, of row: ModelRow, type: Any.Type) -> Bool {
        if row.setValue(value, at: index) { return true }
        guard let decodable = type as? any Decodable.Type, let text = try? JSONText.encode(value),
            let typed = try? JSONText.decode(decodable, from: text)
        else { return false }
        return row.setValue(typed, at: index)
    }

    static func identifier(_ value: any Codable & Sendable) -> PersistentIdentifier? {
        if let identifier = value as? PersistentIdentifier { return identifier }
        return (try? JSONText.encode(value)).flatMap { try? JSONText.decode(PersistentIdentifier.self, from: $0) }
    }

    static func identifiers(_ value: any Codable & Sendable) -> [PersistentIdentifier] {
        if let identifiers = value as? [PersistentIdentifier] { return identifiers }
        return (try? JSONText.encode(value)).flatMap { try? JSONText.decode([PersistentIdentifier].self, from: $0) } ?? []
    }
}

extension ModelRow {
    /// The identifiers of the models that a relationship points to.
    final func relatedIdentifiers(at index: Int, isToMany: Bool) -> [PersistentIdentifier] {
        if isToMany { return _relatedModels(toMany(at: index), at: index).map(\.persistentModelID) }
        let reference = toOne(at: index)
        if let model = reference.model { return [model.persistentModelID] }
        guard reference.id != 0, let model = _related(reference.id, at: index) else { return [] }
        return [model.persistentModelID]
    }
}
