import StoreSQLite

/// An error that can tell whether it is of the moment: what stood in the way is the machine as it is now, and neither the store nor what
/// was asked of it. Whoever tries again later may succeed.
package protocol MomentaryError: Error {
    var isOfTheMoment: Bool { get }
}

extension SystemError: MomentaryError {}
extension SQLiteError: MomentaryError {}

extension SystemError {
    /// What failed and what to do, for one that reaches a person as it is: a call that every process needs, and no file of the store's.
    package var advice: String { "the process cannot go on: \(self)" + (remedy.map { "; \($0)" } ?? "") }
}

extension StoreError: MomentaryError {
    /// Whether the machine stood in the way as it was at that moment: a full disk, no descriptor or memory left, a disk that did not
    /// answer, a permission. The store is as it was; starting the same program again is sensible, by a service manager too.
    public var isOfTheMoment: Bool { (cause as? any MomentaryError)?.isOfTheMoment ?? false }
}
