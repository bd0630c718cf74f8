import Foundation

/// The order of texts in lists, as people expect it: `localizedStandardCompare`.
enum StandardOrder {
    /// Less than, equal to or more than 0.
    static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        String(decoding: a, as: UTF8.self).localizedStandardCompare(String(decoding: b, as: UTF8.self)).rawValue
    }
}
