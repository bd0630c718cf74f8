import StoreShared
import Synchronization

/// The service manager that started this process, if it wants to be told: systemd's protocol, sd_notify(3).
///
/// While a migration advances it is told so, and that the start takes longer; an owner that hangs is not excused. Give it to
/// `OwnerOptions.serviceManager`, and the owner tells it everything.
public final class ServiceManager: Sendable {
    private struct State {
        var storesToCome: Int
        var nextExtension = Deadline.now
        var stage = ""
    }

    private let socket: Descriptor?
    private let state: Mutex<State>
    /// Sockets that it made before it started us, by their paths.
    private let listeners: [String: Descriptor]
    /// How often it wants to hear from a service that works; nil if it does not.
    package let watchdog: Duration?

    /// How long the start may take from each sign of life on, and how often one is given.
    private static let grace: Duration = .seconds(10)
    private static let pace: Duration = .seconds(1)
    /// The first descriptor that is passed, SD_LISTEN_FDS_START.
    private static let firstListener: Int32 = 3

    /// The manager that the environment names in `NOTIFY_SOCKET` or in `LISTEN_FDS`; nil if there is none. To be called once, before
    /// other threads are started.
    ///
    /// - Parameter stores: how many stores this process will own: it is ready when it serves them all.
    public static func fromEnvironment(stores: Int = 1) -> ServiceManager? {
        let socket = System.environment("NOTIFY_SOCKET").flatMap { path in path.isEmpty ? nil : try? System.datagramSocket(to: path) }
        let listeners = inheritedListeners()
        guard socket != nil || !listeners.isEmpty else { return nil }
        let isForUs = System.environment("WATCHDOG_PID").map { $0 == "\(System.processID)" } ?? true
        let microseconds = isForUs ? System.environment("WATCHDOG_USEC").flatMap { Int64($0) } : nil
        return ServiceManager(
            socket, listeners, watchdog: microseconds.flatMap { $0 > 0 ? .microseconds($0) : nil }, stores: stores)
    }

    /// What sd_listen_fds(3) passes, as far as it is a Unix stream socket that listens.
    private static func inheritedListeners() -> [String: Descriptor] {
        guard System.environment("LISTEN_PID") == "\(System.processID)",
            let count = System.environment("LISTEN_FDS").flatMap({ Int32($0) }), (1...1024).contains(count)
        else { return [:] }
        var found: [String: Descriptor] = [:]
        for number in firstListener..<firstListener + count {
            guard let file = try? System.inheritedSocket(number) else { continue }
            if let path = System.listeningPath(file) { found[path] = file }
        }
        return found
    }

    private init(_ socket: Descriptor?, _ listeners: [String: Descriptor], watchdog: Duration?, stores: Int) {
        self.socket = socket
        self.listeners = listeners
        self.watchdog = watchdog
        state = Mutex(State(storesToCome: stores))
    }

    /// The socket that was made for this store, under whatever name of its folder; nil where the owner has to make it.
    ///
    /// It stays open when the owner closes, as it does in the manager: who comes meanwhile waits for the next owner.
    func listener(for location: StoreLocation) -> Descriptor? {
        listeners.first { path, _ in
            guard let slash = path.lastIndex(of: "/"), let folder = try? System.realPath(String(path[..<slash])) else { return false }
            return folder + path[slash...] == location.socket
        }?.value
    }

    /// Passes on what an owner does. `READY=1` is sent once, when every store is served: it is published by then.
    public func tell(_ event: OwnerEvent) {
        switch event {
        case .opening:
            send("STATUS=opening the store")
        case .migrating(let from, let to, let stages):
            extend("migrating from \(from) to \(to), \(stages == 1 ? "1 stage" : "\(stages) stages")", isNews: true)
        case .stage(let number, let count, let name):
            state.withLock { $0.stage = "stage \(number) of \(count), \(name)" }
            extend(state.withLock { $0.stage }, isNews: true)
        case .progress(_, _, let done, let total):
            let stage = state.withLock { $0.stage }
            extend("\(stage): \(Self.share(done, of: total))", isNews: false)
        case .working:
            extend(nil, isNews: false)
        case .published(let version, _):
            send("STATUS=at \(version)")
        case .failed(let reason):
            // A line end would begin another assignment.
            send("STATUS=failed: \(reason.onOneLine)")
        case .serving:
            let isReady = state.withLock { state in
                state.storesToCome -= 1
                return state.storesToCome == 0
            }
            if isReady { send("READY=1") }
        case .closing:
            stops()
        case .reader, .warning:
            break
        }
    }

    /// Says that the service works: for the loop that serves, more often than `watchdog`.
    func isAlive() {
        send("WATCHDOG=1")
    }

    /// Says that the service leaves.
    func stops() {
        send("STOPPING=1\nSTATUS=closing")
    }

    /// `41%, 120000 of 300000 rows`; only the rows while their number is not known.
    private static func share(_ done: Int64, of total: Int64?) -> String {
        guard let total, total > 0 else { return "\(done) rows" }
        return "\(Int(Double(min(done, total)) / Double(total) * 100))%, \(done) of \(total) rows"
    }

    /// A sign of life from a migration.
    private func extend(_ status: String?, isNews: Bool) {
        let isDue = state.withLock { state in
            guard isNews || state.nextExtension.hasPassed else { return false }
            state.nextExtension = .after(Self.pace)
            return true
        }
        guard isDue else { return }
        let microseconds = Self.grace.components.seconds * 1_000_000
        send("EXTEND_TIMEOUT_USEC=\(microseconds)" + (status.map { "\nSTATUS=\($0.onOneLine)" } ?? ""))
    }

    private func send(_ text: String) {
        if let socket { System.sendDatagram(socket, text) }
    }
}
