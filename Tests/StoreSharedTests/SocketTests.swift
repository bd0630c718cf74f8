import StoreShared
import Testing

@Suite struct SocketTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Repeats every line; subscribes on `subscribe`.
    private func echo(
        _ location: StoreLocation, closed: Collected<UInt64>? = nil, patience: Duration = .seconds(10)
    ) throws -> LineServer {
        try location.prepareFolder()
        let handler = LineServer.Handler(
            line: { client, line in
                if line == Array("close".utf8) { return .close }
                return LineServer.Answer(lines: [line], subscribe: line == Array("subscribe".utf8))
            }, closed: { closed?.add($0.id) })
        return try LineServer(listener: try UnixSocket.listen(location, epoch: 1), handler: handler, patience: patience)
    }

    private func connect(_ location: StoreLocation) throws -> LineClient {
        try LineClient(location, until: .after(.seconds(5)))
    }

    private func ask(_ client: LineClient, _ text: String) throws -> String? {
        try client.send(Array(text.utf8), until: .after(.seconds(5)))
        return receive(client)
    }

    private func receive(_ client: LineClient) -> String? {
        if case .line(let line) = client.receive(until: .after(.seconds(5))) { String(decoding: line, as: UTF8.self) } else { nil }
    }

    @Test(arguments: ["notes.store", String(repeating: "long name ", count: 20) + ".store"])
    func linesAreAnsweredAlsoBehindALongPath(name: String) throws {
        let location = try folder.location(name)
        let server = try echo(location)
        let client = try connect(location)
        #expect(try ask(client, "hello") == "hello")
        #expect(try ask(client, String(repeating: "x", count: 65536))?.count == 65536)
        server.close()
        guard case .ended = client.receive(until: .after(.seconds(5))) else { return #expect(Bool(false)) }
    }

    @Test func anOversizedLineClosesThatClientAlone() throws {
        let location = try folder.location()
        let server = try echo(location)
        let (bad, good) = (try connect(location), try connect(location))
        try? bad.send([UInt8](repeating: 0x61, count: 70000), until: .after(.seconds(5)))
        guard case .ended = bad.receive(until: .after(.seconds(5))) else { return #expect(Bool(false)) }
        #expect(try ask(good, "still here") == "still here")
        #expect(try ask(good, "close") == nil)
        server.close()
    }

    @Test func everySubscriberHearsABroadcastAndNobodyElse() throws {
        let location = try folder.location()
        let server = try echo(location)
        let clients = try (0..<64).map { _ in try connect(location) }
        let silent = try connect(location)
        for client in clients { #expect(try ask(client, "subscribe") == "subscribe") }
        #expect(try ask(silent, "hello") == "hello")
        server.broadcast(Array("news".utf8))
        for client in clients { #expect(receive(client) == "news") }
        #expect(try ask(silent, "after") == "after")
        server.close()
    }

    @Test func ofWhatASlowClientMissesOnlyTheNewestIsKept() throws {
        let location = try folder.location()
        let server = try echo(location)
        let slow = try connect(location)
        let quick = try connect(location)
        #expect(try ask(slow, "subscribe") == "subscribe")
        #expect(try ask(quick, "subscribe") == "subscribe")
        let padding = String(repeating: "x", count: 60000)
        for number in 1...50 {
            server.broadcast(Array("\(number) \(padding)".utf8))
            #expect(receive(quick)?.hasPrefix("\(number) ") == true)
        }
        var heard: [String] = []
        while let line = receive(slow) {
            heard.append(String(line.prefix { $0 != " " }))
            if heard.last == "50" { break }
        }
        #expect(heard.last == "50")
        #expect(heard.count < 50)
        server.close()
    }

    @Test func aClientThatTakesNothingIsDroppedAndOthersAreNotHeldUp() throws {
        let location = try folder.location()
        let closed = try Collected<UInt64>()
        let server = try echo(location, closed: closed, patience: .milliseconds(200))
        let deaf = try connect(location)
        let quick = try connect(location)
        #expect(try ask(deaf, "subscribe") == "subscribe")
        #expect(try ask(quick, "subscribe") == "subscribe")
        let padding = Array(String(repeating: "x", count: 60000).utf8)
        for _ in 1...20 {
            server.broadcast(padding)
            #expect(receive(quick)?.utf8.count == 60000)
        }
        #expect(try closed.wait(for: 1).count == 1)
        #expect(try ask(quick, "still served") == "still served")
        server.close()
    }

    @Test func clientsThatLeaveAreReportedOnce() throws {
        let location = try folder.location()
        let closed = try Collected<UInt64>()
        let server = try echo(location, closed: closed)
        for _ in 0..<20 {
            let client = try connect(location)
            #expect(try ask(client, "subscribe") == "subscribe")
        }
        #expect(Set(try closed.wait(for: 20)).count == 20)
        server.broadcast(Array("nobody hears".utf8))
        server.close()
        #expect(closed.all.count == 20)
    }

    @Test func theLastWordsOfAClientThatLeavesWhileItIsToldSomethingAreRead() throws {
        let location = try folder.location()
        try location.prepareFolder()
        let release = try System.eventCounter()
        let heard = try Collected<String>()
        let handler = LineServer.Handler(
            line: { _, line in
                let text = String(decoding: line, as: UTF8.self)
                heard.add(text)
                if text == "hold" { _ = try? System.poll([release.raw], until: .after(.seconds(30))) }
                return LineServer.Answer(lines: [line], subscribe: text == "subscribe")
            }, closed: { _ in heard.add("closed") })
        let server = try LineServer(listener: try UnixSocket.listen(location, epoch: 1), handler: handler)
        let holder = try connect(location)
        do {
            let leaver = try connect(location)
            #expect(try ask(leaver, "subscribe") == "subscribe")
            try holder.send(Array("hold".utf8), until: .after(.seconds(5)))
            #expect(try heard.wait(for: 2) == ["subscribe", "hold"])
            // The server finds the news before it finds what the client said last.
            server.broadcast(Array("news".utf8))
            try leaver.send(Array("bye".utf8), until: .after(.seconds(5)))
        }
        System.signal(release)
        #expect(try heard.wait(for: 4) == ["subscribe", "hold", "bye", "closed"])
        server.close()
    }

    @Test func theSignOfLifeStopsWhenTheLoopHangs() throws {
        let location = try folder.location()
        try location.prepareFolder()
        let release = try System.eventCounter()
        let beats = try Collected<Int>()
        let heard = try Collected<String>()
        let handler = LineServer.Handler(line: { _, line in
            heard.add(String(decoding: line, as: UTF8.self))
            _ = try? System.poll([release.raw], until: .after(.seconds(30)))
            return LineServer.Answer(lines: [line])
        })
        let server = try LineServer(
            listener: try UnixSocket.listen(location, epoch: 1), handler: handler, pulse: .init(every: .milliseconds(1)) { beats.add(1) })
        _ = try beats.wait(for: 3)
        let client = try connect(location)
        try client.send(Array("hang".utf8), until: .after(.seconds(5)))
        _ = try heard.wait(for: 1)
        let count = beats.all.count
        System.sleep(.milliseconds(20))
        #expect(beats.all.count == count)
        System.signal(release)
        _ = try beats.wait(for: count + 3)
        server.close()
    }

    @Test func theNextOwnerTakesAStaleSocketOver() throws {
        let location = try folder.location()
        let first = try echo(location)
        first.close()
        #expect(throws: SystemError.self) { try connect(location) }
        let second = try echo(location)
        #expect(try ask(try connect(location), "new") == "new")
        second.close()
        #expect(try System.names(in: location.keeper) == ["socket"])
    }

    @Test func aRegularFileInTheSocketsPlaceIsNamed() throws {
        let location = try folder.location()
        try location.prepareFolder()
        try folder.write([1], to: location.socket)
        let error = #expect(throws: StoreError.self) { try UnixSocket.listen(location, epoch: 1) }
        #expect(error?.path == location.socket)
        #expect(try folder.read(location.socket) == [1])
    }

    /// As with the record: who takes the lock between the last look and the rename keeps its socket.
    @Test func aLaterOwnersSocketIsNotReplaced() throws {
        let location = try folder.location()
        try location.prepareFolder()
        var later: Descriptor?
        #expect(throws: StoreError.self) {
            try UnixSocket.listen(location, epoch: 1) { () throws(StoreError) in
                location.removeLeftovers()
                later = try? UnixSocket.listen(location, epoch: 2)
            }
        }
        _ = try connect(location)
        withExtendedLifetime(later) {}
        #expect(try System.names(in: location.keeper) == ["socket"])
    }

    /// In two containers two owners may have one process number: neither takes the other's half-made socket or record for its own.
    @Test func theTemporaryFileOfAnotherOwnerIsNotTouched() throws {
        let location = try folder.location()
        try location.prepareFolder()
        var seen: [[String]] = []
        var record = try PublishedRecord.sample()
        record.epoch = 2
        let first = try UnixSocket.listen(location, epoch: 1) { () throws(StoreError) in
            seen.append(location.leftovers)
            _ = try? UnixSocket.listen(location, epoch: 2) { () throws(StoreError) in seen.append(location.leftovers.sorted()) }
            try? record.publish(to: location) { () throws(StoreError) in seen.append(location.leftovers.sorted()) }
        }
        let names = [("record", 2), ("socket", 1), ("socket", 2)].map { "\(location.keeper)/.\($0).\(Worker.current).\($1).tmp" }
        #expect(seen == [[names[1]], [names[1], names[2]], [names[0], names[1]]])
        _ = try connect(location)
        withExtendedLifetime(first) {}
        #expect(location.leftovers == [])
    }

    @Test func aWorkersNameIsReadAsItIsWritten() {
        #expect(Worker(Worker.current.description) == .current)
        #expect(!Worker.current.isGone)
        let (pid, namespace) = (Worker.current.pid, Worker.current.namespace)
        // There is no process of that number; of another namespace nobody knows.
        #expect(Worker("4194305.\(namespace)")?.isGone == true)
        #expect(Worker("4194305.\(namespace + 1)")?.isGone == false)
        for text in ["", "\(pid)", "\(pid).", ".\(namespace)", "\(pid).\(namespace).1", "x.\(namespace)"] { #expect(Worker(text) == nil) }
    }

    @Test func aClientsPeerIsKnown() throws {
        let location = try folder.location()
        try location.prepareFolder()
        let peers = try Collected<PeerCredentials>()
        let handler = LineServer.Handler(
            accepts: {
                peers.add($0)
                return false
            }, line: { _, _ in LineServer.Answer() })
        let server = try LineServer(listener: try UnixSocket.listen(location, epoch: 1), handler: handler)
        let client = try connect(location)
        let peer = try #require(try peers.wait(for: 1).first)
        #expect(peer.pid == System.processID)
        #expect(peer.uid == System.userID)
        guard case .ended = client.receive(until: .after(.seconds(5))) else { return #expect(Bool(false)) }
        server.close()
    }
}

@Suite struct MessageTests {
    private let status: Status

    init() throws {
        var record = try PublishedRecord.sample(state: .opening)
        record.ownerSince = nil
        status = Status(
            verdict: .migrating, location: try StoreLocation(path: "/tmp/no.store"), metadata: nil, reading: .valid(record),
            relation: .equal,
            liveness: .alive)
    }

    private func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }

    @Test func keysThatDoNotApplyAreNull() {
        let line = text(MessageCoding.line(status))
        for key in ["migration", "failure", "readers", "fingerprint", "id", "readableBy", "since", "reason"] {
            #expect(line.contains("\"\(key)\":null"))
        }
        #expect(line.contains("\"path\":\"/tmp/no.store\""))
        #expect(!line.contains("\n"))
    }

    @Test func everyEventCarriesTheWholeState() throws {
        let line = MessageCoding.line(Event(.published, status: status))
        let event = try #require(MessageCoding.read(Event.self, line))
        #expect(event.event == .published)
        #expect(event.status == status)
        #expect(MessageCoding.read(Greeting.self, MessageCoding.line(Greeting(status: status)))?.status == status)
    }

    @Test func answersRepeatTheRequestAndItsMark() throws {
        let request = try #require(MessageCoding.read(Request.self, Array(#"{"request":"status","id":"a1","future":true}"#.utf8)))
        #expect(request.name == .status)
        let line = text(MessageCoding.line(Reply(to: request, status: status)))
        #expect(line.contains(#""reply":"status""#) && line.contains(#""id":"a1""#) && !line.contains("\"event\""))
        let unknown = Request(.bye, id: .number(7))
        #expect(text(MessageCoding.line(Reply(to: unknown, error: "no"))) == #"{"error":"no","id":7,"reply":"bye"}"#)
    }

    @Test func linesOfClientsAreHelloOrRequestOrBroken() {
        guard case .hello(let hello)? = ClientLine(Array(#"{"hello":1,"role":"reader","pid":5,"version":"2.0.0","new":[1]}"#.utf8)) else {
            return #expect(Bool(false))
        }
        #expect(hello.wanted == SchemaIdentity(version: SchemaVersion(2, 0, 0)))
        for text in ["", "{", "[]", "{}", "GET / HTTP/1.1", #"{"hello":2}"#, "null", #"{"request":5}"#] {
            #expect(ClientLine(Array(text.utf8)) == nil, "\(text)")
        }
        #expect(ClientLine([0xff, 0xfe, 0x00]) == nil)
    }
}
