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
