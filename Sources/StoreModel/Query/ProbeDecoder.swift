import Foundation

/// A decoder that makes values up. Types of the program are put together, not decoded: what their `init(from:)` refuses is not asked.
struct ProbeDecoder: Decoder {
    enum Kind {
        /// 0, empty texts and lists.
        case plain
        /// 1, texts and lists of one element.
        case changed
    }

    /// What became of the key that is not there.
    final class Record {
        enum Answer { case needed, notNeeded }
        /// Nil until it is asked for.
        var answer: Answer?
    }

    /// Ends a decoding whose question is answered, before the type looks at what was made up.
    struct Answered: Error {}

    let record = Record()
    private let kind: Kind
    /// The key that is not there.
    private let omittedKey: String?
    private let toTheEnd: Bool
    /// How deep the value is: a type that holds itself would go on for ever.
    private let depth: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// - Parameter toTheEnd: whether it goes on where the question for the key has been answered.
    init(_ kind: Kind, omitting key: String? = nil, toTheEnd: Bool = false) {
        self.init(kind, omitting: key, toTheEnd: toTheEnd, depth: 0)
    }

    private init(_ kind: Kind, omitting key: String?, toTheEnd: Bool, depth: Int) {
        (self.kind, omittedKey, self.toTheEnd, self.depth) = (kind, key, toTheEnd, depth)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { Unkeyed(decoder: self) }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }

    /// A value of the type.
    func value<T: Decodable>(_ type: T.Type) throws -> T {
        guard depth < 8 else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "no value can be made up so deep"))
        }
        let number = kind == .changed ? 1 : 0
        let made: Any? =
            switch type {
            case is Bool.Type: kind == .changed
            case is String.Type: kind == .changed ? "1" : ""
            case is Date.Type: Date(timeIntervalSinceReferenceDate: Double(number))
            case is URL.Type: URL(string: "file:///\(number)")
            case is UUID.Type: UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number)")
            case is Data.Type: Data([UInt8(number)])
            case is Decimal.Type: Decimal(number)
            case let type as any BinaryInteger.Type: type.init(number)
            case let type as any BinaryFloatingPoint.Type: type.init(number)
            default: nil
            }
        if let made, let value = made as? T { return value }
        if let made = PlainCase.of(type, at: UInt8(number)) ?? PlainCase.of(type) { return made }
        if let made = AssembledValue.of(type, from: inner) { return made }
        guard CompositeParts.isOfALibrary(type) else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "no \(type) can be made up"))
        }
        return try T(from: inner)
    }

    private var inner: ProbeDecoder { ProbeDecoder(kind, omitting: nil, toTheEnd: true, depth: depth + 1) }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: ProbeDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }
        var allKeys: [Key] { [] }

        /// Who asks whether the key is there can do without; what it does then is seen at its next question.
        func contains(_ key: Key) -> Bool {
            if key.stringValue == decoder.omittedKey, decoder.record.answer == nil { decoder.record.answer = .notNeeded }
            return key.stringValue != decoder.omittedKey || !decoder.toTheEnd
        }

        /// The first question that is put about the key that is not there.
        func decodeNil(forKey key: Key) throws -> Bool {
            if !decoder.toTheEnd, decoder.record.answer != nil || key.stringValue == decoder.omittedKey {
                decoder.record.answer = decoder.record.answer ?? .notNeeded
                throw Answered()
            }
            return false
        }

        private func under(_ key: Key) throws -> ProbeDecoder {
            if !decoder.toTheEnd, decoder.record.answer != nil { throw Answered() }
            guard key.stringValue != decoder.omittedKey else {
                decoder.record.answer = .needed
                throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "the key is left out"))
            }
            return decoder.inner
        }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try under(key).value(type) }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
            try under(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try under(key).unkeyedContainer() }
        func superDecoder() throws -> any Decoder { decoder }
        func superDecoder(forKey key: Key) throws -> any Decoder { decoder.inner }
    }

    /// A list of one element or of none.
    private struct Unkeyed: UnkeyedDecodingContainer {
        let decoder: ProbeDecoder
        var currentIndex = 0
        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { decoder.kind == .changed ? 1 : 0 }
        var isAtEnd: Bool { currentIndex >= (count ?? 0) }

        mutating func decodeNil() throws -> Bool { false }

        mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
            guard !isAtEnd else {
                throw DecodingError.valueNotFound(type, .init(codingPath: codingPath, debugDescription: "the list is at its end"))
            }
            currentIndex += 1
            return try decoder.value(type)
        }

        mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
            currentIndex += 1
            return try decoder.container(keyedBy: type)
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            currentIndex += 1
            return Unkeyed(decoder: decoder)
        }

        mutating func superDecoder() throws -> any Decoder { decoder }
    }

    private struct Single: SingleValueDecodingContainer {
        let decoder: ProbeDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { false }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.value(type) }
    }
}
