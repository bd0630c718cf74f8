import Foundation

/// What to fetch: which models, in which order, how many, and with what beside them.
public struct FetchDescriptor<T>: @unchecked Sendable where T: PersistentModel {
    // Unchecked: predicates, sort descriptors and key paths are immutable; those that a program captures are its own.

    /// Which models; nil for all.
    public var predicate: Predicate<T>?
    /// In which order; the first descriptor counts most. Models that compare as equal come in the order of their insertion.
    public var sortBy: [SortDescriptor<T>]
    /// The most models; nil for all.
    public var fetchLimit: Int?
    /// How many of the models are left out at the start.
    public var fetchOffset: Int?
    /// Whether unsaved insertions, changes and deletions of the context count. They do by default.
    public var includePendingChanges = true

    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}
