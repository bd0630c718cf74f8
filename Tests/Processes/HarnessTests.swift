import ProcessHarness
import Testing

@Suite struct HarnessTests {
    @Test func aProgramThatIsKilledSaysSo() throws {
        let outcome = try run(.storectl)
        #expect(outcome.ending == .exit(2), "\(outcome)")
    }
}
