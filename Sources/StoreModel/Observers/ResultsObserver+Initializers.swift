extension ResultsObserver where SectionName == Never {
    /// Of a fetch, in the caller's context.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, modelContext, isolation: isolation)
    }

    /// Of a fetch, in a context of its own.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(fetchDescriptor, ModelContext(modelContainer), isolation: isolation)
    }

    /// Of a filter and a sort, in the caller's context.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), modelContext, isolation: isolation)
    }

    /// Of a filter and a sort, in a context of its own.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer: ModelContainer,
        isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), ModelContext(modelContainer), isolation: isolation)
    }
}

extension ResultsObserver where SectionName == String {
    private convenience init(
        _ descriptor: FetchDescriptor<Element>, _ keyPath: KeyPath<Element, String>, _ context: ModelContext, _ isolation: (any Actor)?
    ) throws {
        try self.init(
            descriptor, context, keyPath: keyPath, sectionSort: [SortDescriptor(Self.sendable(keyPath))],
            section: { $0[keyPath: keyPath] }, isolation: isolation)
    }

    /// Models without a name for their section are in the one with the empty name.
    private convenience init(
        _ descriptor: FetchDescriptor<Element>, _ keyPath: KeyPath<Element, String?>, _ context: ModelContext, _ isolation: (any Actor)?
    ) throws {
        try self.init(
            descriptor, context, keyPath: keyPath, sectionSort: [SortDescriptor(Self.sendable(keyPath))],
            section: { $0[keyPath: keyPath] ?? "" }, isolation: isolation)
    }

    /// Key paths of stored properties capture nothing, but only literals are marked as what can be shared.
    private static func sendable<Value>(_ keyPath: KeyPath<Element, Value>) -> any KeyPath<Element, Value> & Sendable {
        unsafeBitCast(keyPath, to: (any KeyPath<Element, Value> & Sendable).self)
    }

    /// Of a fetch, in the caller's context, in sections by a property.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws { try self.init(fetchDescriptor, sectionBy, modelContext, isolation) }

    /// Of a fetch, in a context of its own, in sections by a property.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws { try self.init(fetchDescriptor, sectionBy, ModelContext(modelContainer), isolation) }

    /// Of a fetch, in the caller's context, in sections by a property; the name is empty for nil.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String?>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws { try self.init(fetchDescriptor, sectionBy, modelContext, isolation) }

    /// Of a fetch, in a context of its own, in sections by a property; the name is empty for nil.
    public convenience init(
        fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), sectionBy: KeyPath<Element, String?>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws { try self.init(fetchDescriptor, sectionBy, ModelContext(modelContainer), isolation) }

    /// Of a filter and a sort, in the caller's context, in sections by a property.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws { try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), sectionBy, modelContext, isolation) }

    /// Of a filter and a sort, in a context of its own, in sections by a property.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), sectionBy, ModelContext(modelContainer), isolation)
    }

    /// Of a filter and a sort, in the caller's context, in sections by a property; the name is empty for nil.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String?>,
        modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
    ) throws { try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), sectionBy, modelContext, isolation) }

    /// Of a filter and a sort, in a context of its own, in sections by a property; the name is empty for nil.
    public convenience init(
        filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, sectionBy: KeyPath<Element, String?>,
        modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), sectionBy, ModelContext(modelContainer), isolation)
    }
}
