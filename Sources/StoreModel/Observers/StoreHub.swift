import Foundation
import Synchronization

/// Tells those of this process who want to know that rows of a store have changed, whoever changed them.
final class StoreHub: Sendable {
    /// What has changed.
    struct Change: Sendable {
        /// Nil: any may have.
        let entities: [String]?
        let author: String?
        /// Whether another process made the change.
        let isRemote: Bool
        /// The number of the save in the store's history, where it is known.
        let transaction: Int64?

        /// Whether rows of one of these may have changed.
        func concerns(_ names: Set<String>) -> Bool { entities.map { !names.isDisjoint(with: $0) } ?? true }
    }

    private let listeners = Mutex<[UUID: @Sendable (Change) -> Void]>([:])

    private let inboxes = Mutex<[ObjectIdentifier: WeakInbox]>([:])

    private struct WeakInbox: Sendable {
        weak let inbox: Inbox?
    }

    private static let hubs = Mutex<[String: Weak]>([:])

    private struct Weak: Sendable {
        weak let hub: StoreHub?
    }

    /// The hub of a store: one in a process, shared by all containers of the store.
    static func of(_ storeIdentifier: String) -> StoreHub {
        hubs.withLock { hubs in
            if let hub = hubs[storeIdentifier]?.hub { return hub }
            let made = StoreHub()
            hubs = hubs.filter { $0.value.hub != nil }
            hubs[storeIdentifier] = Weak(hub: made)
            return made
        }
    }

    private init() {}

    func announce(_ entities: [String]?, author: String? = nil, transaction: Int64? = nil, isRemote: Bool = false) {
        let change = Change(entities: entities, author: author, isRemote: isRemote, transaction: transaction)
        for listener in listeners.withLock({ Array($0.values) }) { listener(change) }
    }

    // MARK: Rows

    func add(_ inbox: Inbox) { inboxes.withLock { $0[ObjectIdentifier(inbox)] = WeakInbox(inbox: inbox) } }

    func removeInbox(_ id: ObjectIdentifier) { _ = inboxes.withLock { $0.removeValue(forKey: id) } }

    /// Names the rows that have changed, by table, to all contexts but the one that changed them.
    func deliver(_ rows: () -> [String: Inbox.Rows], of storage: any ModelStorage, but own: Inbox?) {
        let storage = ObjectIdentifier(storage)
        let others = inboxes.withLock { $0.values.compactMap(\.inbox) }.filter { $0 !== own && $0.concerns(storage) }
        guard !others.isEmpty else { return }
        let rows = rows()
        for inbox in others { inbox.put(rows) }
    }

    /// Calls `body` at each change, on the thread that tells of it, until the listening is let go.
    func listen(_ body: @escaping @Sendable (Change) -> Void) -> Listening {
        let id = UUID()
        listeners.withLock { $0[id] = body }
        return Listening(hub: self, id: id)
    }

    /// Ends with its last reference.
    final class Listening: Sendable {
        private let hub: StoreHub
        private let id: UUID

        fileprivate init(hub: StoreHub, id: UUID) {
            (self.hub, self.id) = (hub, id)
        }

        deinit { _ = hub.listeners.withLock { $0.removeValue(forKey: id) } }
    }
}
