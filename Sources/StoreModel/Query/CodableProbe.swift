import Foundation

/// Finds out under which key a property of a `Codable` type stands in its JSON, without an instance and without trusting names.
///
/// A value is put together from made-up values of its stored properties, without its initialisers. One of them is then changed in place.
/// When its new value is written under one key, and nothing else has changed, the key is proved. A computed property, a type with coding of
/// its own or an enumeration without made-up values is not, and is then computed in Swift. So is a property that has a value where the key is
/// missing, as in what was written before it was there: SQL finds nothing. That is asked of the type's decoder, which mostly ends with the
/// question.
enum CodableProbe {
    /// The key of `path`; nil when it cannot be proved.
    static func key<Root, Value>(of path: KeyPath<Root, Value>) -> String? {
        guard let root = Root.self as? any (Codable).Type, Value.self is any Encodable.Type else { return nil }
        return search(path, root)
    }

    /// Whether a value of the type cannot be decoded without a key; false too where no value can be made up of what is decoded before it.
    ///
    /// The decoding ends with the question for the key, unless the type has an answer to its absence.
    static func requires(_ key: String, in type: Any.Type) -> Bool {
        guard let type = type as? any Decodable.Type else { return false }
        return needs(key, type)
    }

    private static func needs<T: Decodable>(_ key: String, _ type: T.Type) -> Bool {
        let probe = ProbeDecoder(.plain, omitting: key)
        do {
            _ = try T(from: probe)
            return false
        } catch {
            return probe.record.answer == .needed && !(error is ProbeDecoder.Answered)
        }
    }

    private static func search<Root: Codable>(_ path: AnyKeyPath, _: Root.Type) -> String? {
        guard let path = path as? PartialKeyPath<Root>, let offset = MemoryLayout<Root>.offset(of: path),
            let (instance, kind) = instance(of: Root.self), let changed = change(instance, path, at: offset),
            let before = Sample(instance, path), let after = Sample(changed, path)
        else { return nil }
        let different = Set(before.members.keys).union(after.members.keys).filter { before.members[$0] != after.members[$0] }
        // A quote in a key would end the path that SQLite is given.
        guard different.count == 1, let key = different.first, !key.contains("\"") else { return nil }
        guard before.members[key] == before.value, after.members[key] == after.value else { return nil }
        if needs(key, Root.self) { return key }
        // What decodes without its key may have a default there; an optional one is decoded to the end to see.
        guard Swift.type(of: path).valueType is any OptionalValue.Type else { return nil }
        let without = try? Root(from: ProbeDecoder(kind, omitting: key, toTheEnd: true))
        return without.flatMap { StoredValue.unwrapped($0[keyPath: path]) } == nil ? key : nil
    }

    private static func instance<T: Decodable>(of type: T.Type) -> (T, ProbeDecoder.Kind)? {
        made(type, .plain).map { ($0, .plain) } ?? made(type, .changed).map { ($0, .changed) }
    }

    private static func made<T: Decodable>(_ type: T.Type, _ kind: ProbeDecoder.Kind) -> T? { try? ProbeDecoder(kind).value(type) }

    /// A copy with another value in that place; nil where none can be made up.
    private static func change<Root>(_ instance: Root, _ path: PartialKeyPath<Root>, at offset: Int) -> Root? {
        func change<Value: Decodable>(_ type: Value.Type) -> Root? {
            let old = text(instance[keyPath: path])
            guard let new = [.changed, .plain].lazy.compactMap({ made(type, $0) }).first(where: { text($0) != old }) else { return nil }
            var copy = instance
            withUnsafeMutableBytes(of: &copy) { bytes in
                bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: Value.self).pointee = new
            }
            return copy
        }
        guard let type = Swift.type(of: path).valueType as? any Decodable.Type else { return nil }
        return change(type)
    }

    /// A value as JSON.
    private static func text(_ value: Any) -> String? {
        guard let value = value as? any Encodable,
            let object = try? JSONSerialization.jsonObject(with: JSONEncoder().encode(value), options: .fragmentsAllowed)
        else { return nil }
        return canonical(object)
    }

    private static func canonical(_ object: Any) -> String? {
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: [.fragmentsAllowed, .sortedKeys]) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// What one instance is written as.
    private struct Sample {
        /// What is at the end of the key path, as JSON.
        let value: String
        /// The members of the instance's JSON, as JSON.
        let members: [String: String]

        init?<Root: Codable>(_ instance: Root, _ path: PartialKeyPath<Root>) {
            guard let value = CodableProbe.text(instance[keyPath: path]), let data = try? JSONEncoder().encode(instance),
                let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
            else { return nil }
            self.value = value
            members = object.compactMapValues(CodableProbe.canonical)
        }
    }
}
