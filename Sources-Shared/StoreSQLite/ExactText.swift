import Glibc

/// A text that is equal to another if both have the same bytes, as in SQLite: Swift holds strings for equal that mean the same to a reader,
/// such as "é" written as one scalar and as two.
package struct ExactText: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package var description: String { text }

    package static func == (first: ExactText, second: ExactText) -> Bool {
        var (first, second) = (first.text, second.text)
        return first.withUTF8 { first in
            second.withUTF8 { second in
                guard first.count == second.count, let start = first.baseAddress, let other = second.baseAddress else {
                    return first.count == second.count
                }
                return memcmp(start, other, first.count) == 0
            }
        }
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// An order by bytes: the same on every machine.
    package static func precedes(_ first: ExactText, _ second: ExactText) -> Bool {
        first.text.utf8.lexicographicallyPrecedes(second.text.utf8)
    }
}
