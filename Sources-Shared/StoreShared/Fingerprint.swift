/// A SHA-256 over a normalised schema: 64 lower-case hexadecimal digits.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The 64 digits.
    public let hex: String

    /// Nil unless `hex` is 64 hexadecimal digits; upper-case digits are taken and lowered.
    public init?(hex: String) {
        guard hex.utf8.count == 64, hex.utf8.allSatisfy(Self.isHexadecimal) else { return nil }
        self.hex = hex.lowercased()
    }

    /// The digest of some bytes.
    package init(of bytes: [UInt8]) {
        hex = SHA256.hex(of: bytes)
    }

    /// The digest of a text's UTF-8.
    package init(of text: String) {
        hex = SHA256.hex(of: text)
    }

    public var description: String { hex }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
    }
}
