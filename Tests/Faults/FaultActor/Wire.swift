#if STORE_FAULTS
import Glibc

/// Lines from and to the harness. Not through the seam that the harness puts failures into.
enum Wire {
    /// Writes one line at once: several threads speak.
    static func say(_ line: String) {
        let bytes = Array((line.split(separator: "\n").joined(separator: " ") + "\n").utf8)
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Nobody listens any more: the harness has gone.
            if count <= 0 { _exit(3) }
            done += count
        }
    }

    /// The next line of standard input; ends the process with it.
    static func hear() -> String {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = read(0, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { _exit(0) }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
    }
}

/// Lets one thread wait for another.
final class Latch: @unchecked Sendable {
    // Both are only used as pthread_cond(3) describes, and never moved.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        mutex.deallocate()
        condition.deallocate()
    }

    /// Runs `body` under the lock and wakes everybody.
    func change<T>(_ body: () -> T) -> T {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return body()
    }

    /// Waits until `body` gives something; it runs under the lock.
    func wait<T>(for body: () -> T?) -> T {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let found = body() { return found }
            pthread_cond_wait(condition, mutex)
        }
    }
}
#endif
