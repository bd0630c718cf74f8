/// Something that the harness itself could not do.
package struct HarnessFailure: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}

/// Something that must never happen has happened.
package struct Violation: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
