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
        // The transaction of the epoch; what it prepares anew ends with its COMMIT.
        let end = try #require(prepared[begin...].firstIndex { $0 == "COMMIT" })
        let others = prepared[..<begin] + prepared[(end + 1)...]
        let writes = ["INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "REPLACE"]
        #expect(!others.contains { statement in writes.contains { statement.hasPrefix($0) } }, "\(others)")
        // All of them, the settings of the writing connection among them.
        #expect((1...10).contains(others.count), "\(others.count): \(others)")
    }
}
#endif
