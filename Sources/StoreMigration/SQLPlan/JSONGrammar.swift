/// Finds where a text breaks the grammar of JSON (RFC 8259), and keys that one object has twice.
///
/// The decoder says neither the line nor that it dropped a key; a rename that is dropped would be a column that is lost.
struct JSONGrammar {
    /// What is wrong, and at which UTF-8 byte.
    struct Problem: Error, Hashable {
        let position: Int
        let reason: String
    }

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    /// - Throws: `Problem` with the first thing that is wrong.
    static func check(_ text: String) throws(Problem) {
        var grammar = JSONGrammar(text)
        try grammar.value()
        grammar.skipSpace()
        if grammar.position < grammar.bytes.count { throw grammar.problem("nothing may follow the value") }
    }

    private init(_ text: String) {
        bytes = Array(text.utf8)
    }

    private func problem(_ reason: String) -> Problem { Problem(position: position, reason: reason) }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func value() throws(Problem) {
        skipSpace()
        switch peek() {
        case UInt8(ascii: "{"): try nested { (grammar) throws(Problem) in try grammar.object() }
        case UInt8(ascii: "["): try nested { (grammar) throws(Problem) in try grammar.array() }
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case UInt8(ascii: "-"), .some(0x30...0x39): try number()
        case nil: throw problem("a value is missing at the end")
        default: throw problem("a value must stand here: a text in double quotes, a number, true, false, null, [ or {")
        }
    }

    private mutating func nested(_ body: (inout JSONGrammar) throws(Problem) -> Void) throws(Problem) {
        depth += 1
        if depth > 64 { throw problem("it is nested too deeply") }
        try body(&self)
        depth -= 1
    }

    private mutating func object() throws(Problem) {
        var keys: Set<[UInt8]> = []
        try list(closing: UInt8(ascii: "}")) { (grammar) throws(Problem) in
            guard grammar.peek() == UInt8(ascii: "\"") else { throw grammar.problem("a key in double quotes must stand here") }
            let start = grammar.position
            let key = try grammar.string()
            guard keys.insert(Array(key)).inserted else {
                grammar.position = start
                throw grammar.problem("the key \"\(String(decoding: key, as: UTF8.self))\" stands here a second time")
            }
            grammar.skipSpace()
            guard grammar.peek() == UInt8(ascii: ":") else { throw grammar.problem("a colon must stand here") }
            grammar.position += 1
            try grammar.value()
        }
    }

    private mutating func array() throws(Problem) {
        try list(closing: UInt8(ascii: "]")) { (grammar) throws(Problem) in try grammar.value() }
    }

    /// What stands between two brackets, with commas.
    private mutating func list(
        closing: UInt8, _ element: (inout JSONGrammar) throws(Problem) -> Void
    ) throws(Problem) {
        position += 1
        skipSpace()
        if peek() == closing {
            position += 1
            return
        }
        while true {
            skipSpace()
            try element(&self)
            skipSpace()
            guard let byte = peek(), byte == UInt8(ascii: ",") || byte == closing else {
                throw problem("a comma or \(Character(Unicode.Scalar(closing))) must stand here")
            }
            position += 1
            if byte == closing { return }
        }
    }

    /// The bytes between the quotes, escapes as they are written.
    private mutating func string() throws(Problem) -> ArraySlice<UInt8> {
        position += 1
        let start = position
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return bytes[start..<position - 1]
            case UInt8(ascii: "\\"):
                try escape()
            case 0..<0x20:
                throw problem("a text may not hold a control character")
            default:
                position += 1
            }
        }
        position = bytes.count
        throw problem("a text is not closed")
    }

    private mutating func escape() throws(Problem) {
        let next = position + 1 < bytes.count ? bytes[position + 1] : 0
        if Array("\"\\/bfnrt".utf8).contains(next) {
            position += 2
            return
        }
        guard next == UInt8(ascii: "u"), let unit = unit(at: position + 2) else { throw problem("there is no such escape in JSON") }
        var length = 6
        if UTF16.isLeadSurrogate(unit) {
            let follows = bytes[min(position + 6, bytes.count)...].starts(with: "\\u".utf8)
            guard follows, let other = self.unit(at: position + 8), UTF16.isTrailSurrogate(other) else {
                throw problem("this escape is half of a character")
            }
            length = 12
        } else if UTF16.isTrailSurrogate(unit) {
            throw problem("this escape is half of a character")
        }
        position += length
    }

    /// The number that four hexadecimal digits write.
    private func unit(at start: Int) -> UInt16? {
        guard start + 4 <= bytes.count else { return nil }
        return bytes[start..<start + 4].reduce(UInt16?(0)) { number, byte in
            guard let number, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            return number << 4 | UInt16(digit)
        }
    }

    private mutating func word(_ word: String) throws(Problem) {
        guard bytes[position...].starts(with: word.utf8) else { throw problem("\(word) is misspelt") }
        position += word.utf8.count
    }

    /// The decoder judges the digits.
    private mutating func number() throws(Problem) {
        while let byte = peek(), (0x30...0x39).contains(byte) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte) { position += 1 }
    }
}
