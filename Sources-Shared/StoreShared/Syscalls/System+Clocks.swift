import Glibc

/// Time.
extension System {
    /// Lets the calling thread sleep.
    package static func sleep(_ duration: Duration) {
        let nanoseconds = max(0, duration.nanoseconds)
        var wanted = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        var left = timespec()
        while nanosleep(&wanted, &left) != 0, errno == EINTR { wanted = left }
    }
}

func monotonicNanoseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// Seconds since 1970 of the wall clock; for people only.
func wallClock() -> (seconds: Int64, nanoseconds: Int64) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    #if STORE_FAULTS
    now.tv_sec += Int(System.faults.clockError)
    #endif
    return (Int64(now.tv_sec), Int64(now.tv_nsec))
}
