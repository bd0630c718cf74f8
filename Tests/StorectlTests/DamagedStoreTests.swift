import Foundation
import PlanHarness
import ProcessHarness
import StoreMigration
import StoreOwner
import StoreSQLite
import StoreShared
import Testing

/// `storectl doctor` of a store that does not say any more what it is: the damage is named, and every other check is made that can be.
@Suite struct DamagedStoreTests {
    private let fixture: Fixture
    private var store: String { fixture.store }

    init() throws {
        fixture = try Fixture()
        let schema = "CREATE TABLE note(id INTEGER PRIMARY KEY, up REFERENCES note)"
        let plan = try MigrationPlan(
            versions: [SchemaSnapshot(version: SchemaVersion(1, 0, 0), frontEnd: .sql, statements: [schema])])
        try ThreeWays(plan).check()
        let owner = try StoreOwner.open(at: StoreLocation(path: fixture.store), plan: plan)
        owner.close()
    }

    private func damage(_ sql: String) throws {
        let connection = try Connection(path: store, access: .readWrite)
        defer { connection.close() }
        try connection.execute("INSERT INTO note VALUES (7, 99); " + sql)
    }

    struct Case: CustomTestStringConvertible {
        let sql: String
        let named: String
        var testDescription: String { sql }
    }

    @Test(
        "what is lost or garbled is named beside what else is wrong",
        arguments: [
            Case(sql: "DROP TABLE storekeeper_metadata", named: "it has lost its table storekeeper_metadata"),
            Case(sql: "DROP TABLE storekeeper_history", named: "it has lost its table storekeeper_history"),
            Case(sql: "DROP TABLE storekeeper_schema", named: "it has lost its table storekeeper_schema"),
            Case(sql: "DELETE FROM storekeeper_metadata WHERE key = 'version'", named: "has no version that can be read"),
            Case(sql: "UPDATE storekeeper_metadata SET value = 'x' WHERE key = 'shape'", named: "has no shape that can be read"),
            Case(sql: "UPDATE storekeeper_metadata SET value = x'ff00' WHERE key = 'epoch'", named: "has no epoch that can be read"),
            Case(sql: "DELETE FROM storekeeper_metadata", named: "its metadata is empty"),
        ])
    func ownTables(_ damaged: Case) throws {
        #expect(try run(.storectl, "backup", store, "--quiet").status == 0)
        try damage(damaged.sql)
        let link = store + ".keeper/gate.lock"
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createDirectory(atPath: link, withIntermediateDirectories: false)
        let doctor = try run(.storectl, "doctor", store)
        #expect(doctor.status == 10)
        for text in [damaged.named, "foreign key note to note: 1 rows refer to rows that do not exist: row 7", "gate.lock: it is a folder"]
        {
            #expect(doctor.output.contains { $0.contains(text) }, "\(text) in \(doctor)")
        }
        #expect(doctor.output.contains { $0.contains("note: 1 backups in") }, "\(doctor)")
        let json = try run(.storectl, "doctor", store, "--json")
        #expect(json.status == 10)
        #expect(try json.json["healthy"] as? Bool == false)
    }

    @Test("a file that is no database any more is said to be that, and what lies beside it is looked at")
    func noDatabase() throws {
        #expect(try run(.storectl, "backup", store, "--quiet").status == 0)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + suffix) }
        try Data("a letter that somebody has saved under the wrong name".utf8).write(to: URL(fileURLWithPath: store))
        let doctor = try run(.storectl, "doctor", store)
        #expect(doctor.status == 10)
        #expect(doctor.output.contains { $0.hasPrefix(store) && $0.contains("not a database") }, "\(doctor)")
        #expect(doctor.output.contains { $0.contains("note: 1 backups in") }, "\(doctor)")
    }

    @Test("half of a store: the damage is named")
    func halfAFile() throws {
        try damage("INSERT INTO note WITH RECURSIVE k(i) AS (SELECT 8 UNION ALL SELECT i + 1 FROM k WHERE i < 9000) SELECT i, NULL FROM k")
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: store))
        let connection = try Connection(path: store, access: .readWrite)
        _ = try connection.scalar("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        let size = try file.seekToEnd()
        try file.truncate(atOffset: size / 2)
        try file.close()
        let doctor = try run(.storectl, "doctor", store)
        #expect(doctor.status == 10, "\(doctor)")
        #expect(doctor.output.contains { $0.contains("malformed") || $0.contains("database: ") }, "\(doctor)")
    }

    @Test("what never was a store is none")
    func neverAStore() throws {
        let text = fixture.folder("letter")
        try Data("a letter, and no database at all".utf8).write(to: URL(fileURLWithPath: text))
        let foreign = fixture.folder("foreign.db")
        let connection = try Connection(path: foreign, access: .create)
        try connection.execute("CREATE TABLE t(a)")
        connection.close()
        for path in [text, foreign, fixture.folder("nowhere")] {
            let doctor = try run(.storectl, "doctor", path)
            #expect(doctor.status == 8, "\(doctor)")
            #expect(doctor.output.isEmpty)
        }
        // Its mark alone says that a database was a store.
        let marked = try Connection(path: foreign, access: .readWrite)
        try marked.execute("PRAGMA application_id = \(StoreMetadata.applicationID)")
        marked.close()
        #expect(try run(.storectl, "doctor", foreign).status == 10)
    }
}
