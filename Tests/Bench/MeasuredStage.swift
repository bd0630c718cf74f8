import Foundation
import ProcessHarness
import StoreMigration
import StoreOwner
import StoreSQLite
import StoreShared
import Storekeeper

/// A kind of stage that is measured against the same work in C: how its store is made, and how the owner migrates it.
///
/// Both are done by a process of their own, so that its memory is that of the stage.
enum MeasuredStage: String, CaseIterable {
    /// A plan in SQL that adds a column and fills it in `did.sql`.
    case addColumn = "add-column"
    /// A plan in SQL whose new version wants more of a column, so that the table, which has three indexes, is rebuilt.
    case rebuild
    /// A plan of models whose `didMigrate` changes every row.
    case typed

    /// Makes a store of the first version with so many rows.
    func make(_ store: String, rows: Int) throws {
        try open(store, isTarget: false, OwnerOptions())
        let connection = try Connection(path: store, access: .readWrite)
        defer { connection.close() }
        try connection.execute(
            """
            PRAGMA synchronous = OFF;
            BEGIN;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows)) \(insertion);
            COMMIT;
            PRAGMA wal_checkpoint(TRUNCATE);
            """)
    }

    /// Keys and prices come in no order, as they do in life, and in the same one at every run.
    private var insertion: String {
        switch self {
        case .addColumn, .rebuild:
            """
            INSERT INTO item (id, key, category, amount, price, note)
            SELECT i, printf('key-%08x', i * 2654435761 % 4294967296), 'category ' || (i * 7919 % 100), i % 1000,
            (i * 40503 % 65536) / 16.0, 'a note of some forty characters, number ' || i FROM n
            """
        case .typed:
            """
            INSERT INTO Document (storekeeper_id, title, body, created)
            SELECT i, 'document ' || i, 'the body of document ' || i || ', which has some words to count, and one more line of them',
            i * 60.0 FROM n
            """
        }
    }

    /// Migrates the store as an owner does.
    ///
    /// - Returns: seconds by the clock and of the processors, from before the checks to after the publication, and the peak of memory.
    func migrate(_ store: String, withBackup: Bool) throws -> StageCost {
        var options = OwnerOptions()
        if !withBackup { options.backupsKept = nil }
        let watch = StageWatch()
        options.onEvent = { watch.note($0) }
        try open(store, isTarget: true, options)
        return try watch.cost()
    }

    private func open(_ store: String, isTarget: Bool, _ options: OwnerOptions) throws {
        switch self {
        case .typed:
            let configuration = ModelConfiguration(url: URL(fileURLWithPath: store))
            let version: any VersionedSchema.Type = isTarget ? DocumentsVersion2.self : DocumentsVersion1.self
            let plan: (any SchemaMigrationPlan.Type)? = isTarget ? DocumentsPlan.self : nil
            try ModelContainer(for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [configuration], owner: options)
                .close()
        case .addColumn, .rebuild:
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try writePlan(to: folder)
            let plan = try SQLPlan(folder: folder.path).migrationPlan(to: isTarget ? nil : SchemaVersion(1, 0, 0))
            try StoreOwner.open(at: StoreLocation(path: store), plan: plan, options: options).close()
        }
    }

    private func writePlan(to folder: TemporaryFolder) throws {
        func write(_ text: String, to name: String) throws {
            let url = URL(fileURLWithPath: folder(name))
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        try write(Self.schema(amount: "amount INTEGER", total: ""), to: "1.0.0/schema.sql")
        if self == .rebuild {
            try write(Self.schema(amount: "amount INTEGER NOT NULL CHECK (amount >= 0)", total: ""), to: "2.0.0/schema.sql")
        } else {
            try write(Self.schema(amount: "amount INTEGER", total: ", total INTEGER NOT NULL DEFAULT 0"), to: "2.0.0/schema.sql")
            try write("UPDATE item SET total = amount * 3;", to: "2.0.0/did.sql")
        }
    }

    private static func schema(amount: String, total: String) -> String {
        """
        CREATE TABLE item (id INTEGER PRIMARY KEY, key TEXT NOT NULL, category TEXT NOT NULL, \(amount), price REAL NOT NULL, note TEXT\(total));
        CREATE UNIQUE INDEX item_key ON item (key);
        CREATE INDEX item_category ON item (category, amount);
        CREATE INDEX item_price ON item (price);
        """
    }
}
