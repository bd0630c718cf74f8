import Foundation
import ProcessHarness
import StoreSQLite
import Testing

@Suite struct LeftoverLogTests {
    /// A killed owner, and a writer after it, leave frames in the log: restoring gives the backup, and nothing of the log.
    @Test func restoringLeavesNothingOfALogThatWasLeftOver() throws {
        let store = try PlanStore.withNotes()
        let saved = store.folder("saved.store")
        #expect(try run(.storectl, "backup", store.path, "--to", saved).ending == .exit(0))
        let owner = try store.daemon([PlanStore.notes, PlanStore.renamed])
        try owner.event("serving")
        owner.send(SIGKILL)
        #expect(try owner.wait() == .signal(SIGKILL))
        let writer = try Connection(path: store.path, access: .readWrite)
        try writer.keepWriteAheadLog()
        try writer.keepFromCheckpointingOnClose()
        try writer.execute("PRAGMA wal_autocheckpoint = 0; INSERT INTO note VALUES (77, 'only in the log')")
        writer.close()
        // By its name alone: opening and closing it here would drop SQLite's locks.
        let size = try FileManager.default.attributesOfItem(atPath: store.path + "-wal")[.size] as? Int ?? 0
        #expect(size > 0)
        let restored = try run(.storectl, "restore", store.path, "--from", saved)
        #expect(restored.ending == .exit(0), "\(restored)")
        #expect(try store.version == "1.0.0")
        #expect(try store.rows("SELECT content FROM note ORDER BY id") == [["One"], ["Two"], ["Three"]])
        #expect(try store.rows("PRAGMA integrity_check") == [["ok"]])
        #expect(try run(.storectl, "check", store.path, "--want", "2.0.0").ending == .exit(3))
        #expect(FileManager.default.fileExists(atPath: saved))
        // What is no backup changes nothing.
        let garbage = store.folder("garbage.store")
        try Data(String(repeating: "no database ", count: 100).utf8).write(to: URL(fileURLWithPath: garbage))
        for source in [garbage, store.folder("nowhere")] {
            #expect(try run(.storectl, "restore", store.path, "--from", source).ending == .exit(7))
        }
        try store.make([PlanStore.notes, PlanStore.renamed])
        #expect(try store.version == "2.0.0")
        #expect(try store.rows("SELECT body FROM note ORDER BY id") == [["One"], ["Two"], ["Three"]])
    }
}
