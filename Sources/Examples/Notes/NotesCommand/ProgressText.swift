/// Progress for people, on one line: a bar, a share, rows, and how many a second.
public struct ProgressText {
    private let label: String
    private let start = ContinuousClock.now
    private let startedAt: Int64

    /// - Parameters:
    ///   - label: what advances, in front of the bar.
    ///   - startedAt: rows that were done before.
    public init(_ label: String, startedAt: Int64 = 0) {
        self.label = label
        self.startedAt = startedAt
    }

    /// The line for `done` rows of `total`, if that is known.
    public func callAsFunction(done: Int64, total: Int64?) -> String {
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        let rate = elapsed > 0.2 ? ", \(grouped(Int64(Double(done - startedAt) / elapsed)))/s" : ""
        guard let total, total > 0 else { return "\(label)  \(grouped(done)) rows\(rate)" }
        let share = min(1, Double(done) / Double(total))
        let filled = Int(share * 20)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 20 - filled)
        let percent = String(Int(share * 100))
        return "\(label)  \(bar) \(String(repeating: " ", count: 3 - percent.count))\(percent) %  "
            + "\(grouped(done)) of \(grouped(total)) rows\(rate)"
    }
}

/// A number with a comma at every thousand.
public func grouped(_ number: some BinaryInteger) -> String {
    var text = ""
    for (place, digit) in String(number.magnitude).reversed().enumerated() {
        if place > 0, place % 3 == 0 { text.append(",") }
        text.append(digit)
    }
    return (number < 0 ? "-" : "") + String(text.reversed())
}
