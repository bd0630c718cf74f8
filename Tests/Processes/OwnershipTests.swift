import Foundation
import ProcessHarness
import Testing

/// One process owns a store, and everyone else is told who.
@Suite(.serialized) struct OwnershipTests {
    /// Two owners let go at the same moment, twenty times: one serves, the other leaves with 5 and names the first.
    @Test(.timeLimit(.minutes(5)), arguments: [true, false]) func ofTwoOwnersOneOwns(onNoStore: Bool) throws {
        for round in 1...10 {
            let existing = try onNoStore ? nil : NotesStore()
            let folder = try existing?.folder ?? TemporaryFolder()
            let store = folder("notes.store")
            let barrier = try Barrier()
            let owners = [try barrier.add(.notesd, store, "--to", "1.0.0"), try barrier.add(.notesd, store, "--to", "1.0.0")]
            try barrier.open()
            let outcomes = try firstToLeave(owners)
            #expect(outcomes.ending == .exit(5), "round \(round): \(outcomes.loser.transcript)")
            #expect(
                outcomes.loser.errors.lines.first?.contains("\(outcomes.winner.pid)") == true,
                "round \(round): \(outcomes.loser.transcript)")
            try outcomes.winner.line(containing: " serving ")
            outcomes.winner.send(SIGTERM)
            #expect(try outcomes.winner.wait() == .exit(0), "round \(round): \(outcomes.winner.transcript)")
        }
    }

    /// An owner that waits has the store when the other leaves.
    @Test func anOwnerThatWaitsTakesOver() throws {
        let store = try NotesStore()
        let first = try Program(.notesd, store.path, "--to", "1.0.0")
        try first.line(containing: " serving ")
        let second = try Program(.notesd, store.path, "--wait", "60", "--migrate-only")
        let refused = try run(.notesd, store.path, "--wait", "300ms")
        #expect(refused.ending == .exit(5), "\(refused)")
        #expect(refused.errors.first?.contains("\(first.pid)") == true, "\(refused)")
        first.send(SIGTERM)
        #expect(try first.wait() == .exit(0), "\(first.transcript)")
        #expect(try second.wait() == .exit(0), "\(second.transcript)")
        try store.expectMigrated()
    }

    /// An old program that finds a newer store leaves with 4, names both versions, and changes not one byte.
    @Test func anOldOwnerLeavesANewerStoreAlone() throws {
        let store = try NotesStore()
        #expect(try run(.notesd, store.path, "--migrate-only").ending == .exit(0))
        let before = try contents(of: store)
        let old = try run(.notesd, store.path, "--to", "1.0.0", "--migrate-only")
        #expect(old.ending == .exit(4), "\(old)")
        #expect(old.errors.first?.contains("1.0.0") == true && old.errors.first?.contains("2.0.0") == true, "\(old)")
        #expect(try contents(of: store) == before)
    }

    private func firstToLeave(_ owners: [Program]) throws -> (winner: Program, loser: Program, ending: Ending) {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            for (index, owner) in owners.enumerated() {
                if owner.ending(within: 0.02) != nil { return (owners[1 - index], owner, try owner.wait()) }
            }
        }
        throw HarnessError("neither owner left:\n\(owners.map(\.transcript).joined(separator: "\n--\n"))")
    }

    /// The bytes of everything that belongs to a store that nobody has open. The wal-index is memory, not content.
    private func contents(of store: NotesStore) throws -> [String: Data] {
        var result: [String: Data] = [:]
        for suffix in ["", "-wal", ".keeper/record"] {
            result[suffix] = FileManager.default.contents(atPath: store.path + suffix)
        }
        #expect(result[""] != nil)
        return result
    }
}
