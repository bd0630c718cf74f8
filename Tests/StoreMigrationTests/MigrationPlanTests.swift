import StoreShared
import Testing

@testable import StoreMigration

@Suite("Plans")
struct MigrationPlanTests {
    private func snapshot(_ version: SchemaVersion, _ sql: String, _ annotations: [String: String] = [:]) throws -> SchemaSnapshot {
        try StoreBench.snapshot(version, sql, annotations: annotations)
    }

    @Test("two versions of one fingerprint are refused when the plan is built, both named")
    func duplicateFingerprints() throws {
        let versions = [try snapshot(.one, "CREATE TABLE t(a)"), try snapshot(.two, "create table \"t\" (a)")]
        let error = #expect(throws: StoreError.self) { try MigrationPlan(versions: versions, stages: [PlannedStage(from: .one, to: .two)]) }
        #expect(error?.code == .planRefused)
        #expect(error?.message.contains("1.0.0 and 2.0.0") == true)
    }

    @Test("an annotation tells two versions of one shape apart")
    func annotations() throws {
        let versions = [try snapshot(.one, "CREATE TABLE t(a)"), try snapshot(.two, "CREATE TABLE t(a)", ["hashModifier": "lower-cased"])]
        #expect(versions[0].shape == versions[1].shape)
        _ = try MigrationPlan(versions: versions, stages: [PlannedStage(from: .one, to: .two)])
    }

    @Test("a gap, an unknown version, a stage downwards or twice are refused")
    func stages() throws {
        let versions = [try snapshot(.one, "CREATE TABLE t(a)"), try snapshot(.two, "CREATE TABLE t(b)")]
        let bad: [[PlannedStage]] = [
            [], [PlannedStage(from: .one, to: .three)], [PlannedStage(from: .two, to: .one)],
            [PlannedStage(from: .one, to: .two), PlannedStage(from: .one, to: .two)],
        ]
        for stages in bad {
            #expect(throws: StoreError.self) { try MigrationPlan(versions: versions, stages: stages) }
        }
    }

    @Test(
        "T38 T39: a statement that SQLite does not accept is named with its version",
        arguments: ["CREATE TABLE t(a,)", "CREATE TABLE storekeeper_x(a)", "CREATE TABLE t(a, A)"])
    func badStatement(sql: String) throws {
        let error = #expect(throws: StoreError.self) { try snapshot(.two, sql) }
        #expect(error?.code == .planRefused)
        #expect(error?.message.contains("2.0.0") == true)
    }

    @Test("the fewest stages lead to the target")
    func path() throws {
        let versions = try zip([SchemaVersion.one, .two, .three], ["a", "b", "c"]).map { try snapshot($0, "CREATE TABLE t(\($1))") }
        let stages = [PlannedStage(from: .one, to: .two), PlannedStage(from: .two, to: .three), PlannedStage(from: .one, to: .three)]
        let plan = try MigrationPlan(versions: versions, stages: stages)
        #expect(plan.path(from: versions[0].fingerprint)?.map(\.name) == ["1.0.0 to 3.0.0"])
        #expect(plan.path(from: versions[2].fingerprint)?.isEmpty == true)
        #expect(plan.path(from: Fingerprint(of: "x")) == nil)
    }
}
