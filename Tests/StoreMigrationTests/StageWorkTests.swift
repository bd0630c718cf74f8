import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

/// How much SQLite does for each row in a stage, in counts: what makes a stage slow is one more pass over a table.
@Suite("The work of a stage")
struct StageWorkTests {
    private static let rows = 1000

    private static func schema(_ amount: String, _ more: String = "") -> String {
        """
        CREATE TABLE item(id INTEGER PRIMARY KEY, key TEXT NOT NULL, category TEXT NOT NULL, \(amount)\(more));
        CREATE UNIQUE INDEX item_key ON item(key);
        CREATE INDEX item_category ON item(category, amount);
        CREATE INDEX item_amount ON item(amount);
        """
    }

    /// All that runs on the owner's connection while a plan is carried out on a store with `rows` rows.
    private func work(_ files: [String: String], _ options: MigrationOptions) throws -> [StatementWork] {
        var all = ["1.0.0/schema.sql": Self.schema("amount INTEGER")]
        for (name, text) in files { all["2.0.0/" + name] = text }
        let plan = try WrittenPlan(all).read()
        let store = try StoreBench()
        _ = try store.runner(plan.migrationPlan(to: .one)).create(epoch: 1, owner: "test")
        try store.connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
            INSERT INTO item SELECT i, 'key ' || (i * 7919 % 10007), 'category ' || i % 7, i % 100 FROM n
            """)
        var work: [StatementWork] = []
        store.connection.onWork { work.append($0) }
        try store.migrate(plan.migrationPlan(), options)
        store.connection.onWork(nil)
        #expect(try store.metadata?.version == .two)
        return work
    }

    /// Passes over all rows of the table or of one of its indexes.
    private func passes(_ work: [StatementWork]) -> Int {
        work.reduce(0) { $0 + $1.scanned } / Self.rows
    }

    private func counts(_ work: [StatementWork]) -> [String] {
        work.map(\.sql).filter { $0.contains("count(*)") && !$0.contains("GROUP BY") && !$0.contains("storekeeper_metadata") }
    }

    @Test("ADD COLUMN and an UPDATE of all rows go over the table once, with a backup or without", arguments: [nil, 3])
    func addColumn(backups: Int?) throws {
        var options = MigrationOptions()
        options.backupsKept = backups
        let files = [
            "schema.sql": Self.schema("amount INTEGER", ", total INTEGER NOT NULL DEFAULT 0"),
            "did.sql": "UPDATE item SET total = amount * 3;",
        ]
        let work = try work(files, options)
        #expect(passes(work) == 1, "\(work.filter { $0.scanned >= Self.rows / 2 })")
        #expect(counts(work).isEmpty)
        let update = try #require(work.first { $0.sql.hasPrefix("UPDATE item") })
        let others = work.reduce(0) { $0 + $1.operations } - update.operations
        // All else is of the schema, whatever the number of rows.
        #expect(others < 20 * Self.rows, "\(others) operations beside the UPDATE's \(update.operations)")
    }

    @Test("A rebuild asks the rows once for each new rule, copies them once, and reads the copy once for each index")
    func rebuild() throws {
        var options = MigrationOptions()
        options.backupsKept = nil
        let work = try work(["schema.sql": Self.schema("amount INTEGER NOT NULL CHECK (amount >= 0)")], options)
        // NOT NULL and CHECK, of which an index answers one; three indexes. The copy goes by keys, which is no scan.
        #expect(passes(work) <= 5, "\(work.filter { $0.scanned >= Self.rows / 2 })")
        // Rows to be done, rows of the old table, rows of the new.
        #expect(counts(work).count == 3, "\(counts(work))")
        let copies = work.filter { $0.sql.hasPrefix("INSERT OR ABORT INTO") && $0.sql.contains("SELECT") && $0.sql.contains("item") }
        #expect(copies.count == 1, "\(copies)")
        let operations = work.reduce(0) { $0 + $1.operations } / Self.rows
        #expect(operations < 150, "\(operations) operations a row")
    }
}
