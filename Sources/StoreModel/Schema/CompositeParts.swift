@_spi(Reflection) import Swift

/// The stored properties of a `Codable` struct, as attributes.
enum CompositeParts {
    /// Nil for what is no such struct: a plain value, a raw-representable one, a list, an enumeration, a type of the libraries. So is a struct of a
    /// program that is built without reflection metadata.
    static func of(_ valueType: Any.Type) -> [Schema.Attribute]? {
        let type = innermost(valueType)
        guard StorageKind(of: type) == .json, type is any (Codable).Type, !(type is AnyClass), !isOfALibrary(type) else { return nil }
        var fields: [(name: String, type: Any.Type)] = []
        let isWhole = _forEachField(of: type) { name, _, type, _ in
            fields.append((String(cString: name), type))
            return true
        }
        guard isWhole, !fields.isEmpty, fields.allSatisfy({ !$0.name.isEmpty }) else { return nil }
        return fields.map { attribute($0.name, $0.type) }
    }

    private static func attribute(_ name: String, _ type: Any.Type) -> Schema.Attribute {
        guard let parts = of(type) else { return Schema.Attribute(name: name, valueType: type) }
        let made = Schema.CompositeAttribute(name: name, valueType: type)
        made.properties = parts
        return made
    }

    /// Whether a type is one of the standard library or of Foundation, whose stored properties are its own business.
    static func isOfALibrary(_ type: Any.Type) -> Bool {
        let name = String(reflecting: type)
        return name.hasPrefix("Swift.") || name.hasPrefix("Foundation") || name.hasPrefix("__C.")
    }
}

extension Schema.CompositeAttribute {
    /// Its parts as annotations, by their path below a prefix: what is in a text is part of what a version is. Parts that come later leave older readers
    /// what they know.
    func annotations(below path: String) -> [String: String] {
        var found: [String: String] = [:]
        for part in properties {
            let name = "\(path).\(part.name)"
            found[name] = "storage=\(StorageKind(of: part.valueType))\(part.isOptional ? "" : ";required")"
            if let part = part as? Schema.CompositeAttribute { found.merge(part.annotations(below: name)) { first, _ in first } }
        }
        return found
    }

    /// The first part, by its path, for which texts of the older form may not be decoded, and why.
    func firstUndecodable(from older: Schema.CompositeAttribute) -> (path: String, why: String)? {
        for part in properties {
            let isRequired = !part.isOptional && CodableProbe.requires(part.name, in: innermost(valueType))
            guard let known = older.properties.first(where: { $0.name == part.name }) else {
                if isRequired { return (part.name, "is new") }
                continue
            }
            if known.isOptional, isRequired { return (part.name, "may be missing there") }
            if let part = part as? Schema.CompositeAttribute, let known = known as? Schema.CompositeAttribute {
                if let found = part.firstUndecodable(from: known) { return ("\(part.name).\(found.path)", found.why) }
                continue
            }
            switch (StorageKind(of: known.valueType), StorageKind(of: part.valueType)) {
            // What JSON writes of the one is read as the other, too.
            case (.integer, .real), (.integer, .float), (.real, .float), (.float, .real), (.date, .real), (.uuid, .text): break
            case (let old, let new): if old != new { return (part.name, "is another kind of value there") }
            }
        }
        return nil
    }
}
