/// Text that somebody else chose, made safe for a terminal or a log: the one place that does it, for everything that people read. JSON
/// needs none of it.
///
/// What would move the cursor, begin a sequence of the terminal or turn the direction of the text is shown as `\u{1B}` instead.
extension String {
    /// The text on one line, with a space for each line end: where one line is one thing.
    package var onOneLine: String { Self.safe(self) { $0.value == 0x09 ? " " : nil } }

    /// A text of several lines, which keeps its line ends and tabs.
    package var forTerminal: String { Self.safe(self) { $0 == "\n" || $0 == "\t" ? String($0) : nil } }

    private static func safe(_ text: String, keeping kept: (Unicode.Scalar) -> String?) -> String {
        guard text.unicodeScalars.contains(where: { $0.isUnsafe }) else { return text }
        var result = ""
        var before: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { before = scalar }
            if let replacement = kept(scalar) {
                result += replacement
            } else if scalar == "\n", before == "\r" {
                continue
            } else if scalar == "\n" || scalar == "\r" {
                result += " "
            } else if scalar.isUnsafe {
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    /// Controls of C0 and C1, line and paragraph separators, marks and overrides of direction, and characters that nobody sees.
    fileprivate var isUnsafe: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
            true
        default: false
        }
    }
}
