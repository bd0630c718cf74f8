import Foundation
import ProcessHarness
import Testing

/// What kill -9 of the owner leaves, and what the next owner makes of it.
@Suite(.serialized) struct KillTests {
    /// `kill -9` at ten random moments of the migration, while a reader of 1.0.0 reads on and a reader of 2.0.0 waits.
    @Test(.timeLimit(.minutes(10))) func theNextOwnerGoesOnAfterKillsAtRandomMoments() throws {
        var random = SeededGenerator(for: "kills at random moments")
        let duration = try secondsOfAMigration()
        var kills = 0
        // A moment after the end is no kill: another one is drawn.
        for round in 1...30 where kills < 10 {
            let store = try NotesStore()
            let old = try Program(.reader, store.path, "--for", "1.0.0", "--follow", "--pause", "1")
            let new = try Program(.reader, store.path, "--for", "2.0.0", "--timeout", "120")
            try old.line(containing: " reading ")
            try new.line(containing: " waiting ")
            let owner = try Program(.notesd, store.path, "--migrate-only")
            try owner.line(containing: " migrating ")
            let moment = Double.random(in: 0...duration, using: &random)
            Thread.sleep(forTimeInterval: moment)
            owner.send(SIGKILL)
            let ending = try owner.wait()
            if ending == .signal(SIGKILL) { kills += 1 }

            let published = try RecordWitness(store.path).look()
            print("round \(round): killed after \(moment) s, \(ending), the record says \(published ?? "nothing")")
            let next = try run(.notesd, store.path, "--migrate-only")
            #expect(next.ending == .exit(0), "\(next)")
            #expect(try new.wait() == .exit(0), "the reader of 2.0.0: \(new.transcript)")
            #expect(try old.wait() == .exit(4), "the reader of 1.0.0: \(old.transcript)")
            try store.expectMigrated()
            #expect(try store.history().filter { $0.hasSuffix(" 2.0.0 applied") }.count == 1)
        }
        #expect(kills == 10)
    }

    /// A killed owner leaves nothing that a person has to remove: the next one has the store at once, and so has the one after it.
    @Test func aKilledOwnerBlocksNobody() throws {
        let store = try NotesStore()
        for _ in 1...3 {
            let owner = try Program(.notesd, store.path, "--to", "1.0.0")
            try owner.line(containing: " serving ")
            owner.send(SIGKILL)
            #expect(try owner.wait() == .signal(SIGKILL))
        }
        let next = try run(.notesd, store.path, "--migrate-only")
        #expect(next.ending == .exit(0), "\(next)")
        try store.expectMigrated()
    }

    /// SIGTERM in the middle of the migration: gone within two seconds, undone, and exit 5.
    @Test func aMigrationThatIsToldToStopIsUndone() throws {
        let store = try NotesStore()
        let owner = try Program(.notesd, store.path)
        try owner.line(containing: " stage 2 ")
        owner.send(SIGTERM)
        let ending = try owner.wait(within: 5)
        #expect(ending == .exit(5), "\(owner.transcript)")
        #expect(try NotesStore.digest(of: store.path, for: "1.0.0") == store.digest)
        let next = try run(.notesd, store.path, "--migrate-only")
        #expect(next.ending == .exit(0), "\(next)")
        try store.expectMigrated()
    }

    private func secondsOfAMigration() throws -> Double {
        let store = try NotesStore()
        let owner = try Program(.notesd, store.path, "--migrate-only")
        try owner.line(containing: " migrating ")
        let start = ContinuousClock.now
        try owner.line(containing: " published 2.0.0")
        let duration = ContinuousClock.now - start
        #expect(try owner.wait() == .exit(0))
        try store.expectMigrated()
        return duration / .seconds(1)
    }
}
