import Foundation
import SwiftData

// The protocols of the surface, as a program conforms to them: a requirement too many does not compile.

/// Values of a model in a dictionary.
final class DictionaryBacking<Model: PersistentModel>: BackingData {
    var persistentModelID: PersistentIdentifier?
    var metadata: Any { values.count }
    private var values: [AnyKeyPath: Any] = [:]

    init(for modelType: Model.Type) {}

    private func value<Value>(_ key: AnyKeyPath) -> Value { values[key] as! Value }

    func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: Decodable { value(key) }
    func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: PersistentModel { value(key) }
    func getValue<Value>(forKey key: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel { values[key] as? Value }
    func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement { value(key) }
    func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement { value(key) }
    func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value { value(key) }
    func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable { values[key] = newValue }
    func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel { values[key] = newValue }
    func setValue<Value>(forKey key: KeyPath<Model, Value?>, to newValue: Value?) where Value: PersistentModel { values[key] = newValue }
    func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement { values[key] = newValue }
    func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement { values[key] = newValue }
    func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) { values[key] = newValue }
}

func surfaceOfBackingData() -> String {
    let backing = DictionaryBacking(for: Pet.self)
    backing.setValue(forKey: \.name, to: "of a dictionary")
    let pet = Pet(backingData: backing)
    let _: any BackingData<Pet> = Pet.createBackingData()
    return pet.name
}

struct OwnSnapshot: DataStoreSnapshot {
    let persistentIdentifier: PersistentIdentifier

    init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
        persistentIdentifier = backingData.persistentModelID!
    }

    private init(_ identifier: PersistentIdentifier) { persistentIdentifier = identifier }

    func copy(
        persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> OwnSnapshot { OwnSnapshot(persistentIdentifier) }
}

struct OwnToken: HistoryToken {
    typealias TokenType = Int
    var tokenValue: Int?
    var id: Int { tokenValue ?? 0 }
    static func < (left: OwnToken, right: OwnToken) -> Bool { left.id < right.id }
}

struct OwnInsert<Model: PersistentModel>: HistoryInsert {
    var changeIdentifier: Int
    var transactionIdentifier: Int
    var changedPersistentIdentifier: PersistentIdentifier
}

struct OwnUpdate<Model: PersistentModel>: HistoryUpdate {
    var changeIdentifier: Int
    var transactionIdentifier: Int
    var changedPersistentIdentifier: PersistentIdentifier
    var updatedAttributes: [PropertyUpdate]
}

struct OwnDelete<Model: PersistentModel>: HistoryDelete {
    var changeIdentifier: Int
    var transactionIdentifier: Int
    var changedPersistentIdentifier: PersistentIdentifier
    var tombstone: HistoryTombstone<Model>
}

struct OwnTransaction: HistoryTransaction {
    typealias TransactionIdentifier = Int
    typealias TokenType = OwnToken
    var id: Int { transactionIdentifier }
    var timestamp: Date
    var changes: [HistoryChange] { [] }
    var token: OwnToken
    var transactionIdentifier: Int
    var storeIdentifier: String
    var author: String?
    static func == (left: OwnTransaction, right: OwnTransaction) -> Bool { left.id == right.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A store with a history of its own and with batches.
extension JSONStore: HistoryProviding, DataStoreBatching {
    static var historyType: OwnTransaction.Type { OwnTransaction.self }
    func fetchHistory(_ descriptor: HistoryDescriptor<OwnTransaction>) throws -> [OwnTransaction] { [] }
    func deleteHistory(_ descriptor: HistoryDescriptor<OwnTransaction>) throws {}
    func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel { throw DataStoreError.unsupportedFeature }
}

/// An executor over a queue of the program's.
final class QueueExecutor: SerialModelExecutor, @unchecked Sendable {
    let modelContext: ModelContext
    private let queue = DispatchQueue(label: "models")
    init(modelContext: ModelContext) { self.modelContext = modelContext }
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// An actor that conforms by hand.
actor HandmadeActor: ModelActor {
    nonisolated let modelExecutor: any ModelExecutor
    nonisolated let modelContainer: ModelContainer
    init(_ container: ModelContainer) {
        modelContainer = container
        modelExecutor = QueueExecutor(modelContext: ModelContext(container))
    }
    func visits() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Visit>()) }
}

struct OwnProperty: SchemaProperty {
    var name: String
    var originalName: String
    var valueType: Any.Type
    var isUnique: Bool { false }
    static func == (left: OwnProperty, right: OwnProperty) -> Bool { left.name == right.name }
    func hash(into hasher: inout Hasher) { hasher.combine(name) }
    init(from decoder: any Decoder) throws {
        name = try decoder.singleValueContainer().decode(String.self)
        (originalName, valueType) = (name, Int.self)
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

func surfaceOfOwnProperty(_ property: OwnProperty) {
    _ = property.isAttribute || property.isRelationship || property.isTransient || property.isOptional
}

// Conformances and members that are asked for by type.

func surfaceOfConformances(_ results: FetchResultsCollection<Pet>, _ tombstone: HistoryTombstone<Pet>) {
    func isCodable<T: Codable & Hashable>(_ type: T.Type) {}
    func isComparable<T: Comparable>(_ type: T.Type) {}
    func isDescribed<T: CustomDebugStringConvertible>(_ type: T.Type) {}
    func hasMetatype<T: SendableMetatype>(_ type: T.Type) {}
    isCodable(Schema.self)
    isCodable(Schema.Version.self)
    isCodable(Schema.Entity.self)
    isCodable(Schema.Attribute.self)
    isCodable(Schema.Attribute.Option.self)
    isCodable(Schema.Relationship.self)
    isCodable(Schema.Relationship.Option.self)
    isCodable(Schema.Relationship.DeleteRule.self)
    isCodable(Schema.Index<Badge>.self)
    isCodable(Schema.Unique<Badge>.self)
    isCodable(PersistentIdentifier.self)
    isCodable(DefaultHistoryToken.self)
    isComparable(Schema.Version.self)
    isComparable(PersistentIdentifier.self)
    isComparable(DefaultHistoryToken.self)
    isDescribed(Schema.self)
    isDescribed(Schema.Entity.self)
    isDescribed(Schema.Attribute.self)
    isDescribed(Schema.Attribute.Option.self)
    isDescribed(Schema.Relationship.self)
    isDescribed(Schema.Relationship.Option.self)
    isDescribed(ModelConfiguration.self)
    isDescribed(ResultsObserver<Pet, Never>.self)
    hasMetatype(ModelContext.self)
    hasMetatype(SurfaceVersion1.self)
    hasMetatype(SurfacePlan.self)
    hasMetatype(Pet.self)
    let _: Set<SwiftDataError> = [.unknownSchema]
    let _: Set<DataStoreError> = [.unsupportedFeature]
    let _: FetchResultsCollection<Pet>.Index = results.startIndex
    let _: FetchResultsCollection<Pet>.Indices = results.indices
    var iterator: FetchResultsCollection<Pet>.Iterator = results.makeIterator()
    let _: Pet? = iterator.next()
    let _: FetchResultsCollection<Pet>.SubSequence = results.dropFirst()
    var values: HistoryTombstone<Pet>.Iterator = tombstone.makeIterator()
    let _: Any? = values.next()
    let _: PersistentIdentifier.Type = Pet.ID.self
}

@available(*, deprecated)
func surfaceOfDeprecations(_ container: ModelContainer) { container.deleteAllData() }

@MainActor
func surfaceOfObserverInitializers(_ context: ModelContext, _ container: ModelContainer) throws {
    let descriptor = FetchDescriptor<Person>()
    let filter = #Predicate<Person> { $0.number > 0 }
    _ = try ResultsObserver<Person, Never>(fetchDescriptor: descriptor, modelContext: context)
    _ = try ResultsObserver<Person, Never>(fetchDescriptor: descriptor, modelContainer: container)
    _ = try ResultsObserver<Person, Never>(filterBy: filter, sortBy: nil, modelContext: context)
    _ = try ResultsObserver<Person, Never>(filterBy: filter, modelContainer: container)
    _ = try ResultsObserver<Person, String>(fetchDescriptor: descriptor, sectionBy: \.name, modelContext: context)
    _ = try ResultsObserver<Person, String>(fetchDescriptor: descriptor, sectionBy: \.name, modelContainer: container)
    _ = try ResultsObserver<Person, String>(filterBy: filter, sortBy: [], sectionBy: \.name, modelContext: context)
    _ = try ResultsObserver<Person, String>(filterBy: filter, sortBy: nil, sectionBy: \.city, modelContainer: container)
    _ = try ResultsObserver<Surname, String>(sectionBy: \.prefix, modelContext: context)
    _ = try ResultsObserver<Surname, String>(fetchDescriptor: FetchDescriptor(), sectionBy: \.prefix, modelContainer: container)
    _ = try ResultsObserver<Surname, String>(filterBy: nil, sectionBy: \.prefix, modelContext: context, isolation: #isolation)
    _ = try ResultsObserver<Surname, String>(filterBy: nil, sectionBy: \.prefix, modelContainer: container)
}

@Model
final class Surname {
    var prefix: String?
    var text: String
    init(_ text: String) { self.text = text }
}
