import StoreMigration
import StoreShared
import Synchronization

/// The owners that live in this process, by the identity of their lock files: a second container on a store shares the first one's.
///
/// State of the process as a whole, since the lock is too: the kernel would refuse the same process a second time.
enum OwnerRegistry {
    private struct Key: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    private struct Entry: Sendable {
        weak var owner: StoreOwner?
    }

    private static let owners = Mutex<[Key: Entry]>([:])
    /// By store: held while its owner opens, so that two threads do not race for one lock and none waits for another store's migration.
    private static let openings = Mutex<[String: SerialLock]>([:])

    /// How long an owner of this process may take to close.
    private static let closingPatience: Duration = .seconds(10)

    static func shared(at location: StoreLocation, plan: MigrationPlan, options: OwnerOptions) throws -> StoreOwner {
        let opening = openings.withLock { openings in
            let lock = openings[location.store] ?? SerialLock()
            openings[location.store] = lock
            return lock
        }
        return try opening.hold {
            if let owner = living(at: location) {
                try owner.migrate(to: plan, options: options)
                return owner
            }
            var options = options
            // An owner of this process that is just closing is no reason to refuse.
            if OwnerLock.holder(location)?.pid == System.processID { options.wait = max(options.wait, closingPatience) }
            let owner = try StoreOwner.open(at: location, plan: plan, options: options)
            let key = Key(device: owner.lock.device, inode: owner.lock.inode)
            owners.withLock { owners in
                owners = owners.filter { $0.value.owner != nil }
                owners[key] = Entry(owner: owner)
            }
            return owner
        }
    }

    private static func living(at location: StoreLocation) -> StoreOwner? {
        guard let facts = try? System.linkStat(location.ownerLock) else { return nil }
        let owner = owners.withLock { $0[Key(device: facts.device, inode: facts.inode)]?.owner }
        return owner?.isOpen == true ? owner : nil
    }
}
