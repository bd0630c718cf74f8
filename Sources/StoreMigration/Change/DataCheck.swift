import StoreSQLite

/// A question to the rows of a store whose answer decides whether a change can be made.
///
/// It is asked under the names that the store has before the change.
struct DataCheck: Sendable {
    /// `table note, column body`.
    let object: String
    let reason: String
    private(set) var remedy: String
    /// A SELECT whose first column labels a row that stands in the way.
    let rows: String
    /// A SELECT of the number of such rows.
    let count: String
    /// A SELECT that labels every row and computes what is asked of it.
    private let everyRow: String

    /// How many rows a refusal names.
    static let exampleLimit = 20

    /// - Returns: nil when no row stands in the way.
    func refusal(_ connection: Connection) throws -> Refusal? {
        do {
            let examples = try connection.rows("\(rows) LIMIT \(Self.exampleLimit)").compactMap { $0.first?.text }
            guard !examples.isEmpty else { return nil }
            let rows = Int(try connection.scalar(count)?.integer ?? 0)
            return Refusal(object: object, reason: reason, examples: examples, rows: rows, remedy: remedy)
        } catch let error as SQLiteError where [.error, .mismatch, .tooBig].contains(error.code.primary) {
            // An expression of the new version that fails for a row: the change would fail for it as well.
            return Refusal(
                object: object, reason: "it cannot be computed for every row: \(error.message)",
                examples: lastRow(before: error, connection).map { ["the row after \($0)"] } ?? [], remedy: remedy)
        }
    }

    /// The last row for which the answer was had.
    private func lastRow(before error: SQLiteError, _ connection: Connection) -> String? {
        var last: String?
        do {
            let statement = try connection.prepare(everyRow)
            defer { statement.reset() }
            while try statement.step() { last = statement.text(0) }
        } catch {
            // It fails where it failed before.
        }
        return last
    }

    func withRemedy(_ remedy: String) -> DataCheck {
        var check = self
        check.remedy = remedy
        return check
    }

    /// Rows of `source` for which `condition` holds.
    init(object: String, reason: String, remedy: String, label: String, source: String, condition: String) {
        self.object = object
        self.reason = reason
        self.remedy = remedy
        rows = "SELECT \(label) FROM \(source) WHERE \(condition)"
        count = "SELECT count(*) FROM \(source) WHERE \(condition)"
        everyRow = "SELECT \(label), \(condition) FROM \(source)"
    }

    /// Groups of more than one row of `source` with the same values of `terms`, NULL being no value.
    init(object: String, remedy: String, source: String, terms: [String], values: String, condition: String?) {
        self.object = object
        reason = "the new version wants it unique, but there are duplicates"
        self.remedy = remedy
        let filter = (terms.map { "(\($0)) IS NOT NULL" } + [condition.map { "(\($0))" }].compactMap { $0 }).joined(separator: " AND ")
        let groups = "FROM \(source) WHERE \(filter) GROUP BY \(terms.joined(separator: ", ")) HAVING count(*) > 1"
        // Beside the one min() stands the label of the row that has it.
        rows = "SELECT \(values) || ' in ' || count(*) || ' rows, the first with ' || storekeeper_label, min(storekeeper_row) \(groups)"
        count = "SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n \(groups))"
        everyRow = "SELECT storekeeper_label, \(filter) FROM \(source)"
    }
}
