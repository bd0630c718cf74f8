import StoreShared

/// The name of an event without the state that it carries.
private struct EventName: Decodable {
    var event: String?
}

/// What wakes one who waits for a store: the owner's socket, else a watch on the folder, else time. Used by one thread.
final class Subscription {
    private let location: StoreLocation
    /// What is said first: made before anything is waited for.
    private var hello: [UInt8]
    private var client: LineClient?
    private var watch: (folder: FileFacts, path: String, watch: DirectoryWatch)?
    /// When a socket that did not answer is tried again: a stopped owner's still accepts.
    private var triesAgainAt: Deadline?
    /// How long a socket that closes at once is left alone: an owner that just ends, or that has clients enough.
    private var pause = Subscription.firstPause

    private static let firstPause: Duration = .milliseconds(50)
    private static let lastPause: Duration = .seconds(5)
    /// When a watch that could not be had is tried again.
    private var watchesAgainAt: Deadline?

    /// The token of the last change that the owner had told when this connection began; nil without a connection.
    private(set) var token: Int64?
    /// How many connections to an owner have begun.
    private(set) var connections = 0

    init(_ location: StoreLocation, hello: Hello) {
        self.location = location
        self.hello = MessageCoding.line(hello)
    }

    /// From now on it is another who listens: the owner is told over the connection that there is, and answers with the token after
    /// which everything is told.
    func become(_ hello: Hello) {
        self.hello = MessageCoding.line(hello)
        guard let client else { return }
        do {
            let deadline = Deadline.after(Pace.of(.milliseconds(200)))
            try client.send(self.hello, until: deadline)
            try client.send(MessageCoding.line(Request(.subscribe)), until: deadline)
        } catch {
            self.client = nil
        }
    }

    /// The token in the answer to a subscription; nil in any other answer.
    static func token(in line: [UInt8]) -> Int64? {
        MessageCoding.read(ChangeNotice.self, line)?.token
    }

    /// Subscribes by the best way there is now; call it before judging.
    ///
    /// - Returns: what will wake: `greeted`, `watching` or `ticking`.
    @discardableResult
    func refresh(until deadline: Deadline) -> ReaderStateEvent {
        if client == nil { tryToConnect(until: deadline) }
        // Between the connection that failed and the watch an owner may have come.
        if client == nil, watchFolder() { tryToConnect(until: deadline) }
        if client != nil {
            watch = nil
            return .greeted
        }
        return watch == nil ? .ticking : .watching
    }

    /// Waits for anything to happen, a safety tick included. Takes what came; whether it mattered, judging tells.
    ///
    /// Events that tell of changed rows alone do not end the wait: a busy owner would keep everybody judging.
    ///
    /// - Parameters:
    ///   - ticks: whether a connection that is silent for 5 seconds ends the wait; not for one who has nothing to judge.
    ///   - onEvent: called with each line that came, and with the name of the event that it is.
    /// - Returns: what ended the wait: `eventCame`, `ownerEnded`, `folderChanged`, `bellRang` or `ticked`.
    @discardableResult
    func wait(
        until deadline: Deadline, bell: Descriptor? = nil, ticks: Bool = true,
        onEvent: (_ name: Event.Name?, _ line: [UInt8]) -> Void = { _, _ in }
    ) throws -> ReaderStateEvent {
        let connected: Deadline = ticks ? .after(Pace.of(.seconds(5))) : .never
        let alone = Deadline.after(Pace.of(watch != nil ? .seconds(1) : .milliseconds(250)))
        let tick = client != nil ? connected : min(alone, triesAgainAt ?? .never)
        var descriptors: [Int32] = []
        if let bell { descriptors.append(bell.raw) }
        if let client {
            descriptors.append(client.descriptor)
        } else if let watch {
            descriptors.append(watch.watch.descriptor)
        }
        while true {
            // Lines may have come with the answer to the subscription.
            if takeLines(onEvent) { return client == nil ? .ownerEnded : .eventCame }
            let ready = try System.poll(descriptors, until: min(deadline, tick))
            if let bell, ready.contains(bell.raw) {
                System.clear(bell)
                return .bellRang
            }
            guard client != nil, !ready.isEmpty else {
                guard let watch, client == nil, !ready.isEmpty else { return .ticked }
                watch.watch.drain()
                // It may be a socket that came.
                triesAgainAt = nil
                return .folderChanged
            }
        }
    }

    /// Tells the owner something; a failure shows as the end of the connection.
    func send(_ request: Request) {
        try? client?.send(MessageCoding.line(request), until: .after(.milliseconds(200)))
    }

    /// Whether any line came that matters, or the connection ended.
    private func takeLines(_ onEvent: (Event.Name?, [UInt8]) -> Void) -> Bool {
        guard let client else { return false }
        var any = false
        while true {
            switch client.receive(until: .now) {
            case .line(let line):
                let name = MessageCoding.read(EventName.self, line)?.event.flatMap { Event.Name(rawValue: $0) }
                any = any || name != .changed
                onEvent(name, line)
            case .nothing:
                return any
            case .ended:
                self.client = nil
                return true
            }
        }
    }

    private func tryToConnect(until deadline: Deadline) {
        guard triesAgainAt?.hasPassed != false else { return }
        triesAgainAt = nil
        client = connect(until: deadline)
        if client != nil { pause = Self.firstPause }
    }

    /// Says hello and subscribes; nil when nobody answers in a second.
    private func connect(until deadline: Deadline) -> LineClient? {
        do {
            let client = try LineClient(location, until: min(deadline, .after(Pace.of(.milliseconds(200)))))
            let answerBy = min(deadline, Deadline.after(Pace.of(.seconds(1))))
            try client.send(hello, until: answerBy)
            try client.send(MessageCoding.line(Request(.subscribe)), until: answerBy)
            // Two answers: the greeting, and the subscription's, after which every event comes.
            var answer: [UInt8] = []
            for _ in 0..<2 {
                switch client.receive(until: answerBy) {
                case .line(let line): answer = line
                case .nothing:
                    triesAgainAt = .after(Pace.of(.seconds(5)))
                    return nil
                case .ended:
                    waitForAnother()
                    return nil
                }
            }
            token = Self.token(in: answer)
            connections += 1
            return client
        } catch {
            // Nobody listens: trying costs next to nothing, and whoever comes renames a socket into the watched folder.
            if error.isBrokenOff {
                waitForAnother()
            } else if !error.isMissing, !error.isRefused {
                triesAgainAt = .after(Pace.of(.seconds(1)))
            }
            return nil
        }
    }

    /// The owner that was there a moment ago is not any more, or wants nobody: the next is tried soon, then less and less often.
    private func waitForAnother() {
        triesAgainAt = .after(Pace.of(pause))
        pause = min(pause * 2, Self.lastPause)
    }

    /// Watches the sidecar folder, or the store's own as long as there is no sidecar.
    ///
    /// - Returns: whether the watch has just begun.
    private func watchFolder() -> Bool {
        // The folder may have been made, or removed and made again, since.
        if let watch, watch.path == location.keeper, let facts = try? System.stat(location.keeper), facts.inode == watch.folder.inode {
            return false
        }
        if watchesAgainAt?.hasPassed == false { return false }
        watchesAgainAt = nil
        for folder in [location.keeper, location.folder] {
            do {
                let opened = try DirectoryWatch(folder: folder, creations: folder != location.keeper)
                watch = (try System.stat(folder), folder, opened)
                return true
            } catch {
                if error.isMissing { continue }
                // No instance left: 128 a user.
                watch = nil
                watchesAgainAt = .after(Pace.of(.seconds(5)))
                return false
            }
        }
        watch = nil
        return false
    }
}
