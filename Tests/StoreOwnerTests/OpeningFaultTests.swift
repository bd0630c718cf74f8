#if STORE_FAULTS
import StoreMigration
import StoreShared
import StoreSQLite
import Testing

@testable import StoreOwner

/// What it costs to open a store that has nothing to do.
@Suite struct OpeningFaultTests {
    @Test func anUpToDateStoreCostsItsOwnerOneWriteTransaction() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let plan = try OwnerFixture.plan1
        var owner: StoreOwner?
        let prepared = try StatementTally.prepared { owner = try StoreOwner.open(at: fixture.location, plan: plan) }
        owner?.close()
        let begin = try #require(prepared.firstIndex { $0.hasPrefix("BEGIN IMMEDIATE") })
        #expect(prepared.filter { $0.hasPrefix("BEGIN IMMEDIATE") }.count == 1)
        // What is not prepared before stands behind BEGIN IMMEDIATE, up to the pragma that ends what the transaction writes.
        let end = try #require(prepared.lastIndex { $0.contains("PRAGMA application_id") })
        let rest = prepared[..<begin] + prepared[(end + 1)...]
        let writes = ["INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "REPLACE"]
        #expect(!rest.contains { statement in writes.contains { statement.hasPrefix($0) } }, "\(rest)")
        // The settings of the one writing connection are not statements on the store.
        let others = rest.filter { !($0.contains("PRAGMA") && $0.contains("=")) }
        #expect(others.count <= 10, "\(others.count): \(others)")
        #expect(prepared.count <= 30, "\(prepared.count): \(prepared)")
    }
}
#endif
