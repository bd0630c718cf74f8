import Foundation

/// Opened once; whoever waits goes on then.
final class Barrier: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func open() { semaphore.signal() }
    func wait() { semaphore.wait() }
}

/// What another thread makes or throws.
final class Outcome<Value: Sendable>: @unchecked Sendable {
    // Written once before the semaphore is signalled, read after it was waited for.
    private var result: Result<Value, any Error>?
    private let semaphore = DispatchSemaphore(value: 0)

    func fill(_ body: () throws -> Value) {
        result = Result { try body() }
        semaphore.signal()
    }

    func get() throws -> Value {
        semaphore.wait()
        return try (result ?? .failure(CocoaError(.featureUnsupported))).get()
    }
}
