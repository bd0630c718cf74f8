import Glibc

/// Lets threads wait until something is so that other threads bring about.
package final class ConditionVariable: @unchecked Sendable {
    // Unchecked: the two are the synchronization itself, are set once and never moved.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Waits until `holds` is true. It is asked at once and after each `wake`, and must call nothing of this variable.
    ///
    /// - Returns: false when the deadline passed first.
    package func wait(until deadline: Deadline, _ holds: () -> Bool) -> Bool {
        var end = deadline.timespec
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !holds() {
            if deadline.hasPassed { return false }
            pthread_cond_timedwait(condition, mutex, &end)
        }
        return true
    }

    /// Has all who wait ask again; after what they wait for was done.
    package func wake() {
        // Under the mutex, so that nobody is between asking and waiting.
        pthread_mutex_lock(mutex)
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }
}

extension Deadline {
    fileprivate var timespec: timespec {
        Glibc.timespec(tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000))
    }
}
