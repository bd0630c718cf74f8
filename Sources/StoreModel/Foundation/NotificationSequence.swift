import Foundation

extension NotificationCenter {
    /// The notifications of a name as an asynchronous sequence; Foundation on Linux has none.
    ///
    /// Observing begins with the call. A notification that is posted while nobody waits is kept until somebody does.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
        Notifications(self, name, object)
    }

    /// The notifications of one name as they come, from its making on.
    public final class Notifications: AsyncSequence, Sendable {
        public typealias Element = Notification
        private let stream: AsyncStream<Carried>

        // Unchecked: as Foundation's own, it hands what a poster put in to whoever listens.
        fileprivate struct Carried: @unchecked Sendable {
            let notification: Notification
        }

        // Unchecked: only handed back to the centre that it is from.
        private struct Token: @unchecked Sendable {
            let center: NotificationCenter
            let token: any NSObjectProtocol
        }

        fileprivate init(_ center: NotificationCenter, _ name: Notification.Name, _ object: AnyObject?) {
            let (stream, continuation) = AsyncStream<Carried>.makeStream()
            self.stream = stream
            let token = Token(
                center: center,
                token: center.addObserver(forName: name, object: object, queue: nil) { notification in
                    continuation.yield(Carried(notification: notification))
                })
            continuation.onTermination = { _ in token.center.removeObserver(token.token) }
        }

        /// All iterators of a sequence share its notifications.
        public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

        /// Waits for one notification after the other.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var base: AsyncStream<Carried>.Iterator
            /// The next one; nil where the task was cancelled.
            public mutating func next() async -> Notification? { await base.next()?.notification }
        }
    }
}
