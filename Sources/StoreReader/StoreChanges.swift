import StoreShared
import Synchronization

/// What a reader learns of rows that the owner changed.
public struct StoreChange: Hashable, Sendable {
    /// Entities whose rows changed, of those that were asked for; nil when it is not known which: some notices were missed, or an owner
    /// came. Then any may have changed.
    public var entities: Set<String>?

    /// A change of some entities; nil for an unknown set.
    public init(entities: Set<String>?) {
        self.entities = entities
    }

    /// Both together.
    mutating func add(_ other: StoreChange) {
        guard let mine = entities, let theirs = other.entities else {
            entities = nil
            return
        }
        entities = mine.union(theirs)
    }
}

/// The changes of a store's rows after a moment, for one who waits for them.
///
/// What comes while nobody waits is put together and given to the next who does: a reader that is slower than the owner misses no
/// change, and holds nobody up. A change is told after its commit, so that a read that follows sees it.
public final class StoreChanges: Sendable, AsyncSequence {
    private struct State {
        var pending: StoreChange?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let entities: Set<String>?
    private let board: ChangeBoard
    /// Rings at each change, and when the reader is closed. Nil when the system has no descriptor left: then it is looked at now and then.
    private let bell = try? System.eventCounter()

    init(_ board: ChangeBoard, of entities: Set<String>?) {
        self.board = board
        self.entities = entities
        board.add(self)
    }

    deinit {
        board.remove(ObjectIdentifier(self))
    }

    /// Waits for the next change; blocks the calling thread.
    ///
    /// - Returns: nil when the time is up.
    /// - Throws: `StoreError.closed` when the reader is closed.
    public func next(within duration: Duration) throws -> StoreChange? {
        try next(until: .after(duration), isCancelled: { false })
    }

    /// Waits for the next change on a thread of its own. Cancelling the task ends it.
    ///
    /// - Throws: `StoreError.closed` when the reader is closed, `.cancelled`.
    public func next() async throws -> StoreChange {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await onOwnThread("storekeeper-chg") { [self] in
                guard let change = try next(until: .never, isCancelled: { cancellation.isCancelled }) else {
                    throw StoreError(.cancelled, "the wait for a change was cancelled")
                }
                return change
            }
        } onCancel: {
            cancellation.cancel()
            ring()
        }
    }

    /// All iterators of one object share its changes.
    public func makeAsyncIterator() -> Iterator { Iterator(changes: self) }

    /// One change after the other, until the task is cancelled or the reader closed.
    public struct Iterator: AsyncIteratorProtocol {
        let changes: StoreChanges

        /// Waits for the next change; nil when the reader is closed or the task cancelled.
        public func next() async throws -> StoreChange? {
            do {
                return try await changes.next()
            } catch let error as StoreError where error.code == .closed || error.code == .cancelled {
                return nil
            }
        }
    }

    private func next(until deadline: Deadline, isCancelled: () -> Bool) throws -> StoreChange? {
        while true {
            let (change, isClosed) = state.withLock { state in
                defer { state.pending = nil }
                return (state.pending, state.isClosed)
            }
            if let change { return change }
            if isClosed { throw StoreError(.closed, "the reader was closed by this program") }
            if deadline.hasPassed || isCancelled() { return nil }
            guard let bell else {
                System.sleep(.milliseconds(50))
                continue
            }
            _ = try System.poll([bell.raw], until: deadline)
            System.clear(bell)
        }
    }

    /// Takes down what matters here; who waits is woken by `ring`.
    ///
    /// - Returns: whether any of it does.
    func note(_ change: StoreChange) -> Bool {
        var change = change
        if let entities, let changed = change.entities {
            change.entities = changed.intersection(entities)
            if change.entities?.isEmpty == true { return false }
        }
        state.withLock { state in
            if state.pending == nil { state.pending = change } else { state.pending?.add(change) }
        }
        return true
    }

    func close() {
        state.withLock { $0.isClosed = true }
        ring()
    }

    func ring() {
        if let bell { System.signal(bell) }
    }
}

/// Where a reader's thread puts what the owner tells of changes, for everyone who follows them.
final class ChangeBoard: Sendable {
    private struct Follower {
        weak var changes: StoreChanges?
    }

    private struct State: Sendable {
        var followers: [ObjectIdentifier: Follower] = [:]
        /// Of the last notice; nil before the first connection.
        var token: Int64?
        var isClosed = false
    }

    private let state = Mutex(State())

    func add(_ changes: StoreChanges) {
        let isClosed = state.withLock { state in
            state.followers[ObjectIdentifier(changes)] = Follower(changes: changes)
            return state.isClosed
        }
        if isClosed { changes.close() }
    }

    func remove(_ changes: ObjectIdentifier) {
        state.withLock { $0.followers[changes] = nil }
    }

    /// A connection to an owner began: what happened before it was not told.
    func begin(after token: Int64?) {
        tell(StoreChange(entities: nil)) { $0.token = token }
    }

    /// A line with a notice. A gap in the tokens is changes that were not told.
    func note(_ line: [UInt8]) {
        guard let notice = MessageCoding.read(ChangeNotice.self, line) else { return }
        let last = state.withLock { state in
            defer { state.token = notice.token ?? state.token }
            return state.token
        }
        guard let last, let token = notice.token else { return tell(StoreChange(entities: nil)) }
        // Told before the connection began, and delivered after.
        if token <= last { return state.withLock { $0.token = last } }
        tell(StoreChange(entities: token == last + 1 ? notice.entities.map { Set($0) } : nil))
    }

    func close() {
        let followers = state.withLock { state in
            state.isClosed = true
            return state.followers.values.compactMap(\.changes)
        }
        for changes in followers { changes.close() }
    }

    private func tell(_ change: StoreChange, _ alter: (inout State) -> Void = { _ in }) {
        let followers = state.withLock { state in
            alter(&state)
            return state.followers.values.compactMap(\.changes)
        }
        // Everyone has it before anyone is woken: who asks another then finds it there too.
        for changes in followers.filter({ $0.note(change) }) { changes.ring() }
    }
}
