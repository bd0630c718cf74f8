/// Something that keeps models: this library's SQLite store, or one that a program brings.
public protocol DataStore: AnyObject {
    associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
    associatedtype Snapshot: DataStoreSnapshot
    var identifier: String { get }
    var schema: Schema { get }
    var configuration: Self.Configuration { get }
    init(_ configuration: Self.Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws
    func erase() throws
    /// Gives the snapshots that a descriptor describes.
    ///
    /// - Throws: `DataStoreError.preferInMemoryFilter` or `.preferInMemorySort` to be asked again without the predicate or the sort, which the
    ///   context then applies itself.
    func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Self.Snapshot> where T: PersistentModel
    func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel
    func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] where T: PersistentModel
    /// Takes the changes of a context, all or none, and says which permanent identifier each temporary one has become.
    func save(_ request: DataStoreSaveChangesRequest<Self.Snapshot>) throws -> DataStoreSaveChangesResult<Self.Snapshot>
    func initializeState(for editingState: EditingState)
    func invalidateState(for editingState: EditingState)
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
    func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}

/// Which store a container is to open, and as what.
public protocol DataStoreConfiguration: Hashable {
    associatedtype Store: DataStore where Self == Self.Store.Configuration
    var name: String { get }
    var schema: Schema? { get set }
    func validate() throws
}

extension DataStoreConfiguration {
    /// Takes everything.
    public func validate() throws {}
}

/// What a store may answer instead of doing what it is asked.
public enum DataStoreError: Error, Equatable, Hashable {
    case unsupportedFeature
    case preferInMemoryFilter
    case preferInMemorySort
    case invalidPredicate
}

/// What a value in a snapshot is.
public typealias DataStoreSnapshotValue = Codable & Sendable
