@_spi(Reflection) import Swift

/// A class among the stored values of a type: a change of such an object would not be noticed, and each read makes another one.
struct NestedClass {
    /// The way to it, such as `address.owner`.
    let path: String
    let type: Any.Type

    /// Nil where there is none, or where it lies in a case of an enumeration or in a type of the libraries, which cannot be looked into.
    init?(in type: Any.Type) {
        var seen: Set<ObjectIdentifier> = []
        guard let (path, found) = Self.find(in: type, &seen) else { return nil }
        (self.path, self.type) = (path.joined(separator: "."), found)
    }

    private static func find(in type: Any.Type, _ seen: inout Set<ObjectIdentifier>) -> (path: [String], type: Any.Type)? {
        guard seen.insert(ObjectIdentifier(type)).inserted else { return nil }
        if type is AnyClass { return ([], type) }
        if let parts = parts(of: type) {
            for part in parts { if let found = find(in: part, &seen) { return found } }
            return nil
        }
        guard !CompositeParts.isOfALibrary(type) else { return nil }
        var fields: [(String, Any.Type)] = []
        _ = _forEachField(of: type) { name, _, type, _ in
            fields.append((String(cString: name), type))
            return true
        }
        for (name, field) in fields {
            if let found = find(in: field, &seen) { return ([name] + found.path, found.type) }
        }
        return nil
    }

    /// What an optional or a list consists of; nil for every other type.
    private static func parts(of type: Any.Type) -> [Any.Type]? {
        if let optional = type as? any OptionalValue.Type { return [optional.wrappedType] }
        if let element = jsonElementType(of: type) { return [element] }
        return (type as? any KeyedValues.Type)?.partTypes
    }
}

private protocol KeyedValues {
    static var partTypes: [Any.Type] { get }
}

extension Dictionary: KeyedValues {
    static var partTypes: [Any.Type] { [Key.self, Value.self] }
}
