import StoreReader
import StoreShared

/// How a container opens a store that another process owns.
public struct ReaderOptions: Sendable {
    /// What to do about a store that is absent, outdated or being migrated.
    public var wait = WaitPolicy.never
    /// Called while it waits, whenever something changed.
    public var onProgress: (@Sendable (StoreProgress) -> Void)?
    /// The longest that one fetch may read: a snapshot that is held keeps the store's log growing. Nil for no bound.
    public var readBudget: Duration? = .seconds(5)
    /// Ends the wait from another thread.
    public var cancellation: Cancellation?

    /// Waits for nothing, and reads for 5 seconds at most.
    public init() {}
}
