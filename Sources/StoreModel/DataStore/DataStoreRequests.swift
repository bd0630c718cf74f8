/// What a context asks a store for.
public struct DataStoreFetchRequest<T>: Sendable where T: PersistentModel {
    /// Who asks.
    public let editingState: EditingState
    /// Which models, in which order.
    public let descriptor: FetchDescriptor<T>
}

/// What a store answers to a fetch.
public struct DataStoreFetchResult<ModelType, SnapshotType>: Sendable where ModelType: PersistentModel, SnapshotType: DataStoreSnapshot {
    /// What was asked.
    public let descriptor: FetchDescriptor<ModelType>
    /// The models that were found, in the order that was asked for.
    public let fetchedSnapshots: [SnapshotType]
    /// Snapshots of models that the fetched ones are related to.
    public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

    /// An answer.
    public init(
        descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
        relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
    ) {
        self.descriptor = descriptor
        self.fetchedSnapshots = fetchedSnapshots
        self.relatedSnapshots = relatedSnapshots
    }
}

/// A deletion of all models that a predicate names.
public struct DataStoreBatchDeleteRequest<T>: Sendable where T: PersistentModel {
    /// Who asks.
    public let editingState: EditingState
    /// Which models; nil for all of that kind.
    public let predicate: Predicate<T>?
    /// Whether models that inherit from the one named are deleted too.
    public let includeSubclasses: Bool
}

/// The changes of one context, all of which a store takes, or none.
public struct DataStoreSaveChangesRequest<SnapshotType>: Sendable where SnapshotType: DataStoreSnapshot {
    /// New models, under temporary identifiers.
    public let inserted: [SnapshotType]
    /// Changed models with all their values.
    public let updated: [SnapshotType]
    /// Models that are to go, with their last values.
    public let deleted: [SnapshotType]
    /// Who asks.
    public let editingState: EditingState
}

/// What a store says of a save that it has done.
public final class DataStoreSaveChangesResult<T>: Sendable where T: DataStoreSnapshot {
    /// The permanent identifier of each temporary one.
    public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
    /// The store that saved.
    public let storeIdentifier: String
    /// Snapshots whose values the store has changed while it saved.
    public let snapshotsToReregister: [PersistentIdentifier: T]
    /// The save's place in the store's history, if it keeps one.
    public let historyToken: (any HistoryToken)?

    /// The answer of a store that keeps no history.
    public init(
        for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
        snapshotsToReregister: [PersistentIdentifier: T] = [:]
    ) {
        self.storeIdentifier = storeIdentifier
        self.remappedIdentifiers = remappedIdentifiers
        self.snapshotsToReregister = snapshotsToReregister
        historyToken = nil
    }

    /// The answer of a store that keeps a history.
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
