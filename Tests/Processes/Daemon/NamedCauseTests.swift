import Foundation
import ProcessHarness
import StoreShared
import Testing

/// The first line of a refusal names what really stands in the way.
@Suite(.serialized) struct NamedCauseTests {
    private let store: PlanStore
    private var record: URL { URL(fileURLWithPath: store.path + ".keeper/record") }

    init() throws { store = try PlanStore.withNotes() }

    @Test func theRecordOfAnotherStoreIsSaidToBeThat() throws {
        let other = try PlanStore.withNotes()
        let published = try Data(contentsOf: URL(fileURLWithPath: other.path + ".keeper/record"))
        let stranger = try #require(PublishedRecord.read(from: StoreLocation(path: other.path)).record)
        try published.write(to: record)
        let check = try run(.storectl, "check", store.path, "--want", "1.0.0", "--strict")
        #expect(check.ending == .exit(9), "\(check)")
        #expect(check.errors.first?.contains("its record is that of another store, \(stranger.storeID)") == true, "\(check)")
    }

    @Test func aGenerationThatOnlyTheRecordSaysIsPutDownToTheRecord() throws {
        let location = try StoreLocation(path: store.path)
        var forged = try #require(PublishedRecord.read(from: location).record)
        forged.generation = Int64(Int32.max) - 1
        try forged.publish(to: location)
        let refused = try store.migrate([PlanStore.notes])
        #expect(refused.ending == .exit(7), "\(refused)")
        #expect(refused.errors.first?.contains("the record \(record.path) says generation 2147483646") == true, "\(refused)")
        // What it advises helps.
        try FileManager.default.removeItem(at: record)
        #expect(try store.migrate([PlanStore.notes]).ending == .exit(0))
    }

    @Test func anOwnerThatIsStoppedIsSaidToBe() throws {
        let owner = try store.daemon([PlanStore.notes])
        try owner.event("serving")
        owner.send(SIGSTOP)
        while !ProcessIdentity.isStopped(owner.pid) { sched_yield() }
        let refused = try store.migrate([PlanStore.notes])
        owner.send(SIGCONT)
        #expect(refused.ending == .exit(5), "\(refused)")
        #expect(refused.errors.first?.contains("pid \(owner.pid), which is stopped; let it go on by kill -CONT") == true, "\(refused)")
    }

    @Test(.enabled(if: getuid() == 0), arguments: ["owner.lock", "gate.lock", "backups"])
    func whatStandsInThePlaceOfAFileIsToBeMovedAway(name: String) throws {
        let path = store.path + ".keeper/" + name
        try? FileManager.default.removeItem(atPath: path)
        #expect(symlink("/etc", path) == 0)
        let refused = try store.migrate([PlanStore.notes, PlanStore.renamed])
        #expect(refused.ending == .exit(name == "backups" ? 7 : 1), "\(refused)")
        #expect(refused.errors.first?.contains(path) == true && refused.errors[0].contains("move away what stands there"), "\(refused)")
    }

    /// A reason carries its own remedy.
    @Test func noRemedyIsSaidTwice() throws {
        let broken = ["2.0.0/did.sql": "INSERT INTO note(id, body) VALUES(1, 'again');"]
        #expect(try store.migrate([PlanStore.notes, PlanStore.renamed, broken]).ending == .exit(7))
        let check = try run(.storectl, "check", store.path, "--want", "2.0.0")
        let line = try #require(check.errors.first)
        #expect(check.ending == .exit(7) && line.components(separatedBy: "start the owner again").count <= 2, "\(line)")
    }
}
