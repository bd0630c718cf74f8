import Synchronization

/// Standard output or standard error for lines that must never make their writer wait: the log of an owner, whose pipe may be full.
///
/// What a pipe does not take at once waits here, 64 KiB at most; further lines are dropped and counted, and the count is told as soon as
/// there is room again. Lines stay whole and in order.
public final class PatientOutput: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
    }

    /// Bytes that may wait.
    private static let limit = 64 << 10

    private let file: Int32
    private let dropNotice: @Sendable (Int) -> String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - toError: standard error instead of standard output.
    ///   - dropNotice: the line that says how many lines are missing, without its end.
    public init(toError: Bool = false, dropNotice: @escaping @Sendable (Int) -> String) {
        file = toError ? 2 : 1
        self.dropNotice = dropNotice
    }

    /// For tests: any descriptor.
    init(file: Int32, dropNotice: @escaping @Sendable (Int) -> String) {
        self.file = file
        self.dropNotice = dropNotice
    }

    /// Writes a line, or keeps it for later, or drops it. Returns at once.
    ///
    /// - Parameter ending: what ends it; nothing for one that is written over on a terminal.
    public func write(_ line: String, ending: String = "\n") {
        state.withLock { state in
            drain(&state)
            let text = (state.dropped > 0 ? dropNotice(state.dropped) + "\n" : "") + line + ending
            state.dropped = append(text, to: &state) ? 0 : state.dropped + 1
            drain(&state)
        }
    }

    /// Writes what waits, as far as it is taken within 200 ms: before the process ends.
    public func finish() {
        finish(until: .after(.milliseconds(200)))
    }

    /// Writes what waits, as far as it is taken in time.
    package func finish(until deadline: Deadline) {
        while true {
            let isDone = state.withLock { state in
                drain(&state)
                if state.waiting.isEmpty, state.dropped > 0, append(dropNotice(state.dropped) + "\n", to: &state) {
                    state.dropped = 0
                    drain(&state)
                }
                return state.waiting.isEmpty
            }
            if isDone || deadline.hasPassed || !System.waitForRoom(file, until: deadline) { return }
        }
    }

    private func append(_ text: String, to state: inout State) -> Bool {
        let bytes = text.utf8.count
        // An empty buffer takes one line of any length.
        guard state.waiting.isEmpty || state.waiting.count + bytes <= Self.limit else { return false }
        state.waiting.append(contentsOf: text.utf8)
        return true
    }

    private func drain(_ state: inout State) {
        var sent = 0
        while sent < state.waiting.count, let count = System.writeWithoutWaiting(file, state.waiting[sent...]) { sent += count }
        state.waiting.removeFirst(sent)
    }
}
