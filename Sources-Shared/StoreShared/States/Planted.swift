#if STORE_FAULTS
/// Mistakes that a test can order, by name in the environment variable `STORE_PLANTED`: the fault harness has to find each.
package enum Planted: String, CaseIterable, Sendable {
    /// A reader checks the version in a transaction of its own, before that of the read.
    case versionCheckApart
    /// The record names the target before the store has it.
    case publishBeforeCommit
    /// `synchronous=NORMAL`: a commit that has returned may be lost with the power.
    case commitWithoutSync
    /// A waiter judges before it subscribes.
    case judgeBeforeSubscribe
    /// A write does not look at the epoch, nor at the lock file.
    case noEpochInCommit
    /// An owner that drains takes the gate without the turnstile.
    case noTurnstile

    private static let ordered = Set(
        (System.environment("STORE_PLANTED") ?? "").split(separator: ",").compactMap { Planted(rawValue: String($0)) })

    package var isOrdered: Bool { Self.ordered.contains(self) }
}
#endif
