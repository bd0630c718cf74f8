import StoreShared
import Synchronization

/// Asks the readers how old their snapshots are, which they alone know. One round at a time: whoever asks meanwhile gets its answers.
final class SnapshotSurvey: Sendable {
    private typealias Ages = [LineServer.Client: Double]

    private struct State {
        /// Readers that have not answered.
        var missing: Set<LineServer.Client> = []
        var ages: Ages = [:]
        /// Who is told at the end of the round; empty while there is none.
        var answers: [@Sendable (Ages) -> Void] = []
    }

    /// A reader that does not answer by then is listed without an age.
    private let patience: Duration
    /// More may not wait at a time: nobody makes the owner grow.
    private static let answerLimit = 256

    private let state = Mutex(State())
    /// Woken when the last answer has come.
    private let answered = ConditionVariable()

    init(patience: Duration = Pace.of(.milliseconds(200))) {
        self.patience = patience
    }

    /// Begins a round, or joins the one that runs; returns at once.
    ///
    /// - Parameters:
    ///   - send: asks one reader.
    ///   - answer: called once, on any thread, with seconds by reader.
    func ask(
        _ readers: Set<LineServer.Client>, send: (LineServer.Client) -> Void,
        answer: @escaping @Sendable ([LineServer.Client: Double]) -> Void
    ) {
        let (isFirst, isTooMany) = state.withLock { state in
            if state.answers.count == Self.answerLimit { return (false, true) }
            state.answers.append(answer)
            guard state.answers.count == 1 else { return (false, false) }
            state.missing = readers
            state.ages = [:]
            return (true, false)
        }
        if isTooMany { answer([:]) }
        guard isFirst else { return }
        for reader in readers { send(reader) }
        // Without a thread to wait on there is nothing to wait for.
        let waits = try? WorkerThread("storekeeper-ask") { [self] in
            _ = answered.wait(until: .after(patience)) { state.withLock { $0.missing.isEmpty } }
            finish()
        }
        if let waits { waits.detach() } else { finish() }
    }

    /// What a reader answers; nil when it holds no snapshot, or is gone.
    func note(_ age: Double?, of reader: LineServer.Client) {
        let isLast = state.withLock { state in
            guard state.missing.remove(reader) != nil else { return false }
            state.ages[reader] = age.map { max(0, $0) }
            return state.missing.isEmpty
        }
        if isLast { answered.wake() }
    }

    private func finish() {
        let (answers, ages) = state.withLock { state in
            defer { state = State() }
            return (state.answers, state.ages)
        }
        for answer in answers { answer(ages) }
    }
}
