import Foundation

/// Names a context to a store.
public struct EditingState: Identifiable, Sendable {
    public typealias ID = UUID
    /// Tells contexts apart.
    public let id: UUID
    /// Who makes the changes, for the store's history.
    public var author: String?

    init() { id = UUID() }
}
