import Foundation

/// What to fetch: which models, in which order, how many, and with what beside them.
public struct FetchDescriptor<T> where T: PersistentModel {
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
    /// Which properties are read; none for all. The others are read, all at once, when one of them is first used.
    public var propertiesToFetch: [PartialKeyPath<T>] = []
    /// Which relationships are followed at once: one query for each, however many models there are. What they lead to is held by the
    /// context until its next fetch that prefetches.
    public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

    /// Every model that fits, in this order; without one, in that of the rows.
    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

/// Unchecked: predicates and sort descriptors are Sendable, and key paths are immutable and capture what a program gave them to capture.
extension FetchDescriptor: @unchecked Sendable {}

extension FetchDescriptor: Equatable {
    /// Whether both fetch the same: predicates are equal when they are built alike over equal captured values.
    public static func == (lhs: FetchDescriptor<T>, rhs: FetchDescriptor<T>) -> Bool {
        lhs.sortBy == rhs.sortBy && lhs.fetchLimit == rhs.fetchLimit && lhs.fetchOffset == rhs.fetchOffset
            && lhs.includePendingChanges == rhs.includePendingChanges && lhs.propertiesToFetch == rhs.propertiesToFetch
            && lhs.relationshipKeyPathsForPrefetching == rhs.relationshipKeyPathsForPrefetching
            && lhs.predicate.map(PredicateStructure.init) == rhs.predicate.map(PredicateStructure.init)
    }
}

/// The structure of a predicate with its captured values, as text in which variables are numbered by their first appearance.
private struct PredicateStructure: Equatable {
    private let text: String

    init<each Input>(_ predicate: Predicate<repeat each Input>) {
        var numbers: [Substring: Int] = [:]
        var text = ""
        var rest = "\(predicate.expression)"[...]
        var isQuoted = false
        while let character = rest.first {
            if !isQuoted, rest.hasPrefix("Variable("), let end = rest.firstIndex(of: ")") {
                let name = rest[..<end]
                text += "Variable(\(numbers[name, default: numbers.count])"
                numbers[name] = numbers[name] ?? numbers.count
                rest = rest[end...]
                continue
            }
            if isQuoted, character == "\\" {
                text += rest.prefix(2)
                rest = rest.dropFirst(2)
                continue
            }
            if character == "\"" { isQuoted.toggle() }
            text.append(character)
            rest = rest.dropFirst()
        }
        self.text = text
    }
}
