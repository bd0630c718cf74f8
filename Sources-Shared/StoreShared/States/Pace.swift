/// How long things take that the package decides itself: ticks, pauses, deadlines of its own.
///
/// A build for tests divides them by the environment variable `STORE_PACE`, so that thousands of schedules fit into minutes.
package enum Pace {
    #if STORE_FAULTS
    private static let divisor = System.environment("STORE_PACE").flatMap { Int($0) } ?? 1
    package static func of(_ duration: Duration) -> Duration { duration / divisor }
    #else
    @inlinable
    package static func of(_ duration: Duration) -> Duration { duration }
    #endif
}
