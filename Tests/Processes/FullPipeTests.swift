import Foundation
import ProcessHarness
import StoreShared
import Testing

/// An owner whose log nobody reads: a pipe that is full from the first line on.
@Suite struct FullPipeTests {
    @Test("it migrates, serves and ends as if somebody read", arguments: ["text", "json"])
    func theOwnerIsNotHeldUp(log: String) throws {
        let folder = try TemporaryFolder()
        let pipe = folder("full")
        try #require(mkfifo(pipe, 0o600) == 0)
        // Opened for both, so that nobody waits for the other end; it stays open, unread, until the owner has ended.
        let both = Foundation.open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(both >= 0)
        defer { close(both) }
        let block = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
        while Foundation.write(both, block, block.count) > 0 {}
        while Foundation.write(both, block, 1) > 0 {}
        let store = folder("notes.store")
        let owner = try Program(
            .notesd, [store, "--to", "1.0.0", "--log", log], launcher: ["/bin/sh", "-c", "exec \"$@\" > \(pipe) 2> \(pipe)", "sh"])
        let wait = try run(.storectl, "wait", store, "--want", "1.0.0", "--require-owner", "--timeout", "60s")
        if wait.ending != .exit(0) {
            // Nobody owned it yet when it was asked: then it has to come.
            #expect(try run(.storectl, "wait", store, "--want", "1.0.0", "--timeout", "60s").ending == .exit(0))
        }
        owner.send(SIGTERM)
        #expect(owner.ending(within: 60) == .exit(0))
    }
}
