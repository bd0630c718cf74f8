import Foundation
import SwiftData
import Testing

/// The sources beside this one import only SwiftData and Foundation, and name every declaration of the surface by its type: that they compile
/// is the test. Some of them run here.
@Suite struct SurfaceTests {
    @MainActor
    @Test func containersAndContexts() throws {
        try surfaceOfContainers()
        let container = try ModelContainer(
            for: Person.self, Pet.self, Employee.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        ValueTransformer.setValueTransformer(InitialsTransformer(), forName: NSValueTransformerName("InitialsTransformer"))
        try surfaceOfContexts(ModelContext(container), Person(number: 1, name: "a"))
        surfaceOfFetches()
        try surfaceOfModels(Person(number: 2, name: "b"), Employee(number: 3, name: "c", salary: 4))
        try surfaceOfObservers(ModelContext(container), container)
    }

    @MainActor
    @Test func protocolsOfTheProgramsOwn() async throws {
        #expect(surfaceOfBackingData() == "of a dictionary")
        let container = try ModelContainer(
            for: Person.self, Pet.self, Surname.self, Visit.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        try surfaceOfObserverInitializers(ModelContext(container), container)
        let context = ModelContext(container)
        context.insert(Visit(day: 1))
        try context.save()
        #expect(try await HandmadeActor(container).visits() == 1)
    }

    @Test func schemasAndStages() throws {
        try surfaceOfSchemas()
        surfaceOfEntities()
        surfaceOfStages()
        #expect(surfaceOfErrors(SwiftDataError.historyTokenExpired) == "history")
        #expect(surfaceOfErrors(DataStoreError.invalidPredicate) == "store")
    }

    @Test func oddModelFilesCompileAndWork() throws {
        #expect(try surfaceOfOddities() == ["x 4 5 2", "5.0 2", "T1 true no", "293 20", "123"])
    }

    @Test func configurationsAndIdentifiers() throws {
        try surfaceOfConfigurations()
        let context = ModelContext(try ModelContainer(for: Pet.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let pet = Pet(name: "a")
        context.insert(pet)
        try context.save()
        try surfaceOfIdentifiers(pet.persistentModelID)
    }
}

/// A store that a program brings.
@Suite struct CustomStoreTests {
    private func withFile(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("surface-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("models.json"))
    }

    private func container(_ file: URL) throws -> ModelContainer {
        try ModelContainer(for: Person.self, Pet.self, configurations: JSONStoreConfiguration(name: "json", fileURL: file))
    }

    @Test func modelsGoToTheStoreAndComeBack() throws {
        try withFile { file in
            let context = ModelContext(try container(file))
            let person = Person(number: 7, name: "Ida")
            person.born = Date(timeIntervalSinceReferenceDate: 5)
            person.address = Address(street: "Elm", zip: 9)
            person.portrait = Data([1, 2, 3])
            person.initials = Initials(text: "I")
            context.insert(person)
            person.pets = [Pet(name: "cat"), Pet(name: "dog")]
            person.badges = [Badge(title: "gold")]
            #expect(person.persistentModelID.isTemporary)
            try context.save()
            #expect(!person.persistentModelID.isTemporary && person.persistentModelID.storeIdentifier == "models.json")

            let other = ModelContext(try container(file))
            let found = try #require(try other.fetch(FetchDescriptor<Person>(predicate: #Predicate { $0.name == "Ida" })).first)
            #expect(found.persistentModelID == person.persistentModelID)
            #expect(found.number == 7 && found.born == person.born && found.address == person.address && found.portrait == Data([1, 2, 3]))
            #expect(found.pets?.map(\.name).sorted() == ["cat", "dog"] && found.badges.map(\.title) == ["gold"])
            #expect(found.pets?.first?.owner === found)
            #expect((other.model(for: person.persistentModelID) as? Person) === found)
            let sorted = FetchDescriptor<Pet>(sortBy: [SortDescriptor(\.name, order: .reverse)])
            #expect(try other.fetch(sorted).map(\.name) == ["dog", "cat"])
        }
    }

    @Test func changesAndDeletionsGoToTheStore() throws {
        try withFile { file in
            let context = ModelContext(try container(file))
            let (one, two) = (Pet(name: "one"), Pet(name: "two"))
            context.insert(one)
            context.insert(two)
            try context.save()
            one.name = "changed"
            context.delete(two)
            try context.save()
            let other = ModelContext(try container(file))
            #expect(try other.fetch(FetchDescriptor<Pet>()).map(\.name) == ["changed"])
            let third = Pet(name: "third")
            other.insert(third)
            try other.save()
            // The first context asks its store again.
            #expect(try context.fetch(FetchDescriptor<Pet>(sortBy: [SortDescriptor(\.name)])).map(\.name) == ["changed", "third"])
            #expect(try context.fetchCount(FetchDescriptor<Pet>()) == 2)
            other.delete(third)
            try other.save()
            #expect(try context.fetchIdentifiers(FetchDescriptor<Pet>()) == [one.persistentModelID])
        }
    }

    @Test func whatTheStoreRefusesStaysPending() throws {
        try withFile { file in
            let context = ModelContext(try container(file.appendingPathComponent("nowhere/x.json")))
            let pet = Pet(name: "a")
            context.insert(pet)
            #expect(throws: (any Error).self) { try context.save() }
            #expect(context.hasChanges && pet.persistentModelID.isTemporary)
            context.rollback()
            #expect(try context.fetchCount(FetchDescriptor<Pet>()) == 0)
        }
    }

    @Test func theStoreHearsWhichContextsBeginAndEnd() throws {
        try withFile { file in
            let configuration = JSONStoreConfiguration(name: "json", fileURL: file)
            let container = try ModelContainer(for: Person.self, Pet.self, configurations: configuration)
            var context: ModelContext? = ModelContext(container)
            let other = ModelContext(container)
            let first = try #require(context?.editingState.id)
            #expect(configuration.begun == [first, other.editingState.id] && configuration.ended.isEmpty)
            let pet = Pet(name: "cat")
            context?.insert(pet)
            try context?.save()
            context = nil
            #expect(configuration.ended == [first] && !other.hasChanges)

            // Whoever looks an identifier up is one that has begun, too.
            let later = JSONStoreConfiguration(name: "json", fileURL: file)
            let fresh = ModelContext(try ModelContainer(for: Person.self, Pet.self, configurations: later))
            #expect((fresh.model(for: pet.persistentModelID) as? Pet)?.name == "cat")
            #expect(configuration.heard == [first] && later.heard == [fresh.editingState.id])
        }
    }

    @Test func storesOfBothKindsStandInOneContainer() throws {
        try withFile { file in
            let json = JSONStoreConfiguration(name: "json", schema: Schema([Badge.self]), fileURL: file)
            let own = ModelConfiguration("own", schema: Schema([Visit.self]), isStoredInMemoryOnly: true)
            let container = try ModelContainer(for: Schema([Badge.self, Visit.self]), configurations: [json, own])
            let context = ModelContext(container)
            context.insert(Badge(title: "b"))
            context.insert(Visit(day: 3))
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<Badge>()) == 1 && context.fetchCount(FetchDescriptor<Visit>()) == 1)
            #expect(container.configurationName(forStoreIdentifier: "models.json") == "json")
        }
    }

    @Test func theDefaultStoreIsAStoreLikeAnyOther() throws {
        let store = try DefaultStore(ModelConfiguration("d", schema: Schema([Visit.self]), isStoredInMemoryOnly: true))
        let context = ModelContext(try ModelContainer(for: Visit.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        #expect(store.name == "d" && store.schema.entities.map(\.name) == ["Visit"] && !store.identifier.isEmpty)
        #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
            try DefaultStore(ModelConfiguration(isStoredInMemoryOnly: true))
        }
        let visit = Visit(day: 4)
        context.insert(visit)
        try context.save()
        var related: [PersistentIdentifier: any BackingData] = [:]
        let snapshot = DefaultSnapshot(from: visit.persistentBackingData, relatedBackingDatas: &related)
        let decoded = try JSONDecoder().decode(DefaultSnapshot.self, from: JSONEncoder().encode(snapshot))
        #expect(decoded.persistentIdentifier == visit.persistentModelID)
        #expect(
            snapshot.copy(persistentIdentifier: visit.persistentModelID, remappedIdentifiers: nil).persistentIdentifier
                == visit.persistentModelID)
    }
}
