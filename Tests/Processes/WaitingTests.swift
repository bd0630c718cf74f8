import Foundation
import ProcessHarness
import Testing

/// Readers that wait, and what wakes them.
@Suite(.serialized) struct WaitingTests {
    /// Eight readers on a store that does not exist yet, and an owner that makes it.
    @Test func eightReadersOnNoStoreAllBecomeReady() throws {
        let folder = try TemporaryFolder()
        let store = folder("notes.store")
        let readers = try (1...8).map { _ in try Program(.reader, store, "--for", "2.0.0", "--timeout", "60") }
        for reader in readers { try reader.line(containing: " waiting ") }
        let owner = try Program(.notesd, store)
        for reader in readers { #expect(try reader.wait() == .exit(0), "\(reader.transcript)") }
        owner.send(SIGTERM)
        #expect(try owner.wait() == .exit(0), "\(owner.transcript)")
    }

    /// The same, but all of them and the owner let go at one moment.
    @Test func eightReadersThatStartWithTheOwnerAllBecomeReady() throws {
        let folder = try TemporaryFolder()
        let store = folder("notes.store")
        let barrier = try Barrier()
        let readers = try (1...8).map { _ in try barrier.add(.reader, store, "--for", "2.0.0", "--timeout", "60") }
        let owner = try barrier.add(.notesd, store)
        try barrier.open()
        for reader in readers { #expect(try reader.wait() == .exit(0), "\(reader.transcript)") }
        owner.send(SIGTERM)
        #expect(try owner.wait() == .exit(0), "\(owner.transcript)")
    }

    /// A reader whose store nobody migrates gives up in time and says what is missing.
    @Test func aReaderGivesUpWhenItsTimeIsOver() throws {
        let store = try NotesStore()
        let start = ContinuousClock.now
        let outcome = try run(.reader, store.path, "--for", "2.0.0", "--timeout", "500ms")
        #expect(outcome.ending == .exit(5), "\(outcome)")
        #expect(outcome.errors.first?.contains("1.0.0") == true, "\(outcome)")
        #expect(ContinuousClock.now - start < .seconds(10))
        let atOnce = try run(.reader, store.path, "--for", "2.0.0", "--timeout", "0")
        #expect(atOnce.ending == .exit(3), "\(atOnce)")
    }

    /// A reader of a version that the store has left is told at once, however long it would wait.
    @Test func aReaderOfAnOldVersionIsToldAtOnce() throws {
        let store = try NotesStore()
        #expect(try run(.notesd, store.path, "--migrate-only").ending == .exit(0))
        let outcome = try run(.reader, store.path, "--for", "1.0.0", "--timeout", "forever", within: 10)
        #expect(outcome.ending == .exit(4), "\(outcome)")
    }

    /// While the store is migrated, the record is never ahead of it.
    @Test func theRecordIsNeverAheadOfTheStore() throws {
        let store = try NotesStore()
        let witness = try RecordWitness(store.path)
        let owner = try Program(.notesd, store.path, "--migrate-only")
        var versions: Set<String> = []
        while owner.ending(within: 0) == nil {
            if let version = try witness.look() { versions.insert(version) }
        }
        if let version = try witness.look() { versions.insert(version) }
        #expect(try owner.wait() == .exit(0), "\(owner.transcript)")
        #expect(versions == ["1.0.0", "2.0.0"])
        #expect(witness.looks > 10)
    }
}
