import StoreShared

/// What libFuzzer calls with each input of the record's parser: any bytes are a record or an error, a record survives being written
/// and read again, and its text is one that a shell reads as words alone.
func fuzzRecord(_ bytes: UnsafeRawBufferPointer) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    // With the right sum as well: else hardly any input gets beyond it.
    for text in [text, text + "STORE_SUM=\(SHA256.hex(of: text).prefix(16))\n"] {
        guard let record = try? PublishedRecord(text: text) else { continue }
        let written = record.text()
        guard let again = try? PublishedRecord(text: written), again.text() == written else {
            fatalError("a record is not read as it was written: \(written.debugDescription)")
        }
        for line in written.split(separator: "\n") where !isPlain(line) {
            fatalError("a shell would run part of \(String(line).debugDescription)")
        }
    }
}

/// `KEY=` and a word of which no part is expanded: plain characters, double quotes without `$` and backtick, single quotes.
private func isPlain(_ line: Substring) -> Bool {
    guard let equals = line.firstIndex(of: "="), line[..<equals].allSatisfy({ $0.isASCII && ($0.isUppercase || $0 == "_" || $0.isNumber) })
    else { return false }
    var quote: Unicode.Scalar?
    var isEscaped = false
    for scalar in line[line.index(after: equals)...].unicodeScalars {
        if isEscaped {
            isEscaped = false
        } else if let open = quote {
            if scalar == open { quote = nil }
            if open == "\"" {
                if scalar == "\\" { isEscaped = true }
                if scalar == "$" || scalar == "`" { return false }
            }
        } else if scalar == "\"" || scalar == "'" {
            quote = scalar
        } else if " \t;&|<>()$`\\#*?[]{}~!".unicodeScalars.contains(scalar) || scalar.value < 0x20 || scalar.value == 0x7f {
            return false
        }
    }
    return quote == nil && !isEscaped
}
