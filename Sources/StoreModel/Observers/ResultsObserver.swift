import Foundation
import Observation
import Synchronization

/// The results of a fetch, kept up to date: with the changes of its own context, of other contexts, and of other processes.
///
/// Observers are told when models come, go or move; a model whose values alone change tells by itself. Used on the isolation that made it.
///
/// Each initialiser fetches at once, and throws what that throws. Sections stand in the order of the property that names them, before every
/// other order. `isolation` is where the observer is used, and fetches again when something has changed; without one it does so when it is
/// read.
public final class ResultsObserver<Element, SectionName>: Observable, CustomDebugStringConvertible
where Element: PersistentModel, SectionName: Hashable {
    /// What fetches the results, which are its models.
    public let modelContext: ModelContext
    private let section: ((Element) -> SectionName?)?
    private let sectionKeyPath: PartialKeyPath<Element>?
    private let sectionSort: [SortDescriptor<Element>]
    private let registrar = ObservationRegistrar()
    private var descriptor: FetchDescriptor<Element>
    private var models: [Element] = []
    private var madeSections: ResultsSectionCollection<Element, SectionName>?
    /// Set from any thread; the next read on the observer's isolation, or the refresh there, fetches again.
    private let isStale = Atomic<Bool>(false)
    private var listenings: [AnyObject] = []

    init(
        _ descriptor: FetchDescriptor<Element>, _ context: ModelContext, keyPath: PartialKeyPath<Element>? = nil,
        sectionSort: [SortDescriptor<Element>] = [], section: ((Element) -> SectionName?)? = nil, isolation: (any Actor)?
    ) throws {
        self.descriptor = descriptor
        modelContext = context
        sectionKeyPath = keyPath
        self.section = section
        self.sectionSort = sectionSort
        // In this order: a change that comes while the first results are fetched is heard.
        listen(isolation)
        try fetch()
    }

    // MARK: What to fetch

    /// Setting it fetches again at once; what that meets goes to the context's fault handler, and the results stay.
    public var fetchDescriptor: FetchDescriptor<Element> {
        get {
            registrar.access(self, keyPath: \.fetchDescriptor)
            return descriptor
        }
        set {
            registrar.withMutation(of: self, keyPath: \.fetchDescriptor) { descriptor = newValue }
            refresh()
        }
    }

    /// The predicate of `fetchDescriptor`. Setting it fetches again.
    public var filterBy: Predicate<Element>? {
        get { fetchDescriptor.predicate }
        set { fetchDescriptor.predicate = newValue }
    }

    /// The order of `fetchDescriptor`, within a section where there are some. Setting it fetches again.
    public var sortBy: [SortDescriptor<Element>] {
        get { fetchDescriptor.sortBy }
        set { fetchDescriptor.sortBy = newValue }
    }

    /// The property that names the section of a model; nil for an observer without sections.
    public var sectionBy: PartialKeyPath<Element>? { sectionKeyPath }

    // MARK: Results

    /// The models as of the last fetch, which this repeats where something has changed since.
    public var results: FetchResultsCollection<Element> {
        registrar.access(self, keyPath: \.results)
        refreshIfStale()
        return FetchResultsCollection(models)
    }

    /// The results by section; nil for an observer without sections.
    public var sections: ResultsSectionCollection<Element, SectionName>? {
        registrar.access(self, keyPath: \.sections)
        refreshIfStale()
        return madeSections
    }

    /// The model at a place of two numbers, section and item; without sections, of the section 0.
    public func element(at indexPath: IndexPath) -> Element? {
        guard indexPath.count == 2 else { return nil }
        guard let sections else {
            let results = results
            return indexPath[0] == 0 && results.indices.contains(indexPath[1]) ? results[indexPath[1]] : nil
        }
        guard sections.indices.contains(indexPath[0]) else { return nil }
        let section = sections[indexPath[0]]
        return section.indices.contains(indexPath[1]) ? section[indexPath[1]] : nil
    }

    /// The place of a model by two numbers, section and item, the section 0 where there are none; nil where it is not among the results.
    public func indexPath(for element: Element) -> IndexPath? {
        guard let sections else {
            return results.firstIndex { $0 == element }.map { IndexPath(indexes: [0, $0]) }
        }
        for (number, section) in sections.enumerated() {
            if let item = section.firstIndex(where: { $0 == element }) { return IndexPath(indexes: [number, item]) }
        }
        return nil
    }

    public var debugDescription: String { "ResultsObserver of \(Element.self): \(models.count) results" }

    // MARK: Keeping up

    private func fetch() throws {
        isStale.store(false, ordering: .relaxed)
        var sorted = descriptor
        sorted.sortBy = sectionSort + descriptor.sortBy
        let found = try modelContext.fetch(sorted)
        let made = section.map { ResultsSectionCollection(found, by: $0) }
        guard found.map(ObjectIdentifier.init) != models.map(ObjectIdentifier.init) || made?.sectionNames != madeSections?.sectionNames
        else {
            return
        }
        registrar.withMutation(of: self, keyPath: \.results) {
            registrar.withMutation(of: self, keyPath: \.sections) {
                models = found
                madeSections = made
            }
        }
    }

    private func refresh() {
        do {
            try fetch()
        } catch {
            modelContext.faultHandler?(
                SwiftDataError(.modelValidationFailure, "the results of \(Element.self) could not be fetched", cause: error))
        }
    }

    private func refreshIfStale() {
        if isStale.load(ordering: .relaxed) { refresh() }
    }

    private func listen(_ isolation: (any Actor)?) {
        modelContext.processListeners.append { [weak self] in
            self?.refresh()
            return self != nil
        }
        let (reference, home) = (ObserverReference(self), ObserverHome(isolation))
        let names = Set(modelContext.core(for: Element.self).relatedEntityNames(of: Element.self))
        for store in modelContext.container.stores {
            listenings.append(
                store.listen { change in
                    guard change.concerns(names) else { return }
                    // One that has no isolation is told, and fetches when it is read.
                    home.run { home.isIsolated ? reference.observer?.wake() : reference.observer?.wakeWithoutIsolation() }
                })
        }
    }

    fileprivate func wake() {
        isStale.store(true, ordering: .relaxed)
        refresh()
    }

    fileprivate func wakeWithoutIsolation() {
        isStale.store(true, ordering: .relaxed)
        registrar.withMutation(of: self, keyPath: \.results) {}
    }
}

/// An observer seen without its types.
private protocol Wakeable: AnyObject {
    func wake()
    func wakeWithoutIsolation()
}

extension ResultsObserver: Wakeable {}

// Unchecked: the observer is used on its isolation; without one only what any thread may touch.
private struct ObserverReference: @unchecked Sendable {
    private(set) weak var observer: (any Wakeable)?

    init(_ observer: any Wakeable) { self.observer = observer }
}

extension ContextCore {
    /// The entities whose changes may change a fetch of a model: its own, those below it, and those that it is related to.
    func relatedEntityNames(of type: any PersistentModel.Type) -> [String] {
        guard let entity = layout.mapping.entity(for: type) else { return [] }
        return entity.family.flatMap { member in [member.name] + member.relationships.compactMap { $0.destination?.name } }
    }
}
