import Foundation
import StoreSQLite

/// Texts with U+0000 inside JSON: SQLite's own functions end such a text there.
///
/// JSON writes the character as an escape. Where that stands in a text of JSON, functions of ours read it; in a list for `json_each`, a text
/// with the character becomes a list of its bytes, as `CapturedList` writes it.
enum ZeroText {
    static func register(on connection: Connection) throws {
        try connection.register(function: "storekeeper_zero_list", arguments: 1) { arguments in
            guard case .text(let json) = arguments[0], let list = try? CodableText.decode([String?].self, from: json) else {
                return arguments[0]
            }
            return try CapturedList(list.map { $0 as Any }, kind: .text).json
        }
        try connection.register(function: "storekeeper_zero_part", arguments: 2) { arguments in
            guard case .text(let json) = arguments[0], case .text(let path) = arguments[1] else { return .null }
            return try CodableText.decode(JSONItem.self, from: json).part(path).value
        }
        try connection.register(function: "storekeeper_zero_entry", arguments: 2) { arguments in
            guard case .text(let json) = arguments[0], case .text(let key) = arguments[1],
                case .object(let members) = try CodableText.decode(JSONItem.self, from: json)
            else { return .null }
            return try members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value.value ?? .null
        }
    }

    /// `ours` where a text of JSON has the escape of the character, else `theirs`.
    static func read(_ json: SQLFragment, _ ours: SQLFragment, else theirs: SQLFragment) -> SQLFragment {
        "CASE WHEN instr(\(json), '\\u0000') THEN \(ours) ELSE \(theirs) END"
    }

    /// What is at a path of a text of JSON.
    static func part(of json: SQLFragment, at path: SQLFragment, type: Any.Type) -> SQLFragment {
        let part = UnsignedWord.read(
            "json_extract(\(json), \(path))", exact: "storekeeper_word(\(json) -> \(path))", type: type)
        return StorageKind(of: type) == .text ? read(json, "storekeeper_zero_part(\(json), \(path))", else: part) : part
    }
}

/// Any value in JSON.
private enum JSONItem: Codable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case real(Double)
    case text(String)
    case list([JSONItem])
    case object([String: JSONItem])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(String.self) {
            // Before numbers: some are written as texts.
            self = .text(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(value)
        } else if let value = try? container.decode([JSONItem].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSONItem].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .real(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// As SQLite's functions give it.
    var value: Value {
        get throws {
            switch self {
            case .null: .null
            case .boolean(let value): .integer(value ? 1 : 0)
            case .integer(let value): .integer(value)
            case .unsigned(let value): UnsignedWord.value(value)
            case .real(let value): .real(value)
            case .text(let value): .text(value)
            case .list, .object: .text(try CodableText.encode(self))
            }
        }
    }

    /// What is at a path of the forms that translated predicates have: `$."key"[3][#-1]`.
    func part(_ path: String) -> JSONItem {
        var (item, rest) = (self, path.dropFirst())
        while let first = rest.first {
            if first == ".", let end = rest.dropFirst(2).firstIndex(of: "\"") {
                let key = rest[rest.index(rest.startIndex, offsetBy: 2)..<end]
                guard case .object(let members) = item else { return .null }
                item = members[String(key)] ?? .null
                rest = rest[end...].dropFirst()
            } else if first == "[", let end = rest.firstIndex(of: "]") {
                let step = rest.dropFirst()[..<end]
                guard case .list(let items) = item else { return .null }
                let index = step == "#-1" ? items.count - 1 : Int(step) ?? -1
                item = items.indices.contains(index) ? items[index] : .null
                rest = rest[end...].dropFirst()
            } else {
                return .null
            }
        }
        return item
    }
}
