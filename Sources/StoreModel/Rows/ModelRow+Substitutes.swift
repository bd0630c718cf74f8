import StoreSQLite

extension ModelRow {
    /// The value of a property that the store cannot give: the declared default, else an empty one, else what can be read of the stored
    /// text, else one that is made up, else one that is put together from its stored properties.
    ///
    /// The one case that cannot be served is a required value without a default of which none of that can be had, such as a class that a
    /// transformer makes: that traps, and says which property it is.
    @usableFromInline
    final func _substitute<Wrapped>(at index: Int, for text: String? = nil) -> Wrapped {
        if let kept = substitutes[index] as? Wrapped { return kept }
        let made: Wrapped =
            declaredDefault(at: index) ?? Self.emptyValue() ?? SalvageDecoder.value(of: Wrapped.self, from: text)
            ?? AssembledValue.any(Wrapped.self) ?? Self.missing(_propertyName(at: index))
        substitutes[index] = made
        return made
    }

    /// A model of the right type that is in no context, for a required to-one whose target is not there.
    @usableFromInline
    final func _detachedTarget<Target: PersistentModel>(_ type: Target.Type, at index: Int) -> Target {
        if let kept = substitutes[index] as? Target { return kept }
        _report(
            .modelValidation(
                "the required relationship \(_propertyName(at: index)) has no target",
                remedy: "give it a target, or declare the property optional"))
        let made = Target(backingData: Target.createBackingData() as any BackingData<Target>)
        substitutes[index] = made
        return made
    }

    /// Tells that the value of a property is not understood, if it is not.
    final func reportUndecoded(_ index: Int) {
        guard let stored = undecoded[index], let property = table?.entity.properties[index] else { return }
        _report(
            .modelValidation(
                "\(stored) in property \(property.entityName).\(property.name) of row \(id) does not decode as "
                    + "\(type(of: property.keyPath).valueType)",
                remedy: "give the property another value, repair it in the store, or let the type understand it"))
    }

    /// Tells that the stored form of a value that is decoded on its first read does not decode.
    final func reportUndecodable(_ stored: Value, at index: Int) {
        let type = table.map { "\(Swift.type(of: $0.entity.properties[index].keyPath).valueType)" } ?? "its type"
        _report(
            .modelValidation(
                "\("\(stored)".shortened) in property \(_propertyName(at: index)) of row \(id) does not decode as \(type)",
                remedy: "repair it in the store, or give the type a decoder that still understands it"))
    }

    private func declaredDefault<Wrapped>(at index: Int) -> Wrapped? {
        guard let table else { return nil }
        return table.entity.properties[index].defaultValue as? Wrapped
    }

    private static func emptyValue<Wrapped>() -> Wrapped? {
        if let optional = Wrapped.self as? any ExpressibleByNilLiteral.Type { return optional.init(nilLiteral: ()) as? Wrapped }
        if let stored = Wrapped.self as? any ColumnValue.Type { return stored._empty as? Wrapped }
        if let enumeration = Wrapped.self as? any CaseIterable.Type { return firstCase(enumeration) as? Wrapped }
        if let text = try? JSONText.decode(AnyDecodable<Wrapped>.self, from: "[]") { return text.value }
        if let text = try? JSONText.decode(AnyDecodable<Wrapped>.self, from: "{}") { return text.value }
        return nil
    }

    private static func firstCase<E: CaseIterable>(_ type: E.Type) -> Any? { E.allCases.first }

    private static func missing<Wrapped>(_ name: String) -> Wrapped {
        // The one documented trap: nothing can stand for the value.
        fatalError(
            "\(name) has no value, no default and its type \(Wrapped.self) can be made from nothing; give the property a default value")
    }
}

/// Decodes a type that is only known at run time to be `Decodable`.
private struct AnyDecodable<Wrapped>: Decodable {
    let value: Wrapped

    init(from decoder: any Decoder) throws {
        guard let type = Wrapped.self as? any Decodable.Type, let value = try type.init(from: decoder) as? Wrapped else {
            throw DecodingError.typeMismatch(
                Wrapped.self, DecodingError.Context(codingPath: [], debugDescription: "not decodable"))
        }
        self.value = value
    }
}
