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

    package init(
        object: String, reason: String, examples: [String] = [], rows: Int = 0, remedy: String = "Correct the plan, then start again."
    ) {
        self.object = object
        self.reason = reason
        self.examples = examples
        self.rows = rows
        self.remedy = remedy
    }

    /// The object, the reason and the rows, without a full stop.
    package var summary: String {
        var text = "\(object): \(reason)"
        if !examples.isEmpty {
            text += " (\(examples.joined(separator: "; "))"
            if rows > examples.count { text += "; and \(rows - examples.count) more" }
            text += ")"
        }
        return text
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
}
