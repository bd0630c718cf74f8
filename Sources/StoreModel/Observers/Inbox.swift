import Synchronization

/// The rows that other contexts of this process have saved since a context last looked.
///
/// Filled by the thread that saves, emptied by that of the context.
final class Inbox: Sendable {
    /// Rows of one table.
    struct Rows: Sendable {
        var numbers: Set<Int64> = []
        /// Whether there are too many to be named: any may have changed.
        var isAll = false
    }

    /// How many rows of a table are named at most.
    static let capacity = 16_384

    private let hub: StoreHub
    /// Whose saves concern the context where it is not the store's name that says it: numbers of a program's own store are those of its container.
    private let scope: ObjectIdentifier?
    private let isFilled = Atomic<Bool>(false)
    private let rows = Mutex<[String: Rows]>([:])

    init(_ hub: StoreHub, scope: ObjectIdentifier?) {
        (self.hub, self.scope) = (hub, scope)
        hub.add(self)
    }

    deinit { hub.removeInbox(ObjectIdentifier(self)) }

    func concerns(_ storage: ObjectIdentifier) -> Bool { scope == nil || scope == storage }

    /// - Parameter changed: by the names of their tables.
    func put(_ changed: [String: Rows]) {
        guard !changed.isEmpty else { return }
        rows.withLock { rows in
            for (table, new) in changed {
                var all = rows[table] ?? Rows()
                all.isAll = all.isAll || new.isAll
                if !all.isAll { all.numbers.formUnion(new.numbers) }
                if all.numbers.count > Self.capacity { all.isAll = true }
                if all.isAll { all.numbers = [] }
                rows[table] = all
            }
            isFilled.store(true, ordering: .releasing)
        }
    }

    /// What came since the last call; nil for nothing.
    func take() -> [String: Rows]? {
        guard isFilled.load(ordering: .acquiring) else { return nil }
        return rows.withLock { rows in
            defer { rows = [:] }
            isFilled.store(false, ordering: .releasing)
            return rows
        }
    }
}
