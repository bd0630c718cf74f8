import Foundation

/// Decodes what it can of a JSON value, and makes up empty values for what is missing or of another type.
struct SalvageDecoder: Decoder {
    /// What `JSONSerialization` made of it; nil for what is missing.
    private let json: Any?
    /// How deep the value is: a type that holds itself would go on for ever.
    private let depth: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private init(_ json: Any?, depth: Int) {
        self.json = json is NSNull ? nil : json
        self.depth = depth
    }

    /// As much as possible of a text; nil where the type refuses what was made up for it.
    static func value<T>(of type: T.Type, from text: String?) -> T? {
        guard let decodable = type as? any Decodable.Type else { return PlainCase.of(type) }
        let json = text.flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed) }
        return (try? Self(json, depth: 0).value(decodable)) as? T
    }

    private func value<T: Decodable>(_ type: T.Type) throws -> T {
        if let whole: T = whole() { return whole }
        if let none = (type as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ()) as? T { return none }
        if let empty = (type as? any ColumnValue.Type)?._empty as? T { return empty }
        if let first = PlainCase.of(type) { return first }
        guard depth < 16 else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no value can be made up so deep"))
        }
        return try T(from: self)
    }

    /// The value, where it decodes as it is.
    private func whole<T: Decodable>() -> T? {
        guard let json, let data = try? JSONSerialization.data(withJSONObject: json, options: .fragmentsAllowed) else { return nil }
        return try? JSONText.decode(T.self, from: String(decoding: data, as: UTF8.self))
    }

    private func under(_ json: Any?) -> SalvageDecoder { SalvageDecoder(json, depth: depth + 1) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { Unkeyed(decoder: self) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: SalvageDecoder
        private let members: [String: Any]
        var codingPath: [any CodingKey] { [] }

        init(decoder: SalvageDecoder) {
            self.decoder = decoder
            members = decoder.json as? [String: Any] ?? [:]
        }

        /// An enumeration with associated values decodes the case that is its only key.
        var allKeys: [Key] {
            let keys = members.keys.sorted().compactMap(Key.init(stringValue:))
            return keys.isEmpty ? PlainCase.of(Key.self).map { [$0] } ?? [] : keys
        }

        private func under(_ key: Key) -> SalvageDecoder { decoder.under(members[key.stringValue]) }

        func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
        func decodeNil(forKey key: Key) throws -> Bool { under(key).json == nil }
        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try under(key).value(type) }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
            try under(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try under(key).unkeyedContainer() }
        func superDecoder() throws -> any Decoder { decoder }
        func superDecoder(forKey key: Key) throws -> any Decoder { under(key) }
    }

    private struct Unkeyed: UnkeyedDecodingContainer {
        private let decoder: SalvageDecoder
        private let elements: [Any]
        private(set) var currentIndex = 0
        var codingPath: [any CodingKey] { [] }
        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex >= elements.count }

        init(decoder: SalvageDecoder) {
            self.decoder = decoder
            elements = decoder.json as? [Any] ?? []
        }

        /// Nothing where there are no more.
        private mutating func next() -> SalvageDecoder {
            defer { currentIndex += 1 }
            return decoder.under(isAtEnd ? nil : elements[currentIndex])
        }

        mutating func decodeNil() throws -> Bool {
            guard !isAtEnd, elements[currentIndex] is NSNull else { return false }
            currentIndex += 1
            return true
        }

        mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().value(type) }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
            try next().container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
        mutating func superDecoder() throws -> any Decoder { next() }
    }

    private struct Single: SingleValueDecodingContainer {
        let decoder: SalvageDecoder
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { decoder.json == nil }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.under(decoder.json).value(type) }
    }
}
