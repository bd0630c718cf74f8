import StoreSQLite

/// What SQLite's own check of a database says: of the file, and of rows that break what their table declares.
///
/// Such rows (others than SQLite let them in, or a table that was declared otherwise then) are no damage: a copy of them is a true copy.
struct IntegrityCheck {
    /// Damage of the file, empty when it is sound.
    private(set) var damage: [String] = []
    /// Rules that rows break, each with its table and column: `NULL value in note.title`. From SQLite 3.44 on also searches that are behind
    /// their rows.
    private(set) var brokenRules: [String] = []

    /// - Parameters:
    ///   - isQuick: without comparing indexes with their tables.
    ///   - limit: how many complaints of each kind are kept.
    /// - Throws: `SQLiteError` where the file cannot be read at all.
    init(_ connection: Connection, isQuick: Bool, limit: Int = 20) throws {
        // Damage of pages is found before anything is said of rows, and in any number: so first a few complaints, and more only of a file
        // whose rows have filled those.
        for number in [limit, Int(Int32.max)] {
            (damage, brokenRules) = ([], [])
            let statement = try connection.prepare("PRAGMA \(isQuick ? "quick_check" : "integrity_check")(\(number))")
            var count = 0
            while try statement.step(), damage.count < limit {
                let complaint = statement.text(0)
                if complaint == "ok" { return }
                count += 1
                if !Self.isOfRows(complaint) {
                    damage.append(complaint)
                } else if brokenRules.count < limit, !brokenRules.contains(complaint) {
                    brokenRules.append(complaint)
                }
            }
            if !damage.isEmpty || count < number { return }
        }
    }

    /// The texts of pragma.c and of the FTS modules; what follows is the name of a table and a column.
    static func isOfRows(_ complaint: String) -> Bool {
        let texts = [
            "NULL value in ", "CHECK constraint failed in ", "NUMERIC value in ", "TEXT value in ", "malformed inverted index for FTS",
            "unable to validate the inverted index for FTS",
        ]
        if texts.contains(where: complaint.hasPrefix) { return true }
        // Of STRICT tables: `non-INT value in t.n`.
        return ["INT", "INTEGER", "REAL", "TEXT", "BLOB"].contains { complaint.hasPrefix("non-\($0) value in ") }
    }
}
