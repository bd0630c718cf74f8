import Glibc

/// A lock for what may block for long, such as a write to the disk, and that says so when its holder takes it again.
///
/// `Mutex` traps on that; a closure that an application passes in may well do it.
package final class SerialLock: @unchecked Sendable {
    // The mutex is the synchronization itself and is never moved.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init() {
        mutex = .allocate(capacity: 1)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` while no other thread holds the lock.
    ///
    /// - Throws: `StoreError.misuse` when the calling thread holds it already; what `body` throws.
    package func hold<T>(_ body: () throws -> T) throws -> T {
        guard pthread_mutex_lock(mutex) == 0 else {
            throw StoreError(
                .misuse, "the write lock of the store is already held by this thread", remedy: "finish one write before the next")
        }
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Runs `body` if nobody holds the lock; nil if somebody does.
    package func tryHold<T>(_ body: () throws -> T) rethrows -> T? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}
