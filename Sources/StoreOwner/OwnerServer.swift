import StoreShared
import Synchronization

/// Answers on the owner's socket: who is there, what the store is, who reads. From memory, never waiting for the store.
final class OwnerServer: Sendable {
    /// A client that has said who it is.
    private struct Peer {
        var pid: Int32
        var uid: UInt32
        var hello: Hello
        var since = Timestamp.now

        var isReader: Bool { hello.role == Hello.Role.reader.rawValue }
    }

    /// Those who have said who they are, and how many of them read: every answer tells that.
    private struct Peers {
        private(set) var all: [LineServer.Client: Peer] = [:]
        private(set) var readerCount = 0

        /// - Returns: who the client was before.
        mutating func set(_ client: LineServer.Client, _ peer: Peer?) -> Peer? {
            let before = all[client]
            all[client] = peer
            readerCount += (peer?.isReader == true ? 1 : 0) - (before?.isReader == true ? 1 : 0)
            return before
        }
    }

    private let location: StoreLocation
    private let publication: Publication
    private let peers = Mutex(Peers())
    private let options: OwnerOptions
    private let server = Mutex<LineServer?>(nil)
    private let activated = Atomic(false)
    /// Changes of rows that were told.
    private let notices = Mutex<Int64>(0)
    private let owner = Mutex<WeakOwner>(WeakOwner())
    private let survey = SnapshotSurvey()

    private struct WeakOwner: Sendable {
        weak var owner: StoreOwner?
    }

    init(_ location: StoreLocation, _ publication: Publication, _ options: OwnerOptions) {
        self.location = location
        self.publication = publication
        self.options = options
    }

    /// Whether the service manager made the socket and keeps it when the owner leaves.
    var isActivated: Bool { activated.load(ordering: .relaxed) }

    /// Begins to answer: on the socket that the service manager made for this store, else on one of its own.
    func start(group: SocketGroup?) throws {
        let inherited = options.serviceManager?.listener(for: location)
        activated.store(inherited != nil, ordering: .relaxed)
        let listener =
            try inherited
            ?? UnixSocket.listen(location, epoch: publication.metadata.epoch, group: group, unless: publication.checkFence)
        let handler = LineServer.Handler(
            line: { [weak self] client, line in self?.answer(client, line) ?? .close },
            closed: { [weak self] client in self?.forget(client) })
        let pulse = options.serviceManager.flatMap { manager in
            // From the loop that answers, so that an owner that hangs is not excused.
            manager.watchdog.map { LineServer.Pulse(every: $0 / 2) { manager.isAlive() } }
        }
        let started = try LineServer(listener: listener, handler: handler, pulse: pulse)
        server.withLock { $0 = started }
    }

    /// Takes the name away under which newcomers find it; those who are there are served until it closes.
    func removeSocket() {
        if !isActivated { UnixSocket.remove(location) }
    }

    /// Lets the requests that act be carried out by the owner that it answers for.
    func serve(_ owner: StoreOwner) {
        self.owner.withLock { $0.owner = owner }
    }

    /// Tells every subscriber.
    func broadcast(_ event: Event.Name, entities: [String]? = nil, token: Int64? = nil) {
        let event = Event(event, status: publication.status(for: nil, readers: readerCount), entities: entities, token: token)
        server.withLock { $0 }?.broadcast(MessageCoding.line(event))
    }

    /// Tells every subscriber whose rows a commit changed; costs nothing where nobody listens. Never waits for anybody: of the notices
    /// that a slow client has not taken it gets the newest, whose token shows it that some are missing.
    func announceChange(of entities: [String]) {
        // In the order of the tokens.
        notices.withLock { token in
            token += 1
            if peers.withLock({ !$0.all.isEmpty }) { broadcast(.changed, entities: entities, token: token) }
        }
    }

    /// Delivers what was broadcast and closes every client.
    func close() {
        server.withLock { server in
            defer { server = nil }
            return server
        }?.close()
    }

    private var readerCount: Int { peers.withLock { $0.readerCount } }

    private func answer(_ client: LineServer.Client, _ line: [UInt8]) -> LineServer.Answer {
        switch ClientLine(line) {
        case .hello(let hello): greet(client, hello)
        case .request(let request): reply(to: request, of: client)
        case nil: refuse(line)
        }
    }

    /// A later protocol is told which one is spoken here; anything else that is no line of ours is not answered.
    private func refuse(_ line: [UInt8]) -> LineServer.Answer {
        guard let hello = MessageCoding.read(Hello.self, line) else { return .close }
        return .init(lines: [MessageCoding.line(HelloRefusal(of: hello))], close: true)
    }

    private func greet(_ client: LineServer.Client, _ hello: Hello) -> LineServer.Answer {
        let peer = Peer(pid: client.peer.pid, uid: client.peer.uid, hello: hello)
        // One who waited becomes a reader by another hello.
        let wasReader = peers.withLock { $0.set(client, peer) }?.isReader == true
        if peer.isReader != wasReader { options.tell(.reader(pid: peer.pid, joined: peer.isReader)) }
        return .init(lines: [MessageCoding.line(Greeting(status: publication.status(for: hello.wanted, readers: readerCount)))])
    }

    private func reply(to request: Request, of client: LineServer.Client) -> LineServer.Answer {
        func status() -> Status {
            publication.status(for: peers.withLock { $0.all[client]?.hello.wanted }, readers: readerCount)
        }
        switch request.name {
        case .status:
            return .init(lines: [MessageCoding.line(Reply(to: request, status: status()))])
        case .subscribe:
            // What is told after this token is delivered by this thread, when the client is among the subscribers.
            let token = notices.withLock { $0 }
            return .init(lines: [MessageCoding.line(Reply(to: request, status: status(), token: token))], subscribe: true)
        case .readers:
            listReaders(request, for: client)
            return .later
        case .report:
            survey.note(request.age, of: client)
            return .init()
        case .bye:
            return .close
        case .drained:
            return .init()
        case .restore, .rollback:
            return carryOut(request, of: client)
        case nil:
            return .init(lines: [MessageCoding.line(Reply(to: request, error: "this owner does not answer the request \(request.request)"))]
            )
        }
    }

    /// Answers when it is done: the serving thread never waits for the store.
    private func carryOut(_ request: Request, of client: LineServer.Client) -> LineServer.Answer {
        guard let owner = owner.withLock({ $0.owner }) else {
            return .init(lines: [MessageCoding.line(Reply(to: request, error: "the owner is not ready for the request \(request.request)"))]
            )
        }
        owner.carryOut(request, by: client.peer) { [weak self] failure in
            guard let self else { return }
            let status = failure == nil ? publication.status(for: nil, readers: readerCount) : nil
            server.withLock { $0 }?.answer(MessageCoding.line(Reply(to: request, status: status, error: failure)), to: client)
        }
        return .later
    }

    /// Answers when the readers have said how old their snapshots are.
    private func listReaders(_ request: Request, for client: LineServer.Client) {
        // The one who asks is not heard before it is answered: its own snapshot has no age in the list.
        let clients = peers.withLock { peers in Set(peers.all.filter { $0.value.isReader }.keys) }.subtracting([client])
        let event = MessageCoding.line(Event(.report, status: publication.status(for: nil, readers: readerCount)))
        survey.ask(clients) { [weak self] reader in
            self?.server.withLock { $0 }?.send(event, to: reader)
        } answer: { [weak self] ages in
            guard let self else { return }
            server.withLock { $0 }?.answer(MessageCoding.line(Reply(to: request, readers: readers(ages))), to: client)
        }
    }

    private func readers(_ ages: [LineServer.Client: Double]) -> [ReaderDescription] {
        peers.withLock { peers in
            peers.all.filter { $0.value.isReader }.map { client, peer in
                ReaderDescription(
                    pid: peer.pid, uid: peer.uid, version: peer.hello.version, since: peer.since.description, snapshotAge: ages[client],
                    speaks: true)
            }
        }.sorted { $0.pid < $1.pid }
    }

    private func forget(_ client: LineServer.Client) {
        survey.note(nil, of: client)
        let peer = peers.withLock { $0.set(client, nil) }
        if let peer, peer.isReader { options.tell(.reader(pid: peer.pid, joined: false)) }
    }
}
