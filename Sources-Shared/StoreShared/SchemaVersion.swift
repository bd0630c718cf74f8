/// The number of a schema version, `major.minor.patch`; the fingerprint decides what a store is, the number names it.
public struct SchemaVersion: Hashable, Sendable {
    /// The first number.
    public let major: Int
    /// The second number.
    public let minor: Int
    /// The third number.
    public let patch: Int

    /// The numbers of a version. A negative one cannot be read again from its text.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }
}

extension SchemaVersion: Comparable {
    /// Compares as numbers: 1.10.0 comes after 1.9.0.
    public static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
}

extension SchemaVersion: LosslessStringConvertible {
    /// Reads exactly three decimal numbers between full stops, without signs and leading zeros; anything else is nil.
    public init?(_ description: String) {
        let parts = description.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard let first = part.first, part.allSatisfy({ (0x30...0x39).contains($0) }), first != 0x30 || part.count == 1,
                let number = Int(String(Substring(part)))
            else { return nil }
            numbers.append(number)
        }
        self.init(numbers[0], numbers[1], numbers[2])
    }

    public var description: String { "\(major).\(minor).\(patch)" }
}
