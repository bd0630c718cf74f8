/// Splits SQL text into the tokens that SQLite sees.
///
/// It knows every token kind of SQLite (tokenize.c), all four quoting styles, both comment styles, blobs and parameters, so that
/// no part of the engine ever looks at SQL text in another way. It never fails: what SQLite would refuse becomes `illegal`.
package struct SQLTokenizer {
    private let bytes: [UInt8]
    private var position = 0

    private init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// All tokens of `text`, in order. Space, comments and a byte order mark are left out.
    package static func tokens(of text: String) -> [SQLToken] {
        var tokenizer = SQLTokenizer(text)
        var tokens: [SQLToken] = []
        while let token = tokenizer.next() { tokens.append(token) }
        return tokens
    }

    private mutating func next() -> SQLToken? {
        skipSpaceAndComments()
        guard position < bytes.count else { return nil }
        let start = position
        let kind = scan()
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        return SQLToken(kind: kind, text: text, range: start..<position)
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private mutating func skipSpaceAndComments() {
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), 0x0C, UInt8(ascii: "\r"):
                position += 1
            case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"):
                skip { $0 != UInt8(ascii: "\n") }
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
                position += 2
                while position < bytes.count, !(peek() == UInt8(ascii: "*") && peek(1) == UInt8(ascii: "/")) { position += 1 }
                // A comment that is never closed runs to the end, as in SQLite.
                position = min(position + 2, bytes.count)
            case 0xEF where peek(1) == 0xBB && peek(2) == 0xBF:
                position += 3
            default:
                return
            }
        }
    }

    private mutating func scan() -> SQLToken.Kind {
        let byte = bytes[position]
        switch byte {
        case UInt8(ascii: "'"):
            return scanQuoted(byte) ? .string : .illegal
        case UInt8(ascii: "\""), UInt8(ascii: "`"):
            return scanQuoted(byte) ? .quotedName : .illegal
        case UInt8(ascii: "["):
            while let byte = peek() {
                position += 1
                if byte == UInt8(ascii: "]") { return .quotedName }
            }
            return .illegal
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            if peek(1) == UInt8(ascii: "'") {
                position += 1
                return scanQuoted(UInt8(ascii: "'")) ? .blob : .illegal
            }
            return scanWord()
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            return scanNumber()
        case UInt8(ascii: ".") where peek(1).map(Self.isDigit) == true:
            return scanNumber()
        case UInt8(ascii: "?"):
            position += 1
            skip(while: Self.isDigit)
            return .parameter
        case UInt8(ascii: "@"), UInt8(ascii: "#"), UInt8(ascii: ":"), UInt8(ascii: "$"):
            return scanParameter()
        default:
            return Self.isWordByte(byte) ? scanWord() : scanSymbol()
        }
    }

    /// Moves past a quoted token in which the quote is written doubled; false if it never ends.
    private mutating func scanQuoted(_ quote: UInt8) -> Bool {
        position += 1
        while let byte = peek() {
            position += 1
            if byte == quote {
                guard peek() == quote else { return true }
                position += 1
            }
        }
        return false
    }

    private mutating func scanWord() -> SQLToken.Kind {
        skip { Self.isWordByte($0) || $0 == UInt8(ascii: "$") }
        return .word
    }

    private mutating func scanNumber() -> SQLToken.Kind {
        if peek() == UInt8(ascii: "0"), peek(1) == UInt8(ascii: "x") || peek(1) == UInt8(ascii: "X"), peek(2).map(Self.isHex) == true {
            position += 2
            skip { Self.isHex($0) || $0 == UInt8(ascii: "_") }
        } else {
            skipDigits()
            if peek() == UInt8(ascii: ".") {
                position += 1
                skipDigits()
            }
            if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
                let signed = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-")
                if peek(signed ? 2 : 1).map(Self.isDigit) == true {
                    position += signed ? 2 : 1
                    skipDigits()
                }
            }
        }
        // `12abc` is one token that SQLite refuses, not a number and a name.
        guard let byte = peek(), Self.isWordByte(byte) else { return .number }
        skip(while: Self.isWordByte)
        return .illegal
    }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while position < bytes.count, condition(bytes[position]) { position += 1 }
    }

    private mutating func skipDigits() {
        skip { Self.isDigit($0) || $0 == UInt8(ascii: "_") }
    }

    private mutating func scanParameter() -> SQLToken.Kind {
        position += 1
        let start = position
        while let byte = peek() {
            if Self.isWordByte(byte) || byte == UInt8(ascii: "$") {
                position += 1
            } else if byte == UInt8(ascii: ":"), peek(1) == UInt8(ascii: ":") {
                position += 2
            } else {
                break
            }
        }
        return position > start ? .parameter : .illegal
    }

    private mutating func scanSymbol() -> SQLToken.Kind {
        let first = bytes[position]
        position += 1
        // The symbols of two bytes, and the only one of three.
        switch (first, peek()) {
        case (UInt8(ascii: "-"), UInt8(ascii: ">")):
            position += peek(1) == UInt8(ascii: ">") ? 2 : 1
            return .symbol
        case (UInt8(ascii: "="), UInt8(ascii: "=")), (UInt8(ascii: "<"), UInt8(ascii: "=")), (UInt8(ascii: "<"), UInt8(ascii: ">")),
            (UInt8(ascii: "<"), UInt8(ascii: "<")), (UInt8(ascii: ">"), UInt8(ascii: "=")), (UInt8(ascii: ">"), UInt8(ascii: ">")),
            (UInt8(ascii: "!"), UInt8(ascii: "=")), (UInt8(ascii: "|"), UInt8(ascii: "|")):
            position += 1
            return .symbol
        default:
            return Self.shortSymbols.contains(first) ? .symbol : .illegal
        }
    }

    private static let shortSymbols = Array("-()+;*/%=<>,&~|.".utf8)

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    /// Letters, digits, the underscore and every byte above ASCII, as in SQLite's `IdChar`.
    private static func isWordByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "_") || byte >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
