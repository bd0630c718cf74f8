import Glibc
import StoreShared
import Synchronization
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
        return try LineServer(listener: try UnixSocket.listen(location, epoch: 1), handler: handler, patience: patience)
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

    /// It asks for more than it takes, for ever: it is not heard any more, so that nothing waits for it, and is dropped.
    @Test func whoAsksAndNeverReadsIsNotHeardAndDropped() throws {
        let heard = Mutex(0)
        let closed = closed
        let handler = LineServer.Handler(
            line: { _, line in
                heard.withLock { $0 += 1 }
                return LineServer.Answer(lines: [line])
            }, closed: { closed.add($0.id) })
        let server = try LineServer(listener: try UnixSocket.listen(location, epoch: 1), handler: handler, patience: .milliseconds(500))
        let (greedy, good) = (try connect(), try connect())
        let question = [UInt8](repeating: 0x41, count: 60000)
        #expect(throws: SystemError.self) {
            for _ in 0..<1000 { try greedy.send(question, until: .after(.seconds(30))) }
        }
        #expect(try closed.wait(for: 1).count == 1)
        // What a socket's buffers hold, and one turn.
        #expect(heard.withLock { $0 } < 100)
        try expectServed(good)
        server.close()
    }

    /// Thousands of questions in one piece take their turns with those of others, and are all answered to one who reads.
    @Test func whoAsksMuchAtOnceIsAnsweredBetweenOthers() throws {
        let order = Mutex<[UInt8]>([])
        let handler = LineServer.Handler(line: { _, line in
            order.withLock { $0.append(line.first ?? 0) }
            return LineServer.Answer(lines: [line])
        })
        let server = try LineServer(listener: try UnixSocket.listen(location, epoch: 1), handler: handler)
        let (many, one) = (try connect(), try connect())
        try expectServed(one)
        try many.send(Array(Array(repeating: "many", count: 5000).joined(separator: "\n").utf8), until: .after(.seconds(30)))
        for _ in 0..<20 { try expectServed(one) }
        for _ in 0..<5000 {
            guard case .line(let line) = many.receive(until: .after(.seconds(30))) else {
                Issue.record("not every question is answered")
                break
            }
            #expect(line == Array("many".utf8))
        }
        #expect(order.withLock { $0.count } == 5021)
        server.close()
    }

    /// What is asked while an answer is being found waits with the one who asks, also where that takes long.
    @Test func whoWaitsForAnAnswerIsNotHeardMeanwhile() throws {
        let asked = try Collected<LineServer.Client>()
        let closed = closed
        let handler = LineServer.Handler(
            line: { client, line in
                if line.first == UInt8(ascii: "g") { return LineServer.Answer(lines: [line]) }
                asked.add(client)
                return .later
            }, closed: { closed.add($0.id) })
        let server = try LineServer(listener: try UnixSocket.listen(location, epoch: 1), handler: handler, patience: .milliseconds(300))
        let good = try connect()
        var patient: LineClient! = try connect()
        try patient.send(Array("first\nsecond\ngood".utf8), until: .after(.seconds(30)))
        let client = try #require(try asked.wait(for: 1).first)
        // Longer than anybody may take for a line.
        for _ in 0..<10 {
            try expectServed(good)
            System.sleep(.milliseconds(50))
        }
        #expect(asked.all.count == 1)
        for number in 1...2 {
            #expect(try asked.wait(for: number).count == number)
            server.answer(Array("answer \(number)".utf8), to: client)
        }
        for expected in ["answer 1", "answer 2", "good"] {
            guard case .line(let line) = patient.receive(until: .after(.seconds(30))) else { return #expect(Bool(false), "\(expected)") }
            #expect(String(decoding: line, as: UTF8.self) == expected)
        }
        // One that leaves meanwhile is missed when its answer comes.
        try patient.send(Array("third".utf8), until: .after(.seconds(30)))
        #expect(try asked.wait(for: 3).count == 3)
        patient = nil
        try expectServed(good)
        server.answer(Array("answer 3".utf8), to: client)
        #expect(try closed.wait(for: 1) == [client.id])
        try expectServed(good)
        server.close()
    }

    /// It asks, takes nothing, and shuts its socket down, but keeps it: its end is seen at once, not when its time is over.
    @Test func whoShutsDownWhileItsAnswersWaitIsGoneAtOnce() throws {
        let closed = closed
        let stuck = try Collected<UInt64>()
        let answer = [UInt8](repeating: 0x41, count: 60000)
        let handler = LineServer.Handler(
            line: { client, line in
                if line.first == UInt8(ascii: "g") { return LineServer.Answer(lines: [line]) }
                stuck.add(client.id)
                return LineServer.Answer(lines: Array(repeating: answer, count: 16))
            }, closed: { closed.add($0.id) })
        let server = try LineServer(listener: try UnixSocket.listen(location, epoch: 1), handler: handler, patience: .seconds(600))
        let (bad, good) = (try connect(), try connect())
        try bad.send(Array("ask".utf8), until: .after(.seconds(30)))
        let id = try #require(try stuck.wait(for: 1).first)
        try expectServed(good)
        #expect(Glibc.shutdown(bad.descriptor, Int32(SHUT_RDWR)) == 0)
        #expect(try closed.wait(for: 1) == [id])
        try expectServed(good)
        withExtendedLifetime(bad) {}
        server.close()
    }

    /// A process that may have few descriptors keeps some for its own work, and of the connections some for other users.
    @Test func connectionsLeaveDescriptorsForTheOwner() throws {
        let closed = closed
        let handler = LineServer.Handler(line: { _, line in LineServer.Answer(lines: [line]) }, closed: { closed.add($0.id) })
        let server = try LineServer(listener: try UnixSocket.listen(location, epoch: 1), handler: handler, capacity: 8)
        var held: [LineClient] = []
        for _ in 0..<6 {
            held.append(try connect())
            try expectServed(try #require(held.last))
        }
        let seventh = try connect()
        try? seventh.send(Array("good".utf8), until: .after(.seconds(30)))
        guard case .ended = seventh.receive(until: .after(.seconds(30))) else { return #expect(Bool(false), "the seventh is served") }
        held.removeLast()
        #expect(try closed.wait(for: 1).count == 1)
        try expectServed(try connect())
        server.close()
    }

    @Test func whoLeavesRightBeforeItIsToldSomethingEndsNobody() throws {
        let location = location
        let closed = closed
        let handler = LineServer.Handler(
            line: { _, line in LineServer.Answer(lines: [line], subscribe: true) }, closed: { closed.add($0.id) })
        let server = try LineServer(listener: try UnixSocket.listen(location, epoch: 1), handler: handler)
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
