import StoreShared

/// One reason why a migration is not begun, or is undone: what stands in the way, where, and what helps.
package struct Refusal: Sendable, Hashable, CustomStringConvertible {
    /// What it is about: `table note, column body`.
    package let object: String
    package let reason: String
    /// Up to 20 rows that show it, each with its key.
    package let examples: [String]
    /// How many rows there are in all, 0 where rows are not the matter.
    package let rows: Int
    /// What a person can do about it.
    package let remedy: String
    /// Whether it is the machine's at this moment, and neither the plan's nor the rows'.
    package let isOfTheMoment: Bool

    package init(
        object: String, reason: String, examples: [String] = [], rows: Int = 0, remedy: String = "Correct the plan, then start again.",
        isOfTheMoment: Bool = false
    ) {
        self.object = object
        self.reason = reason
        self.examples = examples
        self.rows = rows
        self.remedy = remedy
        self.isOfTheMoment = isOfTheMoment
    }

    /// The object, the reason and the rows, without a full stop.
    package var summary: String {
        var text = "\(object): \(reason)"
        if !examples.isEmpty {
            text += " (\(examples.joined(separator: "; "))"
            if rows > examples.count { text += "; and \(rows - examples.count) more" }
            text += ")"
        }
        return text.onOneLine
    }

    /// One line: the object, the reason, the rows and the remedy.
    package var description: String { summary + ". " + remedy }
}

/// Everything that stands in the way of a migration. Nothing has been changed.
package struct MigrationRefusal: Error, Sendable, CustomStringConvertible {
    package let refusals: [Refusal]

    package init(_ refusals: [Refusal]) {
        self.refusals = refusals
    }

    package init(_ refusal: Refusal) {
        refusals = [refusal]
    }

    package var description: String { refusals.map(\.description).joined(separator: "\n") }

    /// How many reasons an error that carries it names by itself.
    private static let namedReasons = 3

    /// The first reasons, and how many more there are, on one line.
    var summary: String {
        guard !refusals.isEmpty else { return "no reason given" }
        let rest = refusals.count - Self.namedReasons
        var parts = refusals.prefix(Self.namedReasons).map(\.summary)
        if rest > 0 { parts.append(rest == 1 ? "and one more reason" : "and \(rest) more reasons") }
        return parts.joined(separator: "; ")
    }

    /// What helps against those reasons, each remedy once.
    var remedy: String {
        var seen: Set<String> = []
        return refusals.prefix(Self.namedReasons).map(\.remedy).filter { seen.insert($0).inserted }.joined(separator: " ")
    }
}

extension MigrationRefusal: ToldByItsCarrier {}

extension MigrationRefusal: MomentaryError {
    /// Only where nothing else stands in the way.
    package var isOfTheMoment: Bool { refusals.allSatisfy(\.isOfTheMoment) && !refusals.isEmpty }
}
