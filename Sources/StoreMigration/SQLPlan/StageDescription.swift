import FoundationEssentials

/// `stage.json`: what the two schemas do not say about the step to a version.
struct StageDescription: Decodable {
    struct Batches: Decodable {
        let size: Int
        let key: String

        init(from decoder: any Decoder) throws {
            let values = try StageDescription.values(of: decoder, ["size", "key"])
            size = try values.decode(Int.self, forKey: AnyKey("size"))
            key = try values.decode(String.self, forKey: AnyKey("key"))
        }
    }

    /// Each with the name in the version before and the name in this one, in the order of their bytes.
    var renames: [(from: String, to: String)] = []
    var allowLoss: [String] = []
    var exclusive = false
    /// Enters the fingerprint: for versions whose schemas are equal and whose rows are not.
    var hashModifier: String?
    var readableBy: [String] = []
    var batches: Batches?
    /// The file with the step back.
    var reverse: String?

    /// What holds where there is no file.
    init() {}

    /// - Throws: `StoreError.planRefused` naming the file and the place in it.
    init(_ file: PlanFile) throws {
        do {
            try JSONGrammar.check(file.text)
        } catch {
            throw file.refusal(error.reason, at: error.position, remedy: "correct it")
        }
        do {
            self = try JSONDecoder().decode(StageDescription.self, from: Data(file.text.utf8))
        } catch let error as DecodingError {
            throw file.refusal(Self.reason(of: error), remedy: "correct it")
        }
    }

    init(from decoder: any Decoder) throws {
        let values = try Self.values(
            of: decoder, ["renames", "allowLoss", "exclusive", "hashModifier", "readableBy", "batches", "reverse"])
        func value<Value: Decodable>(_ name: String, _ type: Value.Type) throws -> Value? {
            try values.decodeIfPresent(type, forKey: AnyKey(name))
        }
        renames = try (value("renames", [String: String].self) ?? [:]).sorted { SQLName.precedes($0.key, $1.key) }
            .map { (from: $0.key, to: $0.value) }
        allowLoss = try value("allowLoss", [String].self) ?? []
        exclusive = try value("exclusive", Bool.self) ?? false
        hashModifier = try value("hashModifier", String.self)
        readableBy = try value("readableBy", [String].self) ?? []
        batches = try value("batches", Batches.self)
        reverse = try value("reverse", String.self)
    }

    /// A key that is misspelt would be passed over, and with it what it was to say.
    private static func values(of decoder: any Decoder, _ known: Set<String>) throws -> KeyedDecodingContainer<AnyKey> {
        let values = try decoder.container(keyedBy: AnyKey.self)
        if let strange = values.allKeys.first(where: { !known.contains($0.stringValue) }) {
            throw DecodingError.dataCorruptedError(
                forKey: strange, in: values,
                debugDescription: "there is no such key; the keys are \(known.sorted(by: SQLName.precedes).joined(separator: ", "))")
        }
        return values
    }

    private static func reason(of error: DecodingError) -> String {
        switch error {
        case .dataCorrupted(let found): return place(found) + sentence(found.debugDescription)
        case .typeMismatch(let type, let found), .valueNotFound(let type, let found):
            return place(found) + "it must be \(word(for: type))"
        case .keyNotFound(let key, let found): return "the key \"\(path(found.codingPath + [key]))\" is missing"
        @unknown default: return "\(error)"
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        context.codingPath.isEmpty ? "" : "the key \"\(path(context.codingPath))\": "
    }

    /// `batches.size`, `allowLoss[0]`.
    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? "" : ".") + key.stringValue
        }
    }

    private static func sentence(_ reason: String) -> String { reason.hasSuffix(".") ? String(reason.dropLast()) : reason }

    /// What JSON calls a value that is read as a type.
    private static func word(for type: any Any.Type) -> String {
        switch type {
        case is Bool.Type: "true or false"
        case is Int.Type: "a whole number"
        case is String.Type: "a text"
        // The decoder names lists and objects by types of its own.
        default: "\(type)".hasPrefix("Array") ? "a list" : "an object in braces"
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
