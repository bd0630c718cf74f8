import Foundation
import ProcessHarness
import Testing

/// What `storectl` tells a shell before, during and after a migration.
@Suite(.serialized) struct ShellTests {
    @Test func theShellKnowsBeforeDuringAndAfter() throws {
        let store = try NotesStore()
        #expect(try version(store.path) == ["1.0.0"])
        #expect(try check(store.path, "2.0.0") == .exit(3))
        #expect(try check(store.path, "1.0.0") == .exit(0))
        #expect(try run(.storectl, "wait", store.path, "--want", "2.0.0", "--timeout", "300ms").ending == .exit(5))

        let owner = try Program(.notesd, store.path)
        try owner.line(containing: " stage 2 ")
        // Stopped, it holds its lock and stays where it is.
        owner.send(SIGSTOP)
        #expect(try check(store.path, "2.0.0") == .exit(6))
        #expect(try check(store.path, "1.0.0") == .exit(0))
        #expect(try version(store.path) == ["1.0.0"])
        let waiting = try Program(.storectl, "wait", store.path, "--want", "2.0.0", "--timeout", "60")
        #expect(waiting.ending(within: 0.2) == nil, "\(waiting.transcript)")
        owner.send(SIGCONT)
        #expect(try waiting.wait() == .exit(0), "\(waiting.transcript)")

        #expect(try check(store.path, "2.0.0") == .exit(0))
        #expect(try check(store.path, "1.0.0") == .exit(4))
        #expect(try version(store.path) == ["2.0.0"])
        owner.send(SIGTERM)
        #expect(try owner.wait() == .exit(0), "\(owner.transcript)")
        #expect(try check(store.path, "2.0.0") == .exit(0))
    }

    @Test func theShellKnowsThatAMigratingOwnerDied() throws {
        let store = try NotesStore()
        let owner = try Program(.notesd, store.path)
        try owner.line(containing: " stage 2 ")
        owner.send(SIGKILL)
        try owner.wait()
        #expect(try check(store.path, "2.0.0") == .exit(3))
        #expect(try check(store.path, "1.0.0") == .exit(0))
        #expect(try version(store.path) == ["1.0.0"])
    }

    @Test func theShellKnowsThatThereIsNoStore() throws {
        let folder = try TemporaryFolder()
        #expect(try check(folder("notes.store"), "2.0.0") == .exit(8))
        let version = try run(.storectl, "version", folder("notes.store"))
        #expect(version.ending == .exit(8) && version.output.isEmpty, "\(version)")
    }

    private func check(_ store: String, _ version: String) throws -> Ending {
        try run(.storectl, "check", store, "--want", version, within: 10).ending
    }

    private func version(_ store: String) throws -> [String] {
        try run(.storectl, "version", store, within: 10).output
    }
}
