/// A moment on the monotonic clock by which something must have happened, or never.
package struct Deadline: Hashable, Sendable, Comparable {
    /// Nanoseconds of CLOCK_MONOTONIC.
    let moment: Int64

    package static let never = Deadline(moment: .max)

    package static var now: Deadline { Deadline(moment: monotonicNanoseconds()) }

    package static func after(_ duration: Duration) -> Deadline {
        let (sum, overflow) = monotonicNanoseconds().addingReportingOverflow(duration.nanoseconds)
        return overflow ? .never : Deadline(moment: sum)
    }

    private init(moment: Int64) {
        self.moment = moment
    }

    /// Whether the moment lies at least that long in the past.
    package func isOlder(than duration: Duration) -> Bool {
        moment != .max && monotonicNanoseconds() - moment >= duration.nanoseconds
    }

    /// How long ago the moment was; negative for one to come.
    package var age: Duration { .nanoseconds(monotonicNanoseconds().subtractingReportingOverflow(moment).partialValue) }

    package var hasPassed: Bool { moment != .max && monotonicNanoseconds() >= moment }

    /// What is left, never negative; nil for `never`.
    package var left: Duration? {
        moment == .max ? nil : .nanoseconds(max(0, moment - monotonicNanoseconds()))
    }

    /// Milliseconds for poll(2) and epoll_wait(2), rounded up so that a wait does not end early; -1 for `never`.
    package var milliseconds: Int32 {
        guard moment != .max else { return -1 }
        let left = max(0, moment - monotonicNanoseconds())
        return Int32(min(left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1), 1_000_000_000))
    }

    package static func < (left: Deadline, right: Deadline) -> Bool {
        left.moment < right.moment
    }
}

extension Duration {
    /// With the thousandths.
    package var seconds: Double { Double(nanoseconds / 1_000_000) / 1000 }

    /// Whole nanoseconds, held within 64 bits.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, tooFar) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return tooFar ? .max : sum
    }
}
