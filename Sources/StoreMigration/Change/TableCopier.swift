import StoreShared
import StoreSQLite

/// Copies rows between tables, and rebuilds a table completely.
///
/// The order of the steps is SQLite's own for a change of a table that ALTER TABLE cannot make (sqlite.org/lang_altertable.html).
struct TableCopier {
    let connection: Connection
    let progress: MigrationProgress

    /// Rows copied by one statement. Bounded, so that what SQLite keeps for undoing one statement stays small whatever the size of the table.
    private static let batch: Int64 = 10_000

    /// Foreign keys must be off, and views may stay: only a rename that SQLite does its modern way meets them.
    func rebuild(_ rebuild: TableRebuild) throws {
        let source = rebuild.mapping.source
        let target = rebuild.mapping.target
        let mark = try sequence(of: source.name)
        let statistics = try savedStatistics(of: source.name)
        let count = try rowCount(source.name)

        // Under a name that nobody uses: renaming the old table away first would re-point the keys of its children.
        try connection.run(target.sqlForWork(named: rebuild.workName))
        let copied = try naming(rebuild.mapping, rebuild.workName, because: rebuild.reason) {
            try copy(rebuild.mapping, from: source.name, into: rebuild.workName)
        }
        guard copied == count, try rowCount(rebuild.workName) == count else {
            throw StoreError(
                .migrationFailed, "table \(source.name) has \(count) rows, but \(copied) arrived in its rebuilt form",
                remedy: "report this as a fault of the migration engine", path: connection.path)
        }
        try connection.run("DROP TABLE \(SQLName.quoted(source.name))")
        try rename(rebuild.workName, to: target)
        // DROP TABLE took the mark with it; without it ids of deleted rows would be given out again.
        if target.isAutoincrement, let mark { try setSequence(of: target.name, to: mark) }
        // After the copy: building an index over all rows is cheaper than keeping it up row by row.
        for sql in rebuild.indexes { try connection.run(sql) }
        try restore(statistics, of: target.name)
    }

    /// Names the rows that break a rule of a new table although none were found to do so: SQLite names the work table only.
    func naming<T>(_ mapping: TableMapping, _ workName: String, because reason: String, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as SQLiteError where [.constraint, .mismatch].contains(error.code.primary) {
            let refusals = try DataCheck.impossibleValues(mapping).compactMap { try $0.refusal(connection) }
            if !refusals.isEmpty { throw MigrationRefusal(refusals) }
            throw MigrationRefusal(
                Refusal(
                    object: "table \(mapping.target.name)", reason: "a row does not fit its new form, \(reason): \(error.message)",
                    remedy: "Correct the row before the change, in the stage's will or by hand; \(workName) stands for the new form."))
        }
    }

    /// Gives a work table its final name.
    func rename(_ workName: String, to target: TableDefinition) throws {
        // The modern way rewrites, and fails on, views and triggers anywhere; only a table that puts its own name before its columns needs it.
        let isModern = target.qualifiesItsColumns
        if !isModern { try connection.setLegacyAlterTable(true) }
        defer { if !isModern { try? connection.setLegacyAlterTable(false) } }
        try connection.run("ALTER TABLE \(SQLName.quoted(workName)) RENAME TO \(SQLName.quoted(target.name))")
    }

    // MARK: Rows

    func rowCount(_ table: String) throws -> Int64 {
        try connection.scalar("SELECT count(*) FROM \(SQLName.quoted(table))")?.integer ?? 0
    }

    /// Copies all rows with explicit column lists and with their rowids, and gives their number.
    ///
    /// Generated columns are not copied: they are computed. No trigger may be on `destination` yet.
    func copy(_ mapping: TableMapping, from sourceName: String, into destination: String) throws -> Int64 {
        var columns = mapping.columns.map { SQLName.quoted($0.target.name) }
        var values = mapping.columns.map(\.expression)
        let sourceRowid = mapping.sourceRowid
        // With the same rowids the copy can go on behind the last.
        let keepsRowids = mapping.keepsRowids
        if keepsRowids, let sourceRowid {
            if let key = mapping.target.rowidColumn {
                if mapping.column(key) == nil {
                    columns.append(SQLName.quoted(key))
                    values.append(sourceRowid)
                }
            } else if let alias = mapping.target.rowidAlias {
                columns.append(alias)
                values.append(sourceRowid)
            }
        }
        // ABORT goes before the conflict clauses of the table: REPLACE would delete rows, and IGNORE leave some out, without a word.
        let insert = "INSERT OR ABORT INTO \(SQLName.quoted(destination)) (\(columns.joined(separator: ", ")))"
        let select = columns.isEmpty ? nil : "SELECT \(values.joined(separator: ", ")) FROM \(SQLName.quoted(sourceName))"
        guard let select else { return 0 }
        guard keepsRowids, let sourceRowid else {
            try connection.run("\(insert) \(select)")
            let copied = Int64(connection.changes)
            try progress.advance(rows: Int(copied))
            return copied
        }
        let statement = try connection.prepare(
            "\(insert) \(select) WHERE \(sourceRowid) >= ?1 ORDER BY \(sourceRowid) LIMIT \(Self.batch)")
        var next = Int64.min
        var copied: Int64 = 0
        while true {
            try statement.bind(next, at: 1)
            try statement.run()
            let changes = Int64(connection.changes)
            copied += changes
            try progress.advance(rows: Int(changes))
            let last = connection.lastInsertRowID
            guard changes == Self.batch, last < Int64.max else { return copied }
            next = last + 1
        }
    }

    // MARK: Marks and statistics

    private func hasTable(_ name: String) throws -> Bool {
        try connection.scalar("SELECT 1 FROM sqlite_schema WHERE name = ?", .text(name)) != nil
    }

    /// The highest id that an AUTOINCREMENT table ever gave out; nil if it has no mark.
    func sequence(of table: String) throws -> Int64? {
        guard try hasTable("sqlite_sequence") else { return nil }
        return try connection.scalar("SELECT seq FROM main.sqlite_sequence WHERE name = ?", .text(table))?.integer
    }

    /// Raises the mark of a table; a table that never held a row has no mark yet.
    func setSequence(of table: String, to mark: Int64) throws {
        try connection.run("UPDATE main.sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", .integer(mark), .text(table))
        if connection.changes == 0 {
            try connection.run("INSERT INTO main.sqlite_sequence(name, seq) VALUES(?, ?)", .text(table), .integer(mark))
        }
    }

    /// The planner's statistics, which DROP TABLE removes although the rows stay.
    private func savedStatistics(of table: String) throws -> [[Value]] {
        guard try hasTable("sqlite_stat1") else { return [] }
        return try connection.rows("SELECT idx, stat FROM main.sqlite_stat1 WHERE tbl = ?", .text(table))
    }

    private func restore(_ statistics: [[Value]], of table: String) throws {
        for row in statistics {
            if let index = row[0].text, !(try hasTable(index)) { continue }
            try connection.run("INSERT INTO main.sqlite_stat1(tbl, idx, stat) VALUES(?, ?, ?)", .text(table), row[0], row[1])
        }
    }
}
