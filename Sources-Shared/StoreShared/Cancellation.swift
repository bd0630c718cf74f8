import Synchronization

/// A request to stop what an owner is doing. It is made once and never taken back.
///
/// Cancelling during a migration interrupts it and undoes it; `StoreOwner.open` then throws `StoreError.cancelled`.
public final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var nextKey = 0
        var handlers: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// One that nobody has cancelled yet.
    public init() {}

    /// Whether it has been cancelled.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels. Every handler runs once, on the calling thread. A second call does nothing.
    public func cancel() {
        let handlers = state.withLock { state in
            state.isCancelled = true
            defer { state.handlers = [:] }
            return state.handlers
        }
        for handler in handlers.values { handler() }
    }

    /// Blocks the calling thread until it is cancelled: for the `main` of a program that serves until it is told to stop.
    public func waitUntilCancelled() {
        wait(until: .never)
    }

    /// Blocks the calling thread until it is cancelled, or until the deadline.
    ///
    /// - Returns: whether it is cancelled.
    @discardableResult
    package func wait(until deadline: Deadline) -> Bool {
        guard let bell = try? System.eventCounter() else {
            // No descriptor is left: looking now and then is all that can be done.
            while !isCancelled, !deadline.hasPassed { System.sleep(.milliseconds(50)) }
            return isCancelled
        }
        handling({ System.signal(bell) }) {
            while !isCancelled, !deadline.hasPassed { _ = try? System.poll([bell.raw], until: deadline) }
        }
        return isCancelled
    }

    /// Runs `body`, and `handler` when it is cancelled meanwhile or was cancelled before.
    package func handling<T>(_ handler: @escaping @Sendable () -> Void, _ body: () throws -> T) rethrows -> T {
        let key: Int? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.nextKey += 1
            state.handlers[state.nextKey] = handler
            return state.nextKey
        }
        guard let key else {
            handler()
            return try body()
        }
        defer { state.withLock { $0.handlers[key] = nil } }
        return try body()
    }

    /// Throws `StoreError.cancelled` once it has been cancelled.
    package func check() throws {
        if isCancelled { throw StoreError(.cancelled, "the owner was told to stop", remedy: "start it again; the store is whole") }
    }
}
