import NotesSchema
import PlanHarness
import Storekeeper
import Testing

@testable import StoreModel

@Suite struct NotesPlanTests {
    @Test(arguments: [
        (NotesVersion1_0.self as any VersionedSchema.Type, NotesPlan1_0.self as any SchemaMigrationPlan.Type),
        (NotesVersion2_0.self, NotesPlan.self),
    ])
    func everyWayLeadsToOneSchema(version: any VersionedSchema.Type, plan: any SchemaMigrationPlan.Type) throws {
        try ThreeWays(TypedPlan(Schema(versionedSchema: version).mapping(), plan).plan).check()
    }
}
