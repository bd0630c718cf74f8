import Foundation
import SwiftData

// A store of one's own: models in a JSON file, as an application would write it.

final class JSONStoreConfiguration: DataStoreConfiguration {
    typealias Store = JSONStore
    var name: String
    var schema: Schema?
    let fileURL: URL
    /// The contexts that the store was told of.
    fileprivate(set) var begun: [UUID] = []
    fileprivate(set) var ended: [UUID] = []
    /// Those that have asked or saved.
    fileprivate(set) var heard: Set<UUID> = []

    init(name: String, schema: Schema? = nil, fileURL: URL) {
        self.name = name
        self.schema = schema
        self.fileURL = fileURL
    }

    static func == (lhs: JSONStoreConfiguration, rhs: JSONStoreConfiguration) -> Bool { lhs.name == rhs.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

final class JSONStore: DataStore {
    typealias Configuration = JSONStoreConfiguration
    typealias Snapshot = DefaultSnapshot

    let configuration: JSONStoreConfiguration
    let name: String
    let schema: Schema
    let identifier: String
    /// How often the file was read.
    private(set) var fetches = 0

    required init(_ configuration: JSONStoreConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        self.configuration = configuration
        name = configuration.name
        schema = configuration.schema ?? Schema()
        identifier = configuration.fileURL.lastPathComponent
    }

    private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
        guard FileManager.default.fileExists(atPath: configuration.fileURL.path) else { return [:] }
        let snapshots = try JSONDecoder().decode([DefaultSnapshot].self, from: Data(contentsOf: configuration.fileURL))
        return Dictionary(snapshots.map { ($0.persistentIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func initializeState(for editingState: EditingState) { configuration.begun.append(editingState.id) }
    func invalidateState(for editingState: EditingState) { configuration.ended.append(editingState.id) }

    func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
        configuration.heard.insert(request.editingState.id)
        if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
        if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
        fetches += 1
        let name = Schema.entityName(for: T.self)
        let found = try read().values.filter { $0.persistentIdentifier.entityName == name }
        return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: Array(found), relatedSnapshots: [:])
    }

    func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
        configuration.heard.insert(request.editingState.id)
        var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
        for snapshot in request.inserted {
            remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
                for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID().uuidString)
        }
        var stored = try read()
        for snapshot in request.inserted {
            guard let identifier = remapped[snapshot.persistentIdentifier] else { continue }
            stored[identifier] = snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: remapped)
        }
        for snapshot in request.updated {
            stored[snapshot.persistentIdentifier] = snapshot.copy(
                persistentIdentifier: snapshot.persistentIdentifier, remappedIdentifiers: remapped)
        }
        for snapshot in request.deleted { stored[snapshot.persistentIdentifier] = nil }
        try JSONEncoder().encode(Array(stored.values)).write(to: configuration.fileURL)
        return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: [:])
    }
}

func surfaceOfStores(_ store: DefaultStore, _ request: DataStoreFetchRequest<Pet>, _ state: EditingState) throws {
    let _: String = store.name + store.identifier
    let _: Schema = store.schema
    let _: ModelConfiguration = store.configuration
    let _: (ModelConfiguration, (any SchemaMigrationPlan.Type)?) throws -> DefaultStore = DefaultStore.init(_:migrationPlan:)
    let result: DataStoreFetchResult<Pet, DefaultSnapshot> = try store.fetch(request)
    let _: FetchDescriptor<Pet> = result.descriptor
    let _: [DefaultSnapshot] = result.fetchedSnapshots
    let _: [PersistentIdentifier: DefaultSnapshot] = result.relatedSnapshots
    let _: Int = try store.fetchCount(request)
    let _: [PersistentIdentifier] = try store.fetchIdentifiers(request)
    let _: [PersistentIdentifier: DefaultSnapshot] = try store.cachedSnapshots(for: [], editingState: state)
    store.initializeState(for: state)
    store.invalidateState(for: state)
    try store.erase()
    let _: EditingState = request.editingState
    let _: FetchDescriptor<Pet> = request.descriptor
    func batch(_ request: DataStoreBatchDeleteRequest<Pet>) throws {
        try store.delete(request)
        let _: Predicate<Pet>? = request.predicate
        let _: Bool = request.includeSubclasses
        let _: EditingState = request.editingState
    }
    func save(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws {
        let result: DataStoreSaveChangesResult<DefaultSnapshot> = try store.save(request)
        let _: [DefaultSnapshot] = request.inserted + request.updated + request.deleted
        let _: [PersistentIdentifier: PersistentIdentifier] = result.remappedIdentifiers
        let _: String = result.storeIdentifier
        let _: [PersistentIdentifier: DefaultSnapshot] = result.snapshotsToReregister
        let _: (any HistoryToken)? = result.historyToken
    }
    _ = (batch, save)
    let _: any DataStoreBatching.Type = DefaultStore.self
    let _: DataStoreSnapshotCodingKey = .modeledProperty("name")
    let _: [String] = [DataStoreSnapshotCodingKey.persistentIdentifier.stringValue]
    let _: any DataStoreSnapshotValue = 1
}

func surfaceOfHistory(_ store: DefaultStore, _ transaction: DefaultHistoryTransaction) throws {
    let _: DefaultHistoryTransaction.Type = DefaultStore.historyType
    let _: any HistoryProviding = store
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "me" })
    _ = HistoryDescriptor<DefaultHistoryTransaction>(sortBy: [SortDescriptor(\.timestamp)])
    descriptor.fetchLimit = UInt64(1)
    let _: [DefaultHistoryTransaction] = try store.fetchHistory(descriptor)
    try store.deleteHistory(descriptor)
    let _: Date = transaction.timestamp
    let _: DefaultHistoryToken = transaction.token
    let _: [Int64] = [transaction.id, transaction.transactionIdentifier]
    let _: [String] = [transaction.storeIdentifier, transaction.bundleIdentifier, transaction.processIdentifier]
    let _: String? = transaction.author
    let _: [String: Int64]? = transaction.token.tokenValue
    let _: Int = transaction.token.id
    _ = transaction.token < transaction.token || transaction == transaction || transaction.hashValue == 0
    for change in transaction.changes {
        let _: PersistentIdentifier = change.changedPersistentIdentifier
        switch change {
        case .insert(let insertion as DefaultHistoryInsert<Pet>): _ = (insertion.changeIdentifier, insertion.transactionIdentifier)
        case .update(let update as DefaultHistoryUpdate<Pet>):
            let _: [any PartialKeyPath<Pet> & Sendable] = update.updatedAttributes
            let _: Bool = update.containsAttribute(\.name)
        case .delete(let deletion as any HistoryDelete<Pet>):
            let tombstone: HistoryTombstone<Pet> = deletion.tombstone
            let _: (any Sendable)? = tombstone[\.name]
            let _: [Any] = Array(tombstone)
        case .insert(let change): let _: any HistoryInsert = change
        case .update(let change): let _: any HistoryUpdate = change
        case .delete(let change): let _: any HistoryDelete = change
        }
    }
}

@MainActor
func surfaceOfObservers(_ context: ModelContext, _ container: ModelContainer) throws {
    let plain = try ResultsObserver<Pet, Never>(modelContext: context)
    _ = try ResultsObserver<Pet, Never>(fetchDescriptor: FetchDescriptor(), modelContainer: container)
    _ = try ResultsObserver<Pet, Never>(filterBy: nil, sortBy: [SortDescriptor(\.name)], modelContainer: container)
    let sectioned = try ResultsObserver<Pet, String>(sectionBy: \.name, modelContext: context)
    plain.fetchDescriptor = FetchDescriptor()
    plain.filterBy = nil
    plain.sortBy = []
    let _: PartialKeyPath<Pet>? = sectioned.sectionBy
    let _: ModelContext = plain.modelContext
    let _: FetchResultsCollection<Pet> = plain.results
    let sections: ResultsSectionCollection<Pet, String>? = sectioned.sections
    let _: Pet? = plain.element(at: IndexPath(indexes: [0, 0]))
    if let pet = plain.results.first { let _: IndexPath? = plain.indexPath(for: pet) }
    let _: String = plain.debugDescription
    if let sections, let section: ResultsSection<Pet, String> = sections.first {
        let _: [String] = sections.sectionNames + [section.id, section.name]
        _ = sections.contains(sectionName: "a") || sections.index(ofSectionNamed: "a") == 0 || sections[sectionName: "a"] == nil
        let _: Pet? = section.first
    }
    let history = try HistoryObserver(historyTokens: nil, observedModels: [Pet.self], authors: ["a"], modelContainer: container)
    let _: Int = history.eventCounter
    let _: ModelContainer = history.modelContainer
    let _: [any PersistentModel.Type] = history.observedModels
    let _: Set<String> = history.authors
    sendable(history)
}

func surfaceOfNotifications(_ context: ModelContext) async {
    for await notification in NotificationCenter.default.notifications(named: ModelContext.didSave, object: context) {
        _ = notification.userInfo?[ModelContext.NotificationKey.insertedIdentifiers.rawValue]
        break
    }
}
