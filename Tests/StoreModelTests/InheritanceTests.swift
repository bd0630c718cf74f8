import Foundation
import Observation
import SwiftData
import Synchronization
import Testing

/// Models that inherit from models: one table, `is` and `as?` in predicates.
@Suite struct InheritanceTests {
    private func container() throws -> ModelContainer {
        try ModelContainer(
            for: Tanker.self, Bicycle.self, Driver.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    private func filled(_ container: ModelContainer) throws {
        let context = ModelContext(container)
        let driver = Driver(name: "Ida")
        let tanker = Tanker(name: "tanker", plate: "T 1")
        tanker.note = "full"
        for vehicle in [Vehicle(name: "cart"), Truck(name: "truck", load: 7), tanker, Bicycle(gears: 8)] {
            vehicle.owner = driver
            context.insert(vehicle)
        }
        tanker.trips = [Trip(length: 5), Trip(length: 6)]
        try context.save()
    }

    @Test func aModelOfASubclassKeepsWhatEachClassDeclares() throws {
        let tanker = Tanker(name: "a", plate: "b")
        #expect(tanker.name == "a" && tanker.load == 20 && tanker.plate == "b" && tanker.wheels == 4)
        tanker.name = "c"
        tanker.load = 3
        tanker.plate = "d"
        #expect(tanker.name == "c" && tanker.load == 3 && tanker.plate == "d")
        #expect(tanker.persistentModelID.entityName == "Tanker")
        let bicycle = Bicycle(gears: 5)
        #expect(bicycle.name == "bicycle" && bicycle.gears == 5 && bicycle.wheels == 2)
    }

    @Test func aFetchOfTheBaseGivesEachRowItsOwnClass() throws {
        let container = try container()
        try filled(container)
        let context = ModelContext(container)
        let all = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)]))
        #expect(all.map(\.name) == ["bicycle", "cart", "tanker", "truck"])
        #expect(all.map { "\(type(of: $0))" } == ["Bicycle", "Vehicle", "Tanker", "Truck"])
        #expect((all[0] as? Bicycle)?.gears == 8 && all[0].wheels == 2)
        let tanker = try #require(all[2] as? Tanker)
        #expect(tanker.plate == "T 1" && tanker.load == 20 && tanker.note == "full" && tanker.owner?.name == "Ida")
        #expect(tanker.trips.map(\.length).sorted() == [5, 6])
        #expect(tanker.trips.allSatisfy { $0.vehicle === tanker })
        let trucks = try context.fetch(FetchDescriptor<Truck>(sortBy: [SortDescriptor(\.name)]))
        #expect(trucks.map(\.name) == ["tanker", "truck"])
        #expect(trucks.first === tanker)
        #expect(try context.fetchCount(FetchDescriptor<Bicycle>()) == 1)
        #expect(context.model(for: tanker.persistentModelID) === tanker)
        #expect(try #require(try context.fetch(FetchDescriptor<Driver>()).first).vehicles.count == 4)
    }

    @Test func predicatesAskForTheClassAndForWhatItDeclares() throws {
        let container = try container()
        try filled(container)
        let context = ModelContext(container)
        func names(_ predicate: Predicate<Vehicle>) throws -> [String] {
            let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)]))
            let evaluated = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)])).filter {
                try predicate.evaluate($0)
            }
            #expect(found == evaluated)
            return found.map(\.name)
        }
        #expect(try names(#Predicate { $0 is Truck }) == ["tanker", "truck"])
        #expect(try names(#Predicate { !($0 is Truck) }) == ["bicycle", "cart"])
        #expect(try names(#Predicate { ($0 as? Truck)?.load == 7 }) == ["truck"])
        #expect(try names(#Predicate { $0 is Tanker && $0.wheels == 4 }) == ["tanker"])
        let inherited = #Predicate<Tanker> { $0.name == "tanker" && $0.load > 10 && $0.plate.contains("1") }
        #expect(try context.fetch(FetchDescriptor(predicate: inherited)).count == 1)
        let sorted = FetchDescriptor<Truck>(sortBy: [SortDescriptor(\.load, order: .reverse), SortDescriptor(\.name)])
        #expect(try context.fetch(sorted).map(\.name) == ["tanker", "truck"])
        let viaRelationship = #Predicate<Driver> { driver in driver.vehicles.contains { $0 is Bicycle } }
        #expect(try context.fetchCount(FetchDescriptor(predicate: viaRelationship)) == 1)
    }

    @Test func changesAndDeletionsOfSubclassesAreSaved() throws {
        let container = try container()
        try filled(container)
        let context = ModelContext(container)
        let tanker = try #require(try context.fetch(FetchDescriptor<Tanker>()).first)
        tanker.name = "renamed"
        tanker.load = 2
        tanker.plate = "T 2"
        try context.save()
        let other = ModelContext(container)
        let again = try #require(other.model(for: tanker.persistentModelID) as? Tanker)
        #expect(again.name == "renamed" && again.load == 2 && again.plate == "T 2" && again.note == "full")
        let driver = try #require(try other.fetch(FetchDescriptor<Driver>()).first)
        other.delete(driver)
        try other.save()
        #expect(try other.fetchCount(FetchDescriptor<Vehicle>()) == 0)
    }

    @Test func pendingModelsOfSubclassesAreFetchedAsTheBase() throws {
        let context = ModelContext(try container())
        context.insert(Tanker(name: "t", plate: "p"))
        context.insert(Vehicle(name: "v"))
        #expect(try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)])).map(\.name) == ["t", "v"])
        #expect(try context.fetch(FetchDescriptor<Vehicle>(predicate: #Predicate { $0 is Truck })).map(\.name) == ["t"])
    }

    @Test func aUniqueValueOfASubclassUpdatesItsRow() throws {
        let container = try container()
        try filled(container)
        let context = ModelContext(container)
        let twin = Tanker(name: "twin", plate: "T 1")
        context.insert(twin)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Tanker>()).map(\.name) == ["twin"])
        #expect(try context.fetchCount(FetchDescriptor<Vehicle>()) == 4)
    }

    @Test func observersOfInheritedAndOwnPropertiesAreTold() throws {
        let context = ModelContext(try container())
        let (driver, tanker) = (Driver(name: "d"), Tanker(name: "t", plate: "p"))
        let told = Mutex<[String]>([])
        func observe(_ name: String, _ read: () -> Void) {
            withObservationTracking(read) { told.withLock { $0.append(name) } }
        }
        observe("name") { _ = tanker.name }
        observe("plate") { _ = tanker.plate }
        tanker.plate = "q"
        tanker.name = "u"
        context.insert(driver)
        context.insert(tanker)
        observe("owner") { _ = tanker.owner }
        driver.vehicles = [tanker]
        #expect(told.withLock { $0 } == ["plate", "name", "owner"])
    }

    @Test func theSchemaKnowsParentsAndInheritedProperties() throws {
        let schema = Schema([Tanker.self, Bicycle.self])
        let tanker = try #require(schema.entity(for: Tanker.self))
        #expect(tanker.superentityName == "Truck" && tanker.superentity?.superentity?.name == "Vehicle")
        #expect(tanker.storedProperties.map(\.name) == ["plate", "picture"])
        #expect(tanker.inheritedProperties.map(\.name) == ["name", "wheels", "owner", "trips", "load", "note", "mate"])
        #expect(Set(try #require(schema.entity(for: Vehicle.self)).subentities.map(\.name)) == ["Truck", "Bicycle"])
        #expect(Tanker.Root.self == Vehicle.self)
    }

    @Test func genericCodeMakesModelsOfSubclasses() throws {
        func make<M: PersistentModel>(_ type: M.Type) -> M { M(backingData: M.createBackingData()) }
        let tanker = make(Tanker.self)
        tanker.plate = "p"
        tanker.name = "n"
        let backing = tanker.persistentBackingData
        #expect(backing.getValue(forKey: \Vehicle.name) == "n")
        #expect(tanker.getValue(forKey: \.plate) == "p" && tanker.getValue(forKey: \.name) == "n")
        let context = ModelContext(try container())
        context.insert(tanker)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Tanker>()) == 1)
    }
}
