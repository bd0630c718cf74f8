/// What a program was built for, or what a store is: a number and, where it is known, the fingerprint that decides.
///
/// Written as `1.1.0:77b0…` with all 64 digits, or as the number alone.
public struct SchemaIdentity: Hashable, Sendable {
    /// The number of the version.
    public var version: SchemaVersion
    /// Nil when only the number is known, as from a shell.
    public var fingerprint: Fingerprint?

    /// A number, with its fingerprint where that is known.
    public init(version: SchemaVersion, fingerprint: Fingerprint? = nil) {
        self.version = version
        self.fingerprint = fingerprint
    }

    /// Whether both name the same schema: by fingerprint where both have one, by number otherwise.
    package func matches(_ other: SchemaIdentity) -> Bool {
        guard let mine = fingerprint, let theirs = other.fingerprint else { return version == other.version }
        return mine == theirs
    }

    /// For people, who know versions by their numbers: with the beginning of the fingerprint where another one has the same number.
    package func description(beside other: SchemaIdentity?) -> String {
        guard let other, other.version == version, !matches(other), let fingerprint else { return version.description }
        return "\(version) (fingerprint \(fingerprint.hex.prefix(12)))"
    }

    /// Reads a list written by `list(_:)`; nil when an entry cannot be read.
    package static func parseList(_ text: String) -> [SchemaIdentity]? {
        var found: [SchemaIdentity] = []
        for entry in text.split(separator: ",") {
            guard let identity = SchemaIdentity(String(entry)) else { return nil }
            found.append(identity)
        }
        return found
    }

    /// A list with commas between the entries, as in the record and in the metadata.
    package static func list(_ identities: [SchemaIdentity]) -> String {
        identities.map(\.description).joined(separator: ",")
    }
}

extension SchemaIdentity: LosslessStringConvertible {
    /// Reads what `description` writes: a number, or a number, a colon and the 64 digits of a fingerprint; anything else is nil.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let version = parts.first.flatMap({ SchemaVersion(String($0)) }) else { return nil }
        self.version = version
        if parts.count == 2 {
            guard let fingerprint = Fingerprint(hex: String(parts[1])) else { return nil }
            self.fingerprint = fingerprint
        }
    }

    public var description: String {
        fingerprint.map { "\(version):\($0)" } ?? version.description
    }
}
