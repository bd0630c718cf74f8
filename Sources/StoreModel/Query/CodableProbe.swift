import Foundation

/// Finds out under which key a property of a `Codable` type stands in its JSON, without an instance and without trusting names.
///
/// The type is decoded from made-up values twice, the second time with another value under one key. When the property changes and is
/// written back under that key, the key is proved; a computed property, a type with coding of its own or an enumeration without
/// made-up values is not, and is then computed in Swift.
enum CodableProbe {
    /// The key of `path`; nil when it cannot be proved.
    static func key<Root, Value>(of path: KeyPath<Root, Value>) -> String? {
        guard let root = Root.self as? any (Codable).Type, Value.self is any Encodable.Type else { return nil }
        return search(path, root)
    }

    /// Whether a value of the type cannot be decoded without a key; false too where no value can be made up.
    static func requires(_ key: String, in type: Any.Type) -> Bool {
        func decode<T: Decodable>(_ type: T.Type, omitting key: String?) -> [String]? {
            let probe = ProbeDecoder(omittedKey: key)
            return (try? T(from: probe)) == nil ? nil : probe.record.keys
        }
        guard let type = type as? any Decodable.Type, let keys = decode(type, omitting: nil), keys.contains(key) else { return false }
        return decode(type, omitting: key) == nil
    }

    private static func search<Root: Codable>(_ path: AnyKeyPath, _: Root.Type) -> String? {
        guard let path = path as? PartialKeyPath<Root>, let plain = Sample(of: Root.self, path: path, changing: nil) else { return nil }
        var found: [String] = []
        for key in plain.keys {
            guard let changed = Sample(of: Root.self, path: path, changing: key), changed.value != plain.value else { continue }
            guard plain.members[key] == plain.value, changed.members[key] == changed.value else { return nil }
            found.append(key)
        }
        // A quote in a key would end the path that SQLite is given.
        guard found.count == 1, let key = found.first, !key.contains("\"") else { return nil }
        return key
    }

    /// One instance made of made-up values, and what it is written as.
    private struct Sample {
        /// The keys that the type asked for, in order.
        let keys: [String]
        /// What is at the end of the key path, as JSON.
        let value: String
        /// The members of the instance's JSON, as JSON.
        let members: [String: String]

        init?<Root: Codable>(of type: Root.Type, path: PartialKeyPath<Root>, changing key: String?) {
            let probe = ProbeDecoder(changedKey: key)
            guard let instance = try? Root(from: probe), let value = try? Sample.text(instance[keyPath: path]),
                let data = try? Sample.encoder.encode(instance),
                let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
            else { return nil }
            keys = probe.record.keys
            self.value = value
            members = object.compactMapValues { value in
                try? String(
                    decoding: JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys]), as: UTF8.self)
            }
        }

        private static let encoder = JSONEncoder()

        private static func text(_ value: Any) throws -> String? {
            guard let value = value as? any Encodable else { return nil }
            let object = try JSONSerialization.jsonObject(with: encoder.encode(value), options: .fragmentsAllowed)
            return String(
                decoding: try JSONSerialization.data(withJSONObject: object, options: [.fragmentsAllowed, .sortedKeys]), as: UTF8.self)
        }
    }
}
