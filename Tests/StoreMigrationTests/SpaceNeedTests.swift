import StoreSQLite
import Testing

@testable import StoreMigration

@Suite("Room for a migration")
struct SpaceNeedTests {
    @Test("a rebuild needs three times its table, and the store once more for the backup")
    func room() throws {
        let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
        let bench = try Bench(
            "CREATE TABLE t(a TEXT); CREATE TABLE u(a); \(rows) INSERT INTO t SELECT hex(i) FROM n; \(rows) INSERT INTO u SELECT hex(zeroblob(300)) FROM n"
        )
        let table = try #require(try bench.scalar("SELECT sum(pgsize) FROM dbstat WHERE name = 't'")?.integer)
        let store = try #require(try bench.scalar("PRAGMA page_count")?.integer) * 4096
        #expect(store > 10 * table)
        var need = SpaceNeed(connection: bench.connection)
        need.add(try bench.plan(to: "CREATE TABLE t(a TEXT COLLATE NOCASE); CREATE TABLE u(a)"))
        #expect(try need.refusal(in: "/x", free: 3 * table, withBackup: false) == nil)
        #expect(try need.refusal(in: "/x", free: 3 * table, withBackup: true)?.object == "file system of /x")
        #expect(try need.refusal(in: "/x", free: 3 * table + store, withBackup: true) == nil)
        #expect(try need.refusal(in: "/x", free: 3 * table - 1, withBackup: false)?.reason.contains("needs \(3 * table) bytes") == true)
        #expect(try need.refusal(in: "/x", free: nil, withBackup: true) == nil)
    }
}
