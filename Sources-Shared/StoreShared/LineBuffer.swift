/// Bytes from a stream, cut into lines of at most 64 KiB.
package struct LineBuffer: Sendable {
    /// The longest line, its end not counted.
    package static let limit = 65536

    private var bytes: [UInt8] = []
    /// Up to here there is no line end.
    private var searched = 0

    package init() {}

    /// Whether part of a line is there.
    package var isInLine: Bool { !bytes.isEmpty }

    package mutating func append(_ more: [UInt8]) {
        bytes.append(contentsOf: more)
    }

    /// The next whole line without its end; nil when there is none yet.
    ///
    /// - Throws: `LineTooLong`; nothing after it can be trusted.
    package mutating func next() throws(LineTooLong) -> [UInt8]? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            if bytes.count > Self.limit { throw LineTooLong() }
            return nil
        }
        guard end <= Self.limit else { throw LineTooLong() }
        let line = Array(bytes[..<end])
        bytes.removeFirst(end + 1)
        searched = 0
        return line
    }
}

package struct LineTooLong: Error, Hashable, Sendable {}
