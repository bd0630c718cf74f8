import Observation
import Synchronization

/// Counts the saves that go into the histories of a container's stores, by whichever context or process.
///
/// SwiftData counts those of other processes; here those of this one count too, since a server's contexts have nobody else to hear it from.
/// `authors` tells them apart.
public final class HistoryObserver: Observable, Sendable {
    /// Whose stores it listens to.
    public let modelContainer: ModelContainer
    /// The models whose changes count, with those below them; none: all.
    public let observedModels: [any PersistentModel.Type]
    /// Whose changes count; none: everybody's.
    public let authors: Set<String>
    private let registrar = ObservationRegistrar()
    private let counter = Mutex(0)
    private let home: ObserverHome
    private let listenings = Mutex<[StoreListening]>([])

    /// - Parameters:
    ///   - historyTokens: for each store's identifier, the place that is known already; what came after it counts at once. Nil: from now on.
    ///   - observedModels: the models whose changes count, with those below them; none: all.
    ///   - authors: whose changes count; none: everybody's.
    ///   - isolation: where those who observe are told. Observation itself can miss a change that another thread makes while somebody looks:
    ///     observe where the observer was made. Nil: they are told on the thread that the change comes from.
    /// - Throws: `SwiftDataError.historyTokenExpired` when transactions after one of the places have been deleted; what reading throws.
    public convenience init(
        historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [], authors: Set<String> = [],
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        self.init(observedModels, authors, modelContainer, isolation)
        try start(after: historyTokens)
    }

    private init(_ models: [any PersistentModel.Type], _ authors: Set<String>, _ container: ModelContainer, _ isolation: (any Actor)?) {
        observedModels = models
        self.authors = authors
        modelContainer = container
        home = ObserverHome(isolation)
    }

    /// Goes up with each change that counts.
    public var eventCounter: Int {
        registrar.access(self, keyPath: \.eventCounter)
        return counter.withLock { $0 }
    }

    private func start(after tokens: [String: any HistoryToken]?) throws {
        for store in modelContainer.stores {
            let watch = HistoryWatch(store, names: entityNames(store), authors: authors, after: try place(tokens, store))
            let listening = store.listen { [weak self] change in
                if watch.counts(change) { self?.count() }
            }
            listenings.withLock { $0.append(listening) }
            if tokens != nil, try watch.findsNewer() { count() }
        }
    }

    /// Counts at once, on any thread; whoever is told of it finds the new number.
    private func count() {
        counter.withLock { $0 += 1 }
        home.run { [weak self] in self?.tell() }
    }

    private func tell() { registrar.withMutation(of: self, keyPath: \.eventCounter) {} }

    /// Nil: every entity.
    private func entityNames(_ store: ContainerStore) -> Set<String>? {
        guard !observedModels.isEmpty else { return nil }
        return Set(observedModels.flatMap { store.layout.mapping.entity(for: $0)?.family.map(\.name) ?? [] })
    }

    private func place(_ tokens: [String: any HistoryToken]?, _ store: ContainerStore) throws -> Int64 {
        guard let tokens else { return try store.storage.read { try HistoryReader.last($0) } }
        guard let token = tokens[store.storage.storeIdentifier] as? DefaultHistoryToken else { return 0 }
        let reader = HistoryReader(store.layout.mapping, store: store.storage.storeIdentifier)
        try store.storage.read { try reader.checkExpiry([token], $0) }
        return token.tokenValue?[store.storage.storeIdentifier] ?? 0
    }
}

/// Tells which changes of one store count.
private final class HistoryWatch: Sendable {
    private let store: ContainerStore
    /// Nil: every entity.
    private let names: Set<String>?
    /// None: everybody.
    private let authors: Set<String>
    /// The last transaction that has been looked at.
    private let place: Mutex<Int64>

    init(_ store: ContainerStore, names: Set<String>?, authors: Set<String>, after place: Int64) {
        self.store = store
        self.names = names
        self.authors = authors
        self.place = Mutex(place)
    }

    /// A notice of another process does not say whose change it is, nor always what: the history does. What cannot be read counts, since
    /// whoever is told once too often loses nothing.
    func counts(_ change: StoreHub.Change) -> Bool {
        if let names, !change.concerns(names) { return false }
        if change.isRemote { return (try? findsNewer()) ?? true }
        guard authors.isEmpty || change.author.map(authors.contains) == true else { return false }
        if let transaction = change.transaction { place.withLock { $0 = max($0, transaction) } }
        return true
    }

    /// Whether the history has a transaction that counts, after those that have been looked at. What has been deleted unseen counts, since it
    /// may have.
    func findsNewer() throws -> Bool {
        let after = place.withLock { $0 }
        let reader = HistoryReader(store.layout.mapping, store: store.storage.storeIdentifier)
        let (first, last, found) = try store.storage.read { connection in
            (try HistoryReader.first(connection), try HistoryReader.last(connection), try reader.transactions(after: after, connection))
        }
        place.withLock { $0 = max($0, last) }
        return after + 1 < first
            || found.contains { transaction in
                (authors.isEmpty || transaction.author.map(authors.contains) == true)
                    && (names == nil || transaction.changes.contains { names?.contains($0.changedPersistentIdentifier.entityName) == true })
            }
    }
}
