#if STORE_FAULTS
import Glibc
import StoreShared

/// One actor: a process of its own, which obeys orders and tells what it does. Used by one thread.
final class ActorProcess {
    let name: String
    let pid: Int32
    private let input: Int32
    /// For poll(2): what it says.
    let output: Int32
    private var heard: [UInt8] = []
    private var nextOrder = 1
    /// Orders that are not answered.
    private(set) var pending: [Int: Order] = [:]
    /// `signal 9`, `exit 0`; nil while it lives.
    private(set) var ending: String?
    /// The state of each machine, `owner` and `reader`, as it was last told.
    var states: [String: String] = [:]
    /// Where a thread of it is held up: `reader judging storeMayBecomeReady`.
    var held: String?
    /// Whether it is held up there by having stopped itself: then it goes on with SIGCONT.
    var isHeldBySignal = false
    var isStopped = false
    /// Whether failures were ordered in it: then it may fail in any way that harms nobody else.
    var isImpaired = false
    /// Whether it has been told to die, or is bound to at a trap.
    var isCondemned = false
    var wasCancelled = false
    /// What it answered to its last order: `ok …` or `error CODE …`; empty while it has not.
    var lastAnswer = ""
    /// What it answered to the last order that is done at once.
    var acknowledgement: [String] = []
    var isBeingHeard = false
    /// Whether its end has been looked into.
    var endIsKnown = false
    /// How the reader's last subscription was had.
    var means = ""
    /// Publications that were over while it was held up between judging and waiting.
    var publicationsWhileHeld = 0

    /// - Parameter environment: all of it.
    init(_ name: String, program: String, arguments: [String], environment: [String: String]) throws {
        self.name = name
        var toActor: [Int32] = [-1, -1]
        var fromActor: [Int32] = [-1, -1]
        // Pairs of sockets are made close-on-exec in one step, which pipes are not here.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &toActor) == 0, socketpair(AF_UNIX, kind, 0, &fromActor) == 0 else {
            throw HarnessFailure("no pair of sockets: \(String(cString: strerror(errno)))")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, toActor[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromActor[1], 1)
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            (words + settings).forEach { free($0) }
            posix_spawn_file_actions_destroy(&actions)
            close(toActor[0])
            close(fromActor[1])
        }
        var started: Int32 = 0
        let failure = posix_spawn(&started, program, &actions, nil, words, settings)
        guard failure == 0 else { throw HarnessFailure("\(program) does not start: \(String(cString: strerror(failure)))") }
        pid = started
        input = toActor[1]
        output = fromActor[0]
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if ending == nil {
            kill(pid, SIGKILL)
            reap()
        }
        close(input)
        close(output)
    }

    var isAlive: Bool { ending == nil }
    /// Whether it waits for another owner, or for what an owner publishes.
    var isWaiting: Bool { states["owner"] == "waiting" || states["reader"] == "waiting" }
    /// Whether it can do anything: it lives and is not stopped.
    var isActive: Bool { isAlive && !isStopped }

    /// Whether its owner machine has the lock, as far as was told.
    var owns: Bool {
        guard isAlive, let state = states["owner"].flatMap({ OwnerState(rawValue: $0) }) else { return false }
        return ![.looking, .locking, .waiting, .refused, .closed].contains(state)
    }

    /// When it last told anything.
    private var lastWord = Deadline.now

    func isWorking() { lastWord = .now }

    /// Whether it has said nothing for so long.
    func isBusySince(_ duration: Duration) -> Bool { lastWord.isOlder(than: duration) }

    /// Sends an order, which will be answered.
    func give(_ order: Order, _ command: String) {
        let number = nextOrder
        nextOrder += 1
        pending[number] = order
        isWorking()
        let bytes = Array("\(number) \(command)\n".utf8)
        _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    }

    func answered(_ number: Int) -> Order? { pending.removeValue(forKey: number) }

    /// The next line that has come; nil where there is none yet. Notices its end.
    func nextLine() -> String? {
        let isLineEnd = { (byte: UInt8) in byte == UInt8(ascii: "\n") }
        if !heard.contains(where: isLineEnd) { listen() }
        guard let end = heard.firstIndex(where: isLineEnd) else { return nil }
        defer { heard.removeSubrange(...end) }
        return String(decoding: heard[..<end], as: UTF8.self)
    }

    private func listen() {
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = read(output, &chunk, chunk.count)
            if count > 0 {
                heard += chunk[..<count]
                continue
            }
            if count < 0, errno == EINTR { continue }
            if count == 0 { reap() }
            break
        }
    }

    func send(_ signal: Int32) {
        if ending == nil { kill(pid, signal) }
    }

    /// Waits until it has really stopped: to let it go on before would be of no effect.
    func waitUntilStopped() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(pid), &information, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR {}
        isStopped = true
    }

    private func reap() {
        guard ending == nil else { return }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        ending = signal == 0 ? "exit \((status >> 8) & 0xff)" : "signal \(signal)"
    }
}
#endif
