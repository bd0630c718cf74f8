import StoreSQLite

/// Names in SQL: quoting, unquoting, and SQLite's idea of equal names.
package enum SQLName {
    /// `name` in double quotes, safe in any statement.
    package static func quoted(_ name: String) -> String {
        "\"" + name.replacingEvery("\"", with: "\"\"") + "\""
    }

    /// `text` as an SQL string in single quotes.
    package static func literal(_ text: String) -> String {
        "'" + text.replacingEvery("'", with: "''") + "'"
    }

    /// A quoted name or string without its quotes, doubled quotes made single. Text that is not quoted comes back as it is.
    package static func unquoted(_ text: String) -> String {
        guard let first = text.utf8.first, text.utf8.count >= 2 else { return text }
        let inner = String(decoding: text.utf8.dropFirst().dropLast(), as: UTF8.self)
        switch first {
        case UInt8(ascii: "["): return inner
        case UInt8(ascii: "\""): return inner.replacingEvery("\"\"", with: "\"")
        case UInt8(ascii: "`"): return inner.replacingEvery("``", with: "`")
        case UInt8(ascii: "'"): return inner.replacingEvery("''", with: "'")
        default: return text
        }
    }

    /// A key for a name: two names that SQLite holds for one have the same, and only they. ASCII letters are small.
    ///
    /// To SQLite letters beyond ASCII are bytes. Swift holds strings for equal that differ in their bytes, so such bytes become scalars that
    /// are equal to nothing else, and a zero scalar, which no name can have, marks the end: the key of a key is itself. Not for people.
    package static func folded(_ name: String) -> String {
        var isPlain = true
        for byte in name.utf8 {
            if byte >= 0x80 { return foldedBeyondASCII(name) }
            if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) { isPlain = false }
        }
        return isPlain ? name : String(decoding: name.utf8.map(small), as: UTF8.self)
    }

    private static func foldedBeyondASCII(_ name: String) -> String {
        if name.utf8.last == 0 { return name }
        var key = String.UnicodeScalarView()
        for byte in name.utf8 {
            let scalar = byte < 0x80 ? Unicode.Scalar(small(byte)) : Unicode.Scalar(0xE000 + UInt32(byte)) ?? "?"
            key.append(scalar)
        }
        key.append("\0")
        return String(key)
    }

    private static func small(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// `name` with ASCII letters capital.
    package static func capitals(_ name: String) -> String {
        String(decoding: name.utf8.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 & ~0x20 : $0 }, as: UTF8.self)
    }

    /// Whether SQLite would hold both names for the same one.
    package static func same(_ first: String, _ second: String) -> Bool {
        if first.utf8.last == 0 || second.utf8.last == 0 { return folded(first) == folded(second) }
        return first.utf8.count == second.utf8.count && zip(first.utf8, second.utf8).allSatisfy { small($0) == small($1) }
    }

    /// Whether both have the same bytes.
    package static func isIdentical(_ first: String, _ second: String) -> Bool {
        ExactText(first) == ExactText(second)
    }

    /// An order of names by their bytes: the same on every machine, which Swift's order of strings does not promise.
    package static func precedes(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }

    /// Whether `name` is ours or SQLite's: such objects are no part of a schema version.
    package static func isReserved(_ name: String) -> Bool {
        let folded = folded(name)
        return folded.utf8.starts(with: "storekeeper_".utf8) || folded.utf8.starts(with: "sqlite_".utf8)
    }
}

extension String {
    /// The string with every `target` exchanged, compared by bytes.
    fileprivate func replacingEvery(_ target: String, with replacement: String) -> String {
        let pattern = Array(target.utf8)
        guard utf8.contains(pattern[0]) else { return self }
        let source = Array(utf8)
        var result: [UInt8] = []
        var index = 0
        while index < source.count {
            if source[index...].starts(with: pattern) {
                result.append(contentsOf: replacement.utf8)
                index += pattern.count
            } else {
                result.append(source[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
