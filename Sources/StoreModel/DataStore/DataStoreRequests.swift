public struct DataStoreFetchRequest<T>: Sendable where T: PersistentModel {
    public let editingState: EditingState
    public let descriptor: FetchDescriptor<T>
}

public struct DataStoreFetchResult<ModelType, SnapshotType>: Sendable where ModelType: PersistentModel, SnapshotType: DataStoreSnapshot {
    public let descriptor: FetchDescriptor<ModelType>
    public let fetchedSnapshots: [SnapshotType]
    /// Snapshots of models that the fetched ones are related to.
    public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

    public init(
        descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
        relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
    ) {
        self.descriptor = descriptor
        self.fetchedSnapshots = fetchedSnapshots
        self.relatedSnapshots = relatedSnapshots
    }
}

public struct DataStoreBatchDeleteRequest<T>: Sendable where T: PersistentModel {
    public let editingState: EditingState
    public let predicate: Predicate<T>?
    public let includeSubclasses: Bool
}

public struct DataStoreSaveChangesRequest<SnapshotType>: Sendable where SnapshotType: DataStoreSnapshot {
    public let inserted: [SnapshotType]
    public let updated: [SnapshotType]
    public let deleted: [SnapshotType]
    public let editingState: EditingState
}

public final class DataStoreSaveChangesResult<T>: Sendable where T: DataStoreSnapshot {
    /// The permanent identifier of each temporary one.
    public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
    public let storeIdentifier: String
    /// Snapshots whose values the store has changed while it saved.
    public let snapshotsToReregister: [PersistentIdentifier: T]
    /// The save's place in the store's history, if it keeps one.
    public let historyToken: (any HistoryToken)?

    public init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:]
    ) {
        self.storeIdentifier = storeIdentifier
        self.remappedIdentifiers = remappedIdentifiers
        self.snapshotsToReregister = snapshotsToReregister
        historyToken = nil
    }

    public init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)? = nil
    ) {
        self.storeIdentifier = storeIdentifier
        self.remappedIdentifiers = remappedIdentifiers
        self.snapshotsToReregister = snapshotsToReregister
        self.historyToken = historyToken
    }
}
