import Foundation

/// One measured figure with the most that it may be.
struct Figure {
    var name: String
    var value: Double
    var budget: Double?
    var unit: String
    /// What else there is to say of it.
    var note = ""

    var isOver: Bool { budget.map { value > $0 } ?? false }

    var line: String {
        let limit = budget.map { "budget \(short($0)) \(unit)" } ?? ""
        let verdict = budget == nil ? "" : isOver ? "OVER" : "ok"
        let columns = [padded(name, 58), padded("\(short(value)) \(unit)", 16), padded(limit, 18), padded(verdict, 5), note]
        return columns.joined(separator: " ").trimmingCharacters(in: .whitespaces)
    }
}

/// A number with three significant digits, or all digits before the point.
func short(_ value: Double) -> String {
    let magnitude = abs(value)
    let digits = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3
    return String(format: "%.\(digits)f", value)
}

private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

/// The middle value, or the mean of the two middle ones.
func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    return (sorted[sorted.count / 2] + sorted[(sorted.count - 1) / 2]) / 2
}
