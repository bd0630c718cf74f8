import Foundation
import SwiftData

// Each declaration by its full type: what has another signature does not compile.

@MainActor
func surfaceOfContainers() throws {
    let _: (Schema, (any SchemaMigrationPlan.Type)?, [ModelConfiguration]) throws -> ModelContainer =
        ModelContainer.init(for:migrationPlan:configurations:)
    let _: (Schema, [any DataStoreConfiguration]) throws -> ModelContainer = ModelContainer.init(for:configurations:)
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Person.self, Pet.self, migrationPlan: nil, configurations: memory)
    _ = try ModelContainer(for: Schema([Person.self]), migrationPlan: nil, configurations: memory)
    _ = try ModelContainer(for: Person.self, Pet.self, configurations: memory as any DataStoreConfiguration)
    let _: Schema = container.schema
    let _: (any SchemaMigrationPlan.Type)? = container.migrationPlan
    let _: Set<ModelConfiguration> = container.configurations
    let _: ModelContext = container.mainContext
    _ = container == container
    let _: String? = container.storeIdentifier(forConfigurationNamed: "default")
    let _: String? = container.configurationName(forStoreIdentifier: "")
    try container.erase()
    sendable(container)
}

func surfaceOfConfigurations() throws {
    let configuration = ModelConfiguration(
        "name", schema: Schema([Pet.self]), isStoredInMemoryOnly: false, allowsSave: true, groupContainer: .identifier("group"),
        cloudKitDatabase: .private("cloud"))
    _ = ModelConfiguration("name", schema: nil, url: URL(fileURLWithPath: "/tmp/x"), allowsSave: false, cloudKitDatabase: .none)
    _ = ModelConfiguration(for: Pet.self, Badge.self, isStoredInMemoryOnly: true)
    let _: [ModelConfiguration.CloudKitDatabase] = [.automatic, .none]
    let _: [ModelConfiguration.GroupContainer] = [.automatic, .none]
    let _: URL = configuration.url
    let _: String = configuration.name
    let _: String? = configuration.groupAppContainerIdentifier
    let _: String? = configuration.cloudKitContainerIdentifier
    let _: ModelConfiguration.GroupContainer = configuration.groupContainer
    let _: ModelConfiguration.CloudKitDatabase = configuration.cloudKitDatabase
    let _: Bool = configuration.allowsSave && configuration.isStoredInMemoryOnly
    let _: ModelConfiguration.ID = configuration.id
    let _: String = configuration.debugDescription
    _ = configuration == configuration && configuration.hashValue == 0
    try configuration.validate()
    sendable(configuration)
    let _: DefaultStore.Type = ModelConfiguration.Store.self
}

func surfaceOfContexts(_ context: ModelContext, _ person: Person) throws {
    context.author = "me"
    let _: UndoManager? = context.undoManager
    let _: [[any PersistentModel]] = [context.insertedModelsArray, context.changedModelsArray, context.deletedModelsArray]
    let state: EditingState = context.editingState
    let _: EditingState.ID = state.id
    let _: String? = state.author
    let _: ModelContainer = context.container
    context.autosaveEnabled = context.autosaveEnabled && context.hasChanges
    _ = context == ModelContext(context.container)
    context.insert(person)
    let _: any PersistentModel = context.model(for: person.persistentModelID)
    let _: Person? = context.registeredModel(for: person.persistentModelID)
    context.processPendingChanges()
    try context.delete(model: Person.self)
    try context.delete(model: Person.self, where: #Predicate { $0.number == 1 }, includeSubclasses: false)
    context.delete(person)
    context.rollback()
    try context.transaction { context.insert(person) }
    try context.save()
    try context.enumerate(FetchDescriptor<Person>(), batchSize: 10, allowEscapingMutations: true) { (model: Person) in _ = model }
    let _: [Person] = try context.fetch(FetchDescriptor<Person>())
    let _: Int = try context.fetchCount(FetchDescriptor<Person>())
    let _: FetchResultsCollection<Person> = try context.fetch(FetchDescriptor<Person>(), batchSize: 5)
    let _: [PersistentIdentifier] = try context.fetchIdentifiers(FetchDescriptor<Person>())
    let _: FetchResultsCollection<PersistentIdentifier> = try context.fetchIdentifiers(FetchDescriptor<Person>(), batchSize: 5)
    let _: [Notification.Name] = [ModelContext.willSave, ModelContext.didSave]
    let _: [ModelContext.NotificationKey] = [
        .queryGeneration, .invalidatedAllIdentifiers, .insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers, .historyTokens,
    ]
    let _: String? = ModelContext.NotificationKey(rawValue: "insertedIdentifiers")?.rawValue
    let _: [DefaultHistoryTransaction] = try context.fetchHistory(HistoryDescriptor())
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
}

func surfaceOfFetches() {
    var descriptor = FetchDescriptor<Person>(predicate: #Predicate { $0.name == "a" }, sortBy: [SortDescriptor(\.name)])
    let _: Predicate<Person>? = descriptor.predicate
    let _: [SortDescriptor<Person>] = descriptor.sortBy
    descriptor.fetchLimit = 1
    descriptor.fetchOffset = 2
    descriptor.includePendingChanges = false
    descriptor.propertiesToFetch = [\.name]
    descriptor.relationshipKeyPathsForPrefetching = [\.pets, \.friend]
    _ = descriptor == FetchDescriptor<Person>()
    sendable(descriptor)
    func collection(_ results: FetchResultsCollection<Person>) {
        let _: Int = results.startIndex + results.endIndex
        let _: Person = results[0]
        let _: Slice<FetchResultsCollection<Person>> = results[0..<1]
    }
    _ = collection
    _ = #Predicate<Person> { $0.name.localizedStandardContains("a") && $0.city.localizedCompare("b") == ordered }
    _ = Predicate<Person>(all: [#Predicate { $0.number == 1 }])
    _ = Predicate<Person>(any: [#Predicate { $0.number == 1 }])
}

private let ordered = ComparisonResult.orderedSame

func surfaceOfModels(_ person: Person, _ employee: Employee) throws {
    let _: PersistentIdentifier = person.persistentModelID
    let _: PersistentIdentifier = person.id
    let _: ModelContext? = person.modelContext
    _ = person.hasChanges || person.isDeleted || person == employee
    _ = person.hashValue
    var backing: any BackingData<Person> = person.persistentBackingData
    person.persistentBackingData = backing
    let _: [Schema.PropertyMetadata] = Person.schemaMetadata
    let _: Person.Type = Employee.Root.self
    let _: String = person.getValue(forKey: \.name)
    let _: Person? = person.getValue(forKey: \.friend)
    let _: [Badge] = person.getValue(forKey: \.badges)
    let _: [Pet]? = person.getValue(forKey: \.pets)
    let _: Initials? = person.getTransformableValue(forKey: \.initials)
    person.setValue(forKey: \.name, to: "b")
    person.setValue(forKey: \.friend, to: nil)
    person.setValue(forKey: \.badges, to: [])
    person.setTransformableValue(forKey: \.initials, to: nil)
    let _: PersistentIdentifier? = backing.persistentModelID
    backing.persistentModelID = nil
    let _: Any = backing.metadata
    let _: String = backing.getValue(forKey: \.name)
    backing.setValue(forKey: \.name, to: "c")
    func make<M: PersistentModel>(_ type: M.Type) -> M { M(backingData: M.createBackingData()) }
    _ = make(Pet.self)
    func element<C: RelationshipCollection>(_ type: C.Type) -> C.PersistentElement.Type { C.PersistentElement.self }
    let _: Pet.Type = element([Pet].self)
    let _: Pet.Type = element([Pet]?.self)
}

func surfaceOfIdentifiers(_ identifier: PersistentIdentifier) throws {
    let _: PersistentIdentifier.ID = identifier.id
    let _: String = identifier.entityName
    let _: String? = identifier.storeIdentifier
    let _: Bool = identifier.isTemporary || identifier == identifier || identifier < identifier
    _ = identifier.hashValue ^ identifier.id.hashValue
    let _: PersistentIdentifier = try .identifier(for: "store", entityName: "Person", primaryKey: "key")
    let _: PersistentIdentifier = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(identifier))
    sendable(identifier)
}

func surfaceOfExecutors(_ actor: SurfaceActor, _ context: ModelContext) async {
    let _: ModelContainer = actor.modelContainer
    let executor: any ModelExecutor = actor.modelExecutor
    let _: UnownedSerialExecutor = actor.unownedExecutor
    let _: ModelContext = executor.modelContext
    let serial: any SerialModelExecutor = DefaultSerialModelExecutor(modelContext: context)
    let _: UnownedSerialExecutor = serial.asUnownedSerialExecutor()
    let _: any ModelActor = actor
}

func surfaceOfErrors(_ error: any Error) -> String {
    switch error {
    case SwiftDataError.includePendingChangesWithBatchSize, SwiftDataError.unsupportedPredicate, SwiftDataError.unsupportedKeyPath,
        SwiftDataError.sortingPendingChangesWithIdentifiers, SwiftDataError.unsupportedSortDescriptor:
        return "fetch"
    case SwiftDataError.duplicateConfiguration, SwiftDataError.configurationFileNameTooLong,
        SwiftDataError.configurationFileNameContainsInvalidCharacters, SwiftDataError.configurationSchemaNotFoundInContainerSchema:
        return "configuration"
    case SwiftDataError.loadIssueModelContainer: return "container"
    case SwiftDataError.modelValidationFailure, SwiftDataError.missingModelContext: return "context"
    case SwiftDataError.backwardMigration, SwiftDataError.unknownSchema, SwiftDataError.unknownDataStoreSchema: return "migration"
    case SwiftDataError.historyTokenExpired, SwiftDataError.invalidTransactionFetchRequest: return "history"
    case DataStoreError.unsupportedFeature, DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort,
        DataStoreError.invalidPredicate:
        return "store"
    default: return "other"
    }
}

func sendable<T: Sendable>(_ value: T) {}
