/// A store that a program brings, seen without its types.
protocol StoreEngine: AnyObject {
    var identifier: String { get }
    /// - Returns: the snapshots, and whether the store has applied the predicate: else they are all that there are.
    func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, _ state: EditingState) throws -> EngineFetch
    func save(_ changes: EngineChanges, _ state: EditingState) throws -> EngineSave
    func erase() throws
    func begin(_ state: EditingState)
    func end(_ state: EditingState)
}

struct EngineFetch {
    var snapshots: [any DataStoreSnapshot]
    var related: [any DataStoreSnapshot]
    var isFiltered: Bool
}

struct EngineChanges {
    var inserted: [any BackingData] = []
    var updated: [any BackingData] = []
    var deleted: [any BackingData] = []
}

struct EngineSave {
    var remapped: [PersistentIdentifier: PersistentIdentifier]
    var changed: [any DataStoreSnapshot]
}

final class DataStoreEngine<Store: DataStore>: StoreEngine {
    private let store: Store

    init(_ configuration: Store.Configuration) throws {
        try configuration.validate()
        store = try Store(configuration, migrationPlan: nil)
    }

    var identifier: String { store.identifier }

    func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, _ state: EditingState) throws -> EngineFetch {
        var asked = descriptor
        // The order and the window are settled together with what is pending.
        asked.sortBy = []
        asked.fetchLimit = nil
        asked.fetchOffset = nil
        do {
            return try fetch(asked, state, isFiltered: true)
        } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort {
            asked.predicate = nil
            return try fetch(asked, state, isFiltered: false)
        }
    }

    private func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, _ state: EditingState, isFiltered: Bool) throws -> EngineFetch
    {
        let result = try store.fetch(DataStoreFetchRequest(editingState: state, descriptor: descriptor))
        return EngineFetch(
            snapshots: result.fetchedSnapshots, related: Array(result.relatedSnapshots.values),
            isFiltered: isFiltered && descriptor.predicate != nil)
    }

    func save(_ changes: EngineChanges, _ state: EditingState) throws -> EngineSave {
        var related: [PersistentIdentifier: any BackingData] = [:]
        func snapshots(_ backings: [any BackingData]) -> [Store.Snapshot] {
            backings.map { Store.Snapshot(from: $0, relatedBackingDatas: &related) }
        }
        let request = DataStoreSaveChangesRequest(
            inserted: snapshots(changes.inserted), updated: snapshots(changes.updated), deleted: snapshots(changes.deleted),
            editingState: state)
        let result = try store.save(request)
        return EngineSave(remapped: result.remappedIdentifiers, changed: Array(result.snapshotsToReregister.values))
    }

    func erase() throws { try store.erase() }
    func begin(_ state: EditingState) { store.initializeState(for: state) }
    func end(_ state: EditingState) { store.invalidateState(for: state) }
}

extension DataStoreConfiguration {
    func engine() throws -> any StoreEngine { try DataStoreEngine<Store>(self) }
}
