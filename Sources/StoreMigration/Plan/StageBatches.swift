import StoreSQLite

/// A change of rows that a stage makes in many small commits, each with the key that it has come to.
///
/// It runs on the new schema. Until the last batch the store is *pending*: it has the new shape and still is the version before.
package struct StageBatches: Sendable {
    /// Keys in one batch.
    package let size: Int
    /// The table whose keys are walked, as the new version calls it.
    package let table: String
    /// A column of it that is unique and not null, of integers or texts.
    package let key: String
    /// Whether the key holds texts; else integers.
    package let keyIsText: Bool
    /// Handles the rows with keys above `after` and up to `until`.
    package let body: @Sendable (_ context: StageContext, _ after: Value, _ until: Value) throws -> Void

    package init(
        size: Int, table: String, key: String, keyIsText: Bool,
        body: @escaping @Sendable (_ context: StageContext, _ after: Value, _ until: Value) throws -> Void
    ) {
        self.size = size
        self.table = table
        self.key = key
        self.keyIsText = keyIsText
        self.body = body
    }
}

extension StageBatches {
    /// What an action of a statement does that batches may not: make keys that they have not come to yet. They would go after them without
    /// end, and how far they had come when they were stopped would decide what becomes of the rows.
    ///
    /// - Returns: nil for anything else.
    func objection(to action: Action) -> String? {
        guard action.database == "main", action.first.map({ SQLName.same($0, table) }) == true else { return nil }
        switch action.kind {
        case .insert: return "inserts rows into \(table), the table whose keys its batches go along"
        // The key may be the row id under its own name.
        case .update where action.second.map({ SQLName.same($0, key) || !keyIsText && $0 == "ROWID" }) == true:
            return "changes \(table).\(key), the key that its batches go along"
        default: return nil
        }
    }
}
