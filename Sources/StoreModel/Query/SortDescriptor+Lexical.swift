import Foundation

extension SortDescriptor {
    /// Whether it compares texts by the comparator `.lexical`. Foundation does not publish it; the shape of the value shows it.
    var isLexical: Bool {
        Mirror(reflecting: self).children.contains { child in
            child.label == "comparison" && Mirror(reflecting: child.value).children.first?.label == "comparableString"
        }
    }
}
