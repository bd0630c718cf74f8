import FaultPlan
import PlanHarness
import Testing

@Suite struct FaultPlanTests {
    @Test(arguments: FaultPlan.versions) func everyWayLeadsToOneSchema(target: Int) throws {
        try ThreeWays(FaultPlan.plan(to: target)).check()
    }
}
