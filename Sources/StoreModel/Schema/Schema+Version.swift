import StoreShared

extension Schema {
    /// A schema version's number. It names a version; the fingerprint decides.
    public struct Version: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
        /// Counts first.
        public let major: Int
        /// Counts where the first is the same.
        public let minor: Int
        /// Counts last.
        public let patch: Int

        /// A version by its three numbers, 0 or more.
        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        public static func < (left: Version, right: Version) -> Bool {
            (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
        }

        public var description: String { "\(major).\(minor).\(patch)" }
    }
}
