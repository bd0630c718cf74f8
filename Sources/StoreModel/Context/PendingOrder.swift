import Foundation

/// The order of models with pending changes, the same as the one that SQL gives the others.
struct PendingOrder<T> {
    private let descriptors: [SortDescriptor<T>]

    init(_ descriptors: [SortDescriptor<T>]) {
        self.descriptors = descriptors
    }

    func compare(_ left: T, _ right: T) -> ComparisonResult {
        for descriptor in descriptors {
            let result = compare(left, right, descriptor)
            if result != .orderedSame { return result }
        }
        return .orderedSame
    }

    private func compare(_ left: T, _ right: T, _ descriptor: SortDescriptor<T>) -> ComparisonResult {
        guard !descriptor.isLexical else { return descriptor.compare(left, right) }
        let result: ComparisonResult
        if let keyPath = descriptor.keyPath as? KeyPath<T, String> {
            result = left[keyPath: keyPath].localizedStandardCompare(right[keyPath: keyPath])
        } else if let keyPath = descriptor.keyPath as? KeyPath<T, String?> {
            switch (left[keyPath: keyPath], right[keyPath: keyPath]) {
            case (nil, nil): result = .orderedSame
            case (nil, _): result = .orderedAscending
            case (_, nil): result = .orderedDescending
            case (let left?, let right?): result = left.localizedStandardCompare(right)
            }
        } else {
            return descriptor.compare(left, right)
        }
        guard descriptor.order == .reverse else { return result }
        switch result {
        case .orderedAscending: return .orderedDescending
        case .orderedDescending: return .orderedAscending
        case .orderedSame: return .orderedSame
        }
    }
}

extension SortDescriptor {
    /// Whether it compares texts by the comparator `.lexical`. Foundation does not publish it; the shape of the value shows it.
    var isLexical: Bool {
        Mirror(reflecting: self).children.contains { child in
            child.label == "comparison" && Mirror(reflecting: child.value).children.first?.label == "comparableString"
        }
    }
}
