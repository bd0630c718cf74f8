/// The event loop of a `LineServer`; used by its thread alone.
final class LineServerLoop {
    /// What may wait for one client before it is told more: one that takes nothing is dropped beyond.
    private static let backlogLimit = 1 << 20
    /// What is heard of one client before it is the others' turn: lines, or pieces of them.
    private static let hearing = 8

    /// What a connection is watched for.
    private enum Interest { case reading, writing, nothing }

    private final class Connection {
        let socket: Descriptor
        let client: LineServer.Client
        var input = LineBuffer()
        /// What is being sent: whole lines, the first perhaps in part.
        var output: [UInt8] = []
        var sent = 0
        /// The newest event that waits behind `output`.
        var event: [UInt8]?
        var isSubscribed = false
        /// When it will be dropped, while it does not take what waits for it.
        var dropAt: Deadline?
        /// When it will be dropped, while it has begun a line.
        var lineBy: Deadline?
        var endsWhenSent = false
        /// What it asked is being answered elsewhere.
        var isAnsweredLater = false
        /// What it is watched for now.
        var interest = Interest.reading
        /// It takes nothing any more; what it said before it left is still read.
        var hasLeft = false

        init(socket: Descriptor, client: LineServer.Client) {
            self.socket = socket
            self.client = client
        }

        var isIdle: Bool { sent == output.count && event == nil }

        /// Who does not take its answers is not heard either: what it asks stays in its own buffers.
        var wanted: Interest {
            if !isIdle, !hasLeft { return .writing }
            return isAnsweredLater ? .nothing : .reading
        }
    }

    private static let bellToken: UInt64 = 0
    private static let listenerToken: UInt64 = 1

    private let listener: Descriptor
    private let mailbox: LineServerMailbox
    private let handler: LineServer.Handler
    /// A client that takes nothing for so long is dropped.
    private let patience: Duration
    private let pulse: LineServer.Pulse?
    private var nextBeat: Deadline
    private let epoll: Descriptor
    private var reserve: Descriptor?
    private var connections: [UInt64: Connection] = [:]
    private var slow: Set<UInt64> = []
    /// Those within a line.
    private var talking: Set<UInt64> = []
    /// Those of whom more is there than was heard.
    private var unheard: Set<UInt64> = []
    private let capacity: Int
    /// Connections that one user may have: nobody uses up the descriptors of all.
    private let capacityPerUser: Int
    private var perUser: [UInt32: Int] = [:]
    private var nextID: UInt64 = 2
    /// While the process is out of descriptors newcomers are not looked at.
    private var acceptsAgainAt: Deadline?

    init(
        listener: Descriptor, mailbox: LineServerMailbox, handler: LineServer.Handler, patience: Duration, pulse: LineServer.Pulse?,
        capacity: Int
    ) throws(SystemError) {
        self.capacity = capacity
        capacityPerUser = min(4096, capacity / 4 * 3)
        self.patience = patience
        self.pulse = pulse
        nextBeat = pulse == nil ? .never : .now
        self.listener = listener
        self.mailbox = mailbox
        self.handler = handler
        epoll = try System.epoll()
        reserve = try System.open("/", [.pathOnly])
        try System.control(epoll, .add, mailbox.bell, token: Self.bellToken)
        try System.control(epoll, .add, listener, token: Self.listenerToken)
    }

    func run() {
        while true {
            beat()
            let ready = (try? System.wait(epoll, milliseconds: nextDeadline().milliseconds)) ?? []
            for (token, readable, writable) in ready {
                switch token {
                case Self.bellToken: if deliverMail() { return finish() }
                case Self.listenerToken: acceptAll()
                default:
                    guard let connection = connections[token] else { continue }
                    // One that has left while it takes nothing is told of as readable alone.
                    if writable || connection.interest == .writing { flush(connection) }
                    if readable, connections[token] != nil { receive(connection) }
                }
            }
            for id in unheard {
                if let connection = connections[id] { receive(connection) }
            }
            dropTheSlow()
            resumeAccepting()
        }
    }

    private func beat() {
        guard let pulse, nextBeat.hasPassed else { return }
        nextBeat = .after(pulse.interval)
        pulse.beat()
    }

    private func nextDeadline() -> Deadline {
        if !unheard.isEmpty { return .now }
        var deadline = min(nextBeat, acceptsAgainAt ?? .never)
        for id in slow {
            if let dropAt = connections[id]?.dropAt { deadline = min(deadline, dropAt) }
        }
        for id in talking {
            if let lineBy = connections[id]?.lineBy { deadline = min(deadline, lineBy) }
        }
        return deadline
    }

    // MARK: Newcomers

    private func acceptAll() {
        // A bound, so that a flood of newcomers does not keep the others waiting.
        for _ in 0..<256 {
            do {
                let socket = try System.accept(listener)
                let peer = try System.peer(socket)
                guard connections.count < capacity, perUser[peer.uid, default: 0] < capacityPerUser, handler.accepts(peer) else { continue }
                let connection = Connection(socket: socket, client: LineServer.Client(id: nextID, peer: peer))
                nextID += 1
                try System.control(epoll, .add, socket, token: connection.client.id)
                connections[connection.client.id] = connection
                perUser[peer.uid, default: 0] += 1
            } catch {
                if error.wouldBlock { return }
                if error.isExhausted { return refuse() }
            }
        }
    }

    /// Out of descriptors: uses the one in reserve to turn the next newcomer away, then leaves the listener alone for a while,
    /// since it would report the others for ever.
    private func refuse() {
        reserve = nil
        _ = try? System.accept(listener)
        reserve = try? System.open("/", [.pathOnly])
        try? System.control(epoll, .remove, listener, token: Self.listenerToken)
        acceptsAgainAt = .after(.milliseconds(100))
    }

    private func resumeAccepting() {
        guard let moment = acceptsAgainAt, moment.hasPassed else { return }
        if reserve == nil { reserve = try? System.open("/", [.pathOnly]) }
        acceptsAgainAt = nil
        do {
            try System.control(epoll, .add, listener, token: Self.listenerToken)
        } catch {
            acceptsAgainAt = .after(.milliseconds(100))
        }
    }

    // MARK: Lines in

    private func receive(_ connection: Connection) {
        unheard.remove(connection.client.id)
        defer { noteLine(of: connection) }
        do {
            for _ in 0..<Self.hearing {
                guard connection.interest == .reading else { return }
                // Nobody hears one that has said good-bye or a broken line.
                if !connection.endsWhenSent, let line = try connection.input.next() {
                    talking.remove(connection.client.id)
                    if line.isEmpty { continue }
                    apply(handler.line(connection.client, line), to: connection)
                    guard connections[connection.client.id] != nil else { return }
                } else {
                    guard let bytes = try System.receive(connection.socket) else { return }
                    // Half a close is an end too.
                    if bytes.isEmpty { return drop(connection) }
                    if !connection.endsWhenSent { connection.input.append(bytes) }
                }
            }
            unheard.insert(connection.client.id)
        } catch {
            drop(connection)
        }
    }

    /// A line that was begun is to be finished in time: what it holds is memory.
    private func noteLine(of connection: Connection) {
        let id = connection.client.id
        guard connections[id] != nil, connection.input.isInLine else {
            connection.lineBy = nil
            talking.remove(id)
            return
        }
        if talking.insert(id).inserted { connection.lineBy = .after(patience) }
    }

    private func apply(_ answer: LineServer.Answer, to connection: Connection) {
        if answer.subscribe { connection.isSubscribed = true }
        if answer.close { connection.endsWhenSent = true }
        if answer.comesLater { connection.isAnsweredLater = true }
        for line in answer.lines { queue(line, for: connection) }
        flush(connection)
    }

    // MARK: Lines out

    /// True when the server is to end.
    private func deliverMail() -> Bool {
        let mail = mailbox.take()
        for (id, line, isAnswer) in mail.letters {
            guard let connection = connections[id] else { continue }
            if connection.output.count - connection.sent > Self.backlogLimit {
                drop(connection)
                continue
            }
            if isAnswer { connection.isAnsweredLater = false }
            queue(line, for: connection)
            flush(connection)
        }
        for line in mail.broadcasts {
            for connection in connections.values where connection.isSubscribed {
                if connection.isIdle { queue(line, for: connection) } else { connection.event = line }
                flush(connection)
            }
        }
        return mail.closes
    }

    private func queue(_ line: [UInt8], for connection: Connection) {
        connection.output.append(contentsOf: line)
        connection.output.append(UInt8(ascii: "\n"))
    }

    private func flush(_ connection: Connection) {
        do {
            if !connection.hasLeft { try send(connection) }
        } catch {
            // Its end is read behind its last words.
            connection.hasLeft = true
            connection.dropAt = .after(patience)
            slow.insert(connection.client.id)
        }
        if connection.isIdle, connection.endsWhenSent { return drop(connection) }
        watch(connection)
    }

    /// Sends what waits, as far as it is taken.
    private func send(_ connection: Connection) throws(SystemError) {
        while true {
            if connection.sent == connection.output.count {
                connection.output.removeAll(keepingCapacity: true)
                connection.sent = 0
                guard let event = connection.event else { break }
                connection.event = nil
                queue(event, for: connection)
            }
            let count = try System.send(connection.socket, connection.output[connection.sent...])
            if count == 0 {
                if connection.dropAt == nil { connection.dropAt = .after(patience) }
                slow.insert(connection.client.id)
                return
            }
            connection.sent += count
            connection.dropAt = nil
        }
        slow.remove(connection.client.id)
    }

    /// Has the kernel watch a connection for what it is wanted for now.
    private func watch(_ connection: Connection) {
        let (old, new) = (connection.interest, connection.wanted)
        guard old != new else { return }
        connection.interest = new
        let id = connection.client.id
        do {
            if new == .nothing {
                try System.control(epoll, .remove, connection.socket, token: id)
            } else {
                try System.control(
                    epoll, old == .nothing ? .add : .change, connection.socket, readable: new == .reading, writable: new == .writing,
                    token: id)
            }
        } catch {
            return drop(connection)
        }
        // What was read before is not told of again.
        if new == .reading, connection.input.isUnread { unheard.insert(id) }
    }

    // MARK: Ends

    private func dropTheSlow() {
        for id in slow {
            if let connection = connections[id], connection.dropAt?.hasPassed == true { drop(connection) }
        }
        for id in talking {
            if let connection = connections[id], connection.lineBy?.hasPassed == true { drop(connection) }
        }
    }

    private func drop(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.client.id) != nil else { return }
        slow.remove(connection.client.id)
        talking.remove(connection.client.id)
        unheard.remove(connection.client.id)
        let left = perUser[connection.client.peer.uid, default: 1] - 1
        perUser[connection.client.peer.uid] = left > 0 ? left : nil
        if connection.interest != .nothing { try? System.control(epoll, .remove, connection.socket, token: connection.client.id) }
        handler.closed(connection.client)
    }

    /// Gives clients a moment to take what waits for them, then closes them all.
    private func finish() {
        let deadline = Deadline.after(.milliseconds(200))
        while slow.contains(where: { connections[$0]?.hasLeft == false }), !deadline.hasPassed {
            guard let ready = try? System.wait(epoll, milliseconds: deadline.milliseconds) else { break }
            for (token, _, writable) in ready where writable {
                if let connection = connections[token] { flush(connection) }
            }
            // Only the slow matter now; others that have something to say are not heard any more.
            if ready.allSatisfy({ !$0.writable }) { System.sleep(.milliseconds(1)) }
        }
        for connection in Array(connections.values) { drop(connection) }
    }
}
