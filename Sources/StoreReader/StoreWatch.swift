import StoreShared

/// Something that happened to a store: an event of its owner, or a change that was noticed without one.
package struct WatchEvent: Encodable, Sendable {
    /// The name of an event of the owner, or `state`.
    package let name: String
    package let status: Status
    package let entities: [String]?

    private enum Keys: String, CodingKey { case event, entities }

    package func encode(to encoder: any Encoder) throws {
        try status.encode(to: encoder)
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(name, forKey: .event)
        try container.encodeIfPresent(entities, forKey: .entities)
    }
}

/// Follows a store through the ends and beginnings of its owners: by the owner's socket, else by a watch on the folder.
///
/// The state is told once at first and whenever it is another one than the last that was told, so that what happened between two
/// owners is not missed. Used by one thread.
package final class StoreWatch {
    private let location: StoreLocation
    private let subscription: Subscription
    private var told: String?
    /// The generation that was told last.
    private var generation: Int64?

    package init(_ location: StoreLocation) {
        self.location = location
        subscription = Subscription(location, hello: Hello(role: .shell, wanted: nil))
    }

    /// Calls `body` with each event until it is cancelled.
    ///
    /// - Throws: `StoreError.system` when this process has run out of descriptors.
    package func run(until cancellation: Cancellation, _ body: (WatchEvent) -> Void) throws {
        let bell = try System.eventCounter()
        try cancellation.handling({ System.signal(bell) }) {
            while !cancellation.isCancelled {
                subscription.refresh(until: .never)
                tell(try judge(location, for: nil).status, body)
                try subscription.wait(until: .never, bell: bell) { _, line in
                    if let event = MessageCoding.read(Event.self, line) { tell(event, body) }
                }
            }
        }
    }

    private func tell(_ event: Event, _ body: (WatchEvent) -> Void) {
        told = Self.key(of: event.status)
        generation = event.status.store.generation
        body(WatchEvent(name: event.event.rawValue, status: event.status, entities: event.entities))
    }

    private func tell(_ status: Status, _ body: (WatchEvent) -> Void) {
        let key = Self.key(of: status)
        guard key != told else { return }
        // An owner may have come, migrated and gone before it could be listened to.
        let isNew = told != nil && status.store.generation != nil && status.store.generation != generation
        told = key
        generation = status.store.generation
        body(WatchEvent(name: isNew ? Event.Name.published.rawValue : "state", status: status, entities: nil))
    }

    /// What makes a state another one; progress within a stage does not.
    private static func key(of status: Status) -> String {
        let owner = status.owner.alive == true ? "\(status.owner.pid ?? 0)" : "none"
        return [
            status.verdict.rawValue, status.store.version ?? "", "\(status.store.generation ?? 0)", status.record.state ?? "", owner,
            status.migration?.stageName ?? "", status.failure ?? "",
        ].joined(separator: "\n")
    }
}
