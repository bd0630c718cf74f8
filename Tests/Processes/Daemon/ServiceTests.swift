import Foundation
import ProcessHarness
import Testing

/// What `storekeeperd` tells a service manager, and what it takes from it.
@Suite(.serialized) struct ServiceTests {
    private static let one = ["1.0.0/schema.sql": "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);"]
    private static let two = [
        "2.0.0/schema.sql": "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, seen INTEGER);",
        "2.0.0/did.sql": "UPDATE item SET name = lower(name) WHERE id > :after AND id <= :until;",
        "2.0.0/stage.json": #"{"batches": {"size": 50, "key": "item.id"}}"#,
    ]

    private func store() throws -> PlanStore {
        let store = try PlanStore()
        try store.make([Self.one])
        try store.load(
            "INSERT INTO item WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i, 'N' || i FROM n")
        return store
    }

    private func told(by manager: NotificationSocket, _ more: String...) -> [String] {
        ["/usr/bin/env", "NOTIFY_SOCKET=\(manager.path)", "WATCHDOG_USEC=100000"] + more
    }

    @Test func stageAndPercentAreToldWhileRowsAdvanceThenReadyThenThatItWorks() throws {
        let store = try store()
        let manager = try NotificationSocket(at: store.folder("notify"))
        let daemon = try store.daemon([Self.one, Self.two], "--batch-pause", "30", launcher: told(by: manager))
        try manager.wait(for: 1, "READY=1")
        let before = manager.lines.count { $0 == "WATCHDOG=1" }
        try manager.wait(for: before + 3, "WATCHDOG=1")
        daemon.send(SIGTERM)
        #expect(try daemon.wait(within: 10) == .exit(0))
        try manager.wait(for: 1, "STOPPING=1")
        let lines = manager.lines
        let ready = try #require(lines.firstIndex(of: "READY=1"))
        #expect(lines.count { $0 == "READY=1" } == 1)
        #expect(lines[..<ready].count { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") } >= 2)
        #expect(!lines[ready...].contains { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") })
        #expect(lines[..<ready].contains { $0.wholeMatch(of: /STATUS=stage 1 of 1, .*: [0-9]+%, [0-9]+ of 3000 rows/) != nil }, "\(lines)")
        #expect(lines[..<ready].contains("STATUS=at 2.0.0"))
        #expect(lines[ready...].contains("STATUS=closing"))
    }

    /// The pause between two batches never ends: the loop that answers works on, and the start is not extended.
    @Test func aMigrationThatDoesNotAdvanceIsNotExcused() throws {
        let store = try store()
        let manager = try NotificationSocket(at: store.folder("notify"))
        let daemon = try store.daemon([Self.one, Self.two], "--batch-pause", "600000", launcher: told(by: manager))
        try daemon.event("progress")
        try manager.wait(for: manager.lines.count { $0 == "WATCHDOG=1" } + 2, "WATCHDOG=1")
        let extensions = manager.lines.count { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") }
        try manager.wait(for: manager.lines.count { $0 == "WATCHDOG=1" } + 15, "WATCHDOG=1")
        #expect(manager.lines.count { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") } == extensions)
        daemon.send(SIGTERM)
        #expect(try daemon.wait(within: 20) == .exit(5))
        try manager.wait(for: 1, "STOPPING=1")
        #expect(!manager.lines.contains("READY=1"))
    }

    /// The manager's socket is served, and left as it is: who connects while nobody serves waits for the next owner.
    @Test func theSocketOfTheManagerIsServedAndKept() throws {
        let store = try PlanStore()
        let keeper = store.path + ".keeper"
        try FileManager.default.createDirectory(atPath: keeper, withIntermediateDirectories: false)
        let listener = try ListeningSocket(at: keeper + "/socket")
        let inode = try listener.inode
        let activated = ["/bin/sh", "-c", "exec 3<&0 < /dev/null; export LISTEN_PID=$$ LISTEN_FDS=1; exec \"$@\"", "sh"]
        let early = try listener.connect()
        for _ in 1...2 {
            let daemon = try Program(
                .storekeeperd, [store.path, "--plan", store.plan([Self.one]), "--log", "json"], launcher: activated,
                input: listener.descriptor)
            try daemon.event("serving")
            let client = try listener.connect()
            #expect(try client.ask(#"{"hello":1,"version":"1.0.0"}"#).contains(#""verdict":"ready""#))
            daemon.send(SIGTERM)
            #expect(try daemon.wait() == .exit(0), "\(daemon.transcript)")
            #expect(try listener.inode == inode)
        }
        // It was connected before the first owner came, said nothing, and was told that this owner left.
        #expect(try early.line() == nil)
        let waiting = try listener.connect()
        try waiting.send(#"{"hello":1}"#)
        let daemon = try Program(
            .storekeeperd, [store.path, "--plan", store.plan([Self.one])], launcher: activated, input: listener.descriptor)
        #expect(try waiting.line()?.contains(#""hello":1"#) == true)
        daemon.send(SIGTERM)
        #expect(try daemon.wait() == .exit(0))
    }
}
