import CStoreSystem
import Glibc

/// A thread of our own, for what blocks: the cooperative pool must never wait for a lock, a socket or a process.
package final class WorkerThread: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        let name: String
        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    private let thread: pthread_t

    /// Starts it.
    ///
    /// - Parameter name: shown by ps and debuggers; 15 bytes at most.
    /// - Throws: `SystemError` when the system has no thread left.
    package init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        #if STORE_FAULTS
        if let number = System.faults.next("pthread_create") { throw SystemError(call: "pthread_create", path: name, number: number) }
        #endif
        var started = pthread_t()
        let box = Unmanaged.passRetained(Body(name: String(name.prefix(15)), run: body))
        let number = pthread_create(
            &started, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                store_name_thread(body.name)
                body.run()
                return nil
            }, box.toOpaque())
        guard number == 0 else {
            box.release()
            throw SystemError(call: "pthread_create", path: name, number: number)
        }
        thread = started
    }

    /// Waits for its end; must be called once, or `detach`. On the thread itself it only lets go.
    package func join() {
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    /// Lets it run on by itself.
    package func detach() {
        pthread_detach(thread)
    }
}

/// Runs blocking work on a thread of its own and awaits its result.
package func onOwnThread<Result: Sendable>(_ name: String, _ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        do {
            try WorkerThread(name) { continuation.resume(with: Swift.Result { try body() }) }.detach()
        } catch {
            continuation.resume(throwing: error)
        }
    }
}
