/// Bytes from a stream, cut into lines of at most 64 KiB.
package struct LineBuffer: Sendable {
    /// The longest line, its end not counted.
    package static let limit = 65536

    private var bytes: [UInt8] = []
    /// Where the next line begins: what lies before has been taken.
    private var start = 0
    /// Up to here there is no line end behind `start`.
    private var searched = 0

    package init() {}

    /// Whether all that is left is part of a line.
    package var isInLine: Bool { start < bytes.count && searched == bytes.count }
    /// Whether there may be a whole line.
    package var isUnread: Bool { searched < bytes.count }

    package mutating func append(_ more: [UInt8]) {
        bytes.removeFirst(start)
        searched -= start
        start = 0
        bytes.append(contentsOf: more)
    }

    /// The next whole line without its end; nil when there is none yet.
    ///
    /// - Throws: `LineTooLong`; nothing after it can be trusted.
    package mutating func next() throws(LineTooLong) -> [UInt8]? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            if bytes.count - start > Self.limit { throw LineTooLong() }
            return nil
        }
        guard end - start <= Self.limit else { throw LineTooLong() }
        defer {
            start = end + 1
            searched = start
        }
        return Array(bytes[start..<end])
    }
}

package struct LineTooLong: Error, Hashable, Sendable {}
