import StoreShared
import Synchronization

/// The service manager that started this process, if it wants to be told: systemd's protocol, sd_notify(3).
///
/// While a migration advances it is told so, and that the start takes longer; an owner that hangs is not excused.
public final class ServiceManager: Sendable {
    private struct State {
        var isReady = false
        var nextExtension = Deadline.now
        var stage = ""
    }

    private let socket: Descriptor
    private let state = Mutex(State())
    /// How often it wants to hear from a service that works; nil if it does not.
    package let watchdog: Duration?

    /// How long the start may take from each sign of life on, and how often one is given.
    private static let grace: Duration = .seconds(10)
    private static let pace: Duration = .seconds(1)

    /// The manager that the environment names in `NOTIFY_SOCKET`; nil if there is none.
    public static func fromEnvironment() -> ServiceManager? {
        guard let path = System.environment("NOTIFY_SOCKET"), !path.isEmpty, let socket = try? System.datagramSocket(to: path) else {
            return nil
        }
        let isForUs = System.environment("WATCHDOG_PID").map { $0 == "\(System.processID)" } ?? true
        let microseconds = isForUs ? System.environment("WATCHDOG_USEC").flatMap { Int64($0) } : nil
        return ServiceManager(socket, watchdog: microseconds.flatMap { $0 > 0 ? .microseconds($0) : nil })
    }

    private init(_ socket: Descriptor, watchdog: Duration?) {
        self.socket = socket
        self.watchdog = watchdog
    }

    /// Passes on what an owner does. `READY=1` is sent once, when it serves: it has published by then.
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
            extend("\(stage): \(done)\(total.map { " of \($0)" } ?? "") rows", isNews: false)
        case .working:
            extend(nil, isNews: false)
        case .published(let version, _):
            send("STATUS=at \(version)")
        case .failed(let reason):
            // A line end would begin another assignment.
            send("STATUS=failed: \(reason.onOneLine)")
        case .serving:
            let isFirst = state.withLock { state in
                defer { state.isReady = true }
                return !state.isReady
            }
            if isFirst { send("READY=1") }
        case .closing:
            send("STOPPING=1\nSTATUS=closing")
        case .reader, .warning:
            break
        }
    }

    /// Says that the service works. To be sent more often than `watchdog`.
    public func isAlive() {
        send("WATCHDOG=1")
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
        send("EXTEND_TIMEOUT_USEC=\(microseconds)\nWATCHDOG=1" + (status.map { "\nSTATUS=\($0.onOneLine)" } ?? ""))
    }

    private func send(_ text: String) {
        System.sendDatagram(socket, text)
    }
}
