/// A collection without an order of its own, whose JSON is a list: equal values are to be equal texts.
private protocol Unordered {
    /// How many elements of the list belong together: one of a set, the key and the value of a dictionary whose keys are no texts.
    static var step: Int { get }
}

extension Set: Unordered {
    fileprivate static var step: Int { 1 }
}
extension Dictionary: Unordered {
    fileprivate static var step: Int { 2 }
}
extension Optional: Unordered where Wrapped: Unordered {
    fileprivate static var step: Int { Wrapped.step }
}

/// The JSON of sets and dictionaries in the order of its bytes.
enum CanonicalList {
    /// The JSON of a value, in that order where the value has none of its own. Within its elements nothing is moved.
    static func text(_ text: String, of value: Any) -> String {
        guard let unordered = value as? any Unordered else { return text }
        return sorted(text, type(of: unordered).step)
    }

    private static func sorted(_ text: String, _ step: Int) -> String {
        let bytes = Array(text.utf8)
        // Also that of an object, whose keys the encoder sorts.
        guard bytes.first == UInt8(ascii: "["), bytes.count > 2 else { return text }
        let elements = elements(bytes)
        let groups = stride(from: 0, to: elements.count, by: step).map { start in
            elements[start..<min(start + step, elements.count)].joined(separator: [UInt8(ascii: ",")])
        }
        let sorted = groups.map(Array.init).sorted { $0.lexicographicallyPrecedes($1) }
        return "[" + String(decoding: Array(sorted.joined(separator: [UInt8(ascii: ",")])), as: UTF8.self) + "]"
    }

    /// What stands between the commas of a list.
    private static func elements(_ list: [UInt8]) -> [ArraySlice<UInt8>] {
        var elements: [ArraySlice<UInt8>] = []
        var (start, depth, isText, isEscaped) = (1, 0, false, false)
        for index in 1..<list.count - 1 {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch list[index] {
            case UInt8(ascii: "\\"): isEscaped = isText
            case UInt8(ascii: "\""): isText.toggle()
            case UInt8(ascii: "["), UInt8(ascii: "{"): if !isText { depth += 1 }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): if !isText { depth -= 1 }
            case UInt8(ascii: ",") where !isText && depth == 0:
                elements.append(list[start..<index])
                start = index + 1
            default: break
            }
        }
        return elements + [list[start..<list.count - 1]]
    }
}
