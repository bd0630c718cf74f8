/// Something that keeps models: this library's SQLite store, or one that a program brings.
public protocol DataStore: AnyObject {
    /// What it is opened with.
    associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
    /// How it and a context hand models to each other.
    associatedtype Snapshot: DataStoreSnapshot
    /// Tells this store from all others. Has to be the same each time it is opened: it stands in the identifiers of its models.
    var identifier: String { get }
    /// The models that it keeps.
    var schema: Schema { get }
    /// What it was opened with.
    var configuration: Self.Configuration { get }
    /// Opens the store. Called once for each container, after `validate()` of the configuration.
    ///
    /// - Parameter migrationPlan: nil from a container, which migrates only stores of its own kind.
    /// - Throws: whatever keeps the store from being opened; the container then throws it.
    init(_ configuration: Self.Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws
    /// Deletes every model. Called by `ModelContainer.erase()`.
    ///
    /// - Throws: `DataStoreError.unsupportedFeature` unless a store has its own.
    func erase() throws
    /// Gives the snapshots that a descriptor describes. Order, limit and offset of a context's fetch are not part of it: the context settles
    /// them itself, together with what is pending.
    ///
    /// - Throws: `DataStoreError.preferInMemoryFilter` to be asked again without the predicate, which the context then applies itself.
    func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Self.Snapshot> where T: PersistentModel
    /// How many models a descriptor describes. Contexts count by themselves; this is for those who use the store without one.
    func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel
    /// The identifiers of the models that a descriptor describes, in its order. As `fetchCount`, not called by contexts.
    func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] where T: PersistentModel
    /// Takes the changes of a context, all or none, and says which permanent identifier each temporary one has become.
    func save(_ request: DataStoreSaveChangesRequest<Self.Snapshot>) throws -> DataStoreSaveChangesResult<Self.Snapshot>
    /// A context begins to use the store. Called before anything else that names this state.
    func initializeState(for editingState: EditingState)
    /// A context has ended: nothing that names this state comes after it. May be called on any thread.
    func invalidateState(for editingState: EditingState)
    /// The snapshots that the store has at hand for these identifiers; those that it lacks are left out. Not called by contexts.
    func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Self.Snapshot]
}

extension DataStore {
    /// Counts what `fetch` gives.
    public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
        try fetch(request).fetchedSnapshots.count
    }

    /// The identifiers of what `fetch` gives.
    public func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] where T: PersistentModel {
        try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
    }

    /// - Throws: `DataStoreError.unsupportedFeature`.
    public func erase() throws { throw DataStoreError.unsupportedFeature }
    /// Does nothing.
    public func initializeState(for editingState: EditingState) {}
    /// Does nothing.
    public func invalidateState(for editingState: EditingState) {}

    /// None: the store keeps no snapshots.
    public func cachedSnapshots(
        for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
    ) throws -> [PersistentIdentifier: Snapshot] {
        [:]
    }
}

/// A store that deletes by predicate without being shown the models.
public protocol DataStoreBatching: DataStore {
    /// Deletes what a predicate names, all or nothing. `ModelContext.delete(model:where:)` does not call it: it shows the models to the
    /// context, so that delete rules hold.
    func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// Which store a container is to open, and as what.
public protocol DataStoreConfiguration: Hashable {
    /// What it opens.
    associatedtype Store: DataStore where Self == Self.Store.Configuration
    /// The name of the store, for people. It need not be unique.
    var name: String { get }
    /// The models that the store is to keep; nil for those that no other configuration names. The container sets it to what came of it.
    var schema: Schema? { get set }
    /// Whether a store can be opened with it at all. Called when a container is made, before the store is opened.
    ///
    /// - Throws: what is wrong with it; the container then throws that.
    func validate() throws
}

extension DataStoreConfiguration {
    /// Takes everything.
    public func validate() throws {}
}

/// What a store may answer instead of doing what it is asked.
public enum DataStoreError: Error, Equatable, Hashable {
    /// The store does not do this at all.
    case unsupportedFeature
    /// The store cannot tell the predicate: it is asked again without one.
    case preferInMemoryFilter
    /// The store cannot put models into that order. Contexts ask for none; a fetch that is answered so is asked again without predicate.
    case preferInMemorySort
    /// The predicate makes no sense to the store; the fetch throws this.
    case invalidPredicate
}

/// What a value in a snapshot is.
public typealias DataStoreSnapshotValue = Codable & Sendable
