import StoreShared
import Synchronization

/// A store that a program needs, and what the program was built for.
public struct StoreWish: Hashable, Sendable {
    /// Where the store is.
    public var path: String
    /// What the program was built for.
    public var identity: SchemaIdentity

    /// A store by its path and what the program was built for.
    public init(path: String, identity: SchemaIdentity) {
        self.path = path
        self.identity = identity
    }
}

extension StoreReader {
    /// Opens several stores when all of them are ready; blocks the calling thread while it waits.
    ///
    /// Each may have an owner of its own. One that waiting cannot help ends the wait for all.
    ///
    /// - Parameters:
    ///   - wishes: each on its own path.
    ///   - wait: as for one store, for all together.
    /// - Returns: a reader for each, in the same order.
    /// - Throws: as for one store, with the path that it is about.
    public static func open(_ wishes: [StoreWish], wait: WaitPolicy = .never, cancellation: Cancellation? = nil) throws -> [StoreReader] {
        let deadline = wait.deadline
        while true {
            if wait != .never { try waitForAll(wishes, until: deadline, cancellation ?? Cancellation()) }
            do {
                // A store that was ready may have gone on while the others were waited for.
                return try wishes.map { try open(at: $0.path, identity: $0.identity) }
            } catch let error as StoreError where error.mayPass && wait != .never && !deadline.hasPassed {
                continue
            }
        }
    }

    /// Opens several stores without blocking the calling task. Cancelling the task ends the wait.
    public static func open(_ wishes: [StoreWish], wait: WaitPolicy = .never) async throws -> [StoreReader] {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await onOwnThread("storekeeper-wait") { try open(wishes, wait: wait, cancellation: cancellation) }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// A thread for each store; the first that fails stops the others.
    private static func waitForAll(_ wishes: [StoreWish], until deadline: Deadline, _ cancellation: Cancellation) throws {
        let failure = FirstFailure()
        cancellation.handling({ failure.stop.cancel() }) {
            var threads: [WorkerThread] = []
            for wish in wishes {
                failure.catching {
                    threads.append(
                        try WorkerThread("storekeeper-wait") {
                            failure.catching { try wait(for: wish, until: deadline, failure.stop) }
                        })
                }
            }
            for thread in threads { thread.join() }
        }
        if let error = failure.error { throw error }
    }

    private static func wait(for wish: StoreWish, until deadline: Deadline, _ cancellation: Cancellation) throws {
        let location = try StoreLocation(path: wish.path)
        let (judgement, _) = try waited(location, wish.identity, deadline, cancellation, nil)
        if let error = judgement.error { throw error }
    }
}

/// What ended a common wait first, and how the others are told.
private final class FirstFailure: Sendable {
    let stop = Cancellation()
    private let first = Mutex<(any Error)?>(nil)

    var error: (any Error)? { first.withLock { $0 } }

    func catching(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            first.withLock { $0 = $0 ?? error }
            stop.cancel()
        }
    }
}

extension StoreError {
    /// Whether the store that it tells of may become ready by itself.
    fileprivate var mayPass: Bool { [.absent, .outdated, .migrating].contains(code) }
}
