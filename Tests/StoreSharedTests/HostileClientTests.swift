import Glibc
import StoreShared
import Testing

/// Clients that mean no good: none holds up another, and none makes the owner grow.
@Suite(.serialized) struct HostileClientTests {
    private let folder: TemporaryFolder
    private let location: StoreLocation
    private let closed: Collected<UInt64>

    init() throws {
        folder = try TemporaryFolder()
        location = try folder.location()
        try location.prepareFolder()
        closed = try Collected()
    }

    private func serve(patience: Duration = .seconds(10)) throws -> LineServer {
        let closed = closed
        let handler = LineServer.Handler(
            line: { _, line in LineServer.Answer(lines: [line]) }, closed: { closed.add($0.id) })
        return try LineServer(listener: try UnixSocket.listen(location), handler: handler, patience: patience)
    }

    private func connect() throws -> LineClient { try LineClient(location, until: .after(.seconds(30))) }

    private func expectServed(_ client: LineClient, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try client.send(Array("good".utf8), until: .after(.seconds(30)))
        guard case .line(let line) = client.receive(until: .after(.seconds(30))) else {
            Issue.record("the good client is not served", sourceLocation: sourceLocation)
            return
        }
        #expect(line == Array("good".utf8), sourceLocation: sourceLocation)
    }

    @Test func tenMegabytesWithoutALineEndCloseThatClientAlone() throws {
        let server = try serve()
        let (bad, good) = (try connect(), try connect())
        // It is closed in the middle: no more is taken than is read at once.
        #expect(throws: SystemError.self) {
            try bad.send([UInt8](repeating: 0x41, count: 10_000_000), until: .after(.seconds(30)))
        }
        guard case .ended = bad.receive(until: .after(.seconds(30))) else { return #expect(Bool(false)) }
        #expect(try closed.wait(for: 1).count == 1)
        try expectServed(good)
        server.close()
    }

    @Test func aLineThatIsNeverFinishedEndsWithItsTime() throws {
        let server = try serve(patience: .milliseconds(300))
        let (half, good) = (try connect(), try connect())
        try expectServed(good)
        try half.send(Array("one whole line\nand half of anoth".utf8), until: .after(.seconds(5)), endsLine: false)
        #expect(try closed.wait(for: 1).count == 1)
        try expectServed(good)
        server.close()
    }

    /// Each byte is in time, the line is not.
    @Test func aLineThatComesByteByByteEndsWithItsTime() throws {
        let server = try serve(patience: .milliseconds(300))
        let (slow, good) = (try connect(), try connect())
        let deadline = Deadline.after(.seconds(30))
        while closed.all.isEmpty, !deadline.hasPassed {
            try? slow.send([0x41], until: .after(.seconds(5)), endsLine: false)
            try expectServed(good)
        }
        #expect(closed.all.count == 1)
        try expectServed(good)
        server.close()
    }

    @Test func whoFinishesItsLinesIsNeverTakenForSlow() throws {
        let server = try serve(patience: .milliseconds(200))
        let client = try connect()
        let deadline = Deadline.after(.milliseconds(600))
        // Always within a line when the owner has read what came.
        try client.send(Array("a".utf8), until: .after(.seconds(5)), endsLine: false)
        while !deadline.hasPassed {
            try client.send(Array("bc\na".utf8), until: .after(.seconds(5)), endsLine: false)
            guard case .line(let line) = client.receive(until: .after(.seconds(30))) else { return #expect(Bool(false)) }
            #expect(line == Array("abc".utf8))
        }
        server.close()
    }

    /// One user may have 4096 connections: the others are turned away, and nobody else is.
    @Test func tenThousandConnectionsOfOneUserLeaveRoomForOthers() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        try #require(limit.rlim_cur >= 10_000, "raise the hard limit of open files to 10000")
        let server = try serve()
        let good = try connect()
        try expectServed(good)
        var held: [LineClient] = []
        var refused = 0
        for _ in 0..<10_000 {
            let client = try connect()
            try? client.send(Array("me".utf8), until: .after(.seconds(30)))
            switch client.receive(until: .after(.seconds(30))) {
            case .line: held.append(client)
            case .ended: refused += 1
            case .nothing: Issue.record("neither served nor refused")
            }
        }
        #expect(held.count == 4095)
        #expect(refused == 10_000 - 4095)
        try expectServed(good)
        held.removeLast(95)
        #expect(try closed.wait(for: 95).count == 95)
        let next = try connect()
        try expectServed(next)
        server.close()
    }

    /// It asks for more than it takes, for ever: what waits for it is bounded, and it is dropped.
    @Test func whoAsksAndNeverReadsIsDropped() throws {
        let server = try serve()
        let (greedy, good) = (try connect(), try connect())
        let question = [UInt8](repeating: 0x41, count: 60000)
        #expect(throws: SystemError.self) {
            for _ in 0..<1000 { try greedy.send(question, until: .after(.seconds(30))) }
        }
        #expect(try closed.wait(for: 1).count == 1)
        try expectServed(good)
        server.close()
    }

    @Test func whoLeavesRightBeforeItIsToldSomethingEndsNobody() throws {
        let location = location
        let closed = closed
        let handler = LineServer.Handler(
            line: { _, line in LineServer.Answer(lines: [line], subscribe: true) }, closed: { closed.add($0.id) })
        let server = try LineServer(listener: try UnixSocket.listen(location), handler: handler)
        for _ in 0..<2000 {
            let client = try connect()
            try client.send(Array("me".utf8), until: .after(.seconds(30)))
            server.broadcast(Array("news".utf8))
        }
        #expect(try closed.wait(for: 2000).count == 2000)
        try expectServed(try connect())
        server.close()
    }
}
