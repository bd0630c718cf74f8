import Foundation
import ProcessHarness
import Testing

/// Another user on the same machine. Needs root, to become one.
@Suite(.serialized, .enabled(if: getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
struct OtherUserTests {
    private let nobody = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]

    enum Owner: String, CaseIterable, Sendable { case serves, stopped, closed, killed }

    /// Who may read the store and cannot write its folder reads it, whatever became of the owner.
    @Test(arguments: Owner.allCases) func whoMayReadReadsWhateverBecameOfTheOwner(_ state: Owner) throws {
        let store = try NotesStore()
        chmod(store.path, 0o644)
        let owner = try Program(.notesd, store.path, "--to", "1.0.0")
        try owner.line(containing: " serving ")
        switch state {
        case .serves: break
        case .stopped: owner.send(SIGSTOP)
        case .closed:
            owner.send(SIGTERM)
            try owner.wait()
        case .killed:
            owner.send(SIGKILL)
            try owner.wait()
        }
        let reader = try run(.reader, [store.path, "--for", "1.0.0", "--timeout", "20", "--one"], launcher: nobody)
        #expect(reader.ending == .exit(0), "\(reader)")
        let check = try run(.storectl, ["check", store.path, "--want", "1.0.0", "--strict"], launcher: nobody)
        #expect(check.ending == .exit(0), "\(check)")
        // Nothing that the next owner would be kept out by.
        if state != .serves, state != .stopped { #expect(try run(.notesd, store.path, "--migrate-only").ending == .exit(0)) }
    }

    /// On the socket of a store that everybody may read: the state is told, an act is refused by name.
    @Test func whoMayReadMayAskAndNotAct() throws {
        let store = try NotesStore()
        chmod(store.path, 0o644)
        let owner = try Program(.notesd, store.path, "--to", "1.0.0")
        try owner.line(containing: " serving ")
        let readers = try run(.storectl, ["readers", store.path], launcher: nobody)
        #expect(readers.ending == .exit(0), "\(readers)")
        let copy = store.path + ".copy"
        #expect(try run(.storectl, "backup", store.path, "--to", copy).ending == .exit(0))
        chmod(copy, 0o644)
        let refused = try run(.storectl, ["restore", store.path, "--from", copy], launcher: nobody)
        #expect(refused.ending != .exit(0), "\(refused)")
        #expect(refused.errors.first?.contains("user 65534 may not ask for restore") == true, "\(refused)")
        let client = try LineSocket(to: store.path + ".keeper/socket")
        #expect(try client.ask(#"{"hello":1,"version":"1.0.0"}"#).contains(#""verdict":"ready""#))
        owner.send(SIGTERM)
        #expect(try owner.wait() == .exit(0), "\(owner.transcript)")
    }
}
