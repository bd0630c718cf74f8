import Foundation
import StoreShared
import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

/// Models that inherit from others in the next version: their rows lie in the parent's table then.
@Suite struct AdoptedParentTests {
    enum Apart: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Car.self, Bike.self, Owner.self, Trip.self] }

        @Model final class Car {
            #Index<Car>([\.doors])
            @Attribute(.unique) var name: String
            var doors = 4
            var owner: Owner?
            var trips: [Trip] = []
            @Attribute(.externalStorage) var photo: Data?
            init(name: String) { self.name = name }
        }

        @Model final class Bike {
            var name: String
            init(name: String) { self.name = name }
        }

        @Model final class Owner {
            var name: String
            @Relationship(inverse: \Car.owner) var cars: [Car] = []
            var first: Car?
            init(name: String) { self.name = name }
        }

        @Model final class Trip {
            var name: String
            @Relationship(inverse: \Car.trips) var cars: [Car] = []
            init(name: String) { self.name = name }
        }
    }

    /// The car has a parent, which has taken its name, its trips and its photo.
    enum Adopted: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Vehicle.self, Car.self, Bike.self, Owner.self, Trip.self] }

        @Model class Vehicle {
            @Attribute(.unique) var name: String
            var wheels = 4
            var trips: [Trip] = []
            @Attribute(.externalStorage) var photo: Data?
            init(name: String) { self.name = name }
        }

        @Model final class Car: Vehicle {
            #Index<Car>([\.doors])
            var doors = 4
            var owner: Owner?
            override init(name: String) { super.init(name: name) }
        }

        @Model final class Bike {
            var name: String
            init(name: String) { self.name = name }
        }

        @Model final class Owner {
            var name: String
            @Relationship(inverse: \Car.owner) var cars: [Car] = []
            var first: Car?
            init(name: String) { self.name = name }
        }

        @Model final class Trip {
            var name: String
            @Relationship(inverse: \Vehicle.trips) var cars: [Vehicle] = []
            init(name: String) { self.name = name }
        }
    }

    /// Both have it.
    enum Joined: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static var models: [any PersistentModel.Type] { [Vehicle.self, Car.self, Bike.self] }

        @Model class Vehicle {
            var name: String
            init(name: String) { self.name = name }
        }

        @Model final class Car: Vehicle {
            var doors = 4
            override init(name: String) { super.init(name: name) }
        }

        @Model final class Bike: Vehicle {
            var gears = 1
            override init(name: String) { super.init(name: name) }
        }
    }

    /// A parent whose name differs from that of a model before it in its case only.
    enum Capital: VersionedSchema {
        static let versionIdentifier = Schema.Version(4, 0, 0)
        static var models: [any PersistentModel.Type] { [BIKE.self, Car.self] }

        @Model class BIKE {
            var name: String
            init(name: String) { self.name = name }
        }

        @Model final class Car: BIKE {
            var doors = 4
            override init(name: String) { super.init(name: name) }
        }
    }

    enum Light: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [Apart.self, Adopted.self] }
        static var stages: [MigrationStage] { [.lightweight(fromVersion: Apart.self, toVersion: Adopted.self)] }
    }

    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        let container = try folder.owner(Apart.self)
        defer { container.close() }
        let context = ModelContext(container)
        let (owner, trip) = (Apart.Owner(name: "o"), Apart.Trip(name: "t"))
        context.insert(owner)
        context.insert(trip)
        for number in 1...4 {
            let car = Apart.Car(name: "c\(number)")
            context.insert(car)
            car.doors = number
            if number % 2 == 0 { car.owner = owner }
            if number > 2 { car.trips = [trip] }
            if number == 3 { car.photo = Data([1, 2, 3]) }
            if number == 4 { owner.first = car }
        }
        context.insert(Apart.Bike(name: "b"))
        try context.save()
        context.delete(try #require(context.fetch(FetchDescriptor<Apart.Car>(predicate: #Predicate { $0.name == "c1" })).first))
        try context.save()
    }

    @Test func theRowsOfAModelThatAdoptsANewParentGoWithIt() throws {
        let container = try folder.owner(Adopted.self, Light.self)
        defer { container.close() }
        let context = ModelContext(container)
        let cars = try context.fetch(FetchDescriptor<Adopted.Car>(sortBy: [SortDescriptor(\.name)]))
        #expect(cars.map(\.name) == ["c2", "c3", "c4"] && cars.map(\.doors) == [2, 3, 4] && cars.map(\.wheels) == [4, 4, 4])
        #expect(cars.map(\._rowID) == [2, 3, 4], "their numbers are their identifiers")
        #expect(cars.map { $0.owner?.name } == ["o", nil, "o"] && cars.map(\.photo) == [nil, Data([1, 2, 3]), nil])
        #expect(cars.map { $0.trips.map(\.name) } == [[], ["t"], ["t"]])
        #expect(try context.fetch(FetchDescriptor<Adopted.Vehicle>()).allSatisfy { $0 is Adopted.Car })
        let owner = try #require(try context.fetch(FetchDescriptor<Adopted.Owner>()).first)
        #expect(Set(owner.cars.map(\.name)) == ["c2", "c4"] && owner.first?.name == "c4")
        #expect(try context.fetch(FetchDescriptor<Adopted.Trip>()).first?.cars.count == 2)
        #expect(try context.fetchCount(FetchDescriptor<Adopted.Bike>()) == 1)
        context.insert(Adopted.Vehicle(name: "v"))
        let new = Adopted.Car(name: "c5")
        context.insert(new)
        try context.save()
        #expect(new._rowID > 4, "no number is given twice")
        #expect(try context.fetchCount(FetchDescriptor<Adopted.Car>()) == 4 && context.fetchCount(FetchDescriptor<Adopted.Vehicle>()) == 5)
    }

    private func refusal(_ version: any VersionedSchema.Type, _ refused: any SchemaMigrationPlan.Type) throws -> String {
        let before = try rows()
        var text = ""
        do {
            let container = try ModelContainer(
                for: Schema(versionedSchema: version), migrationPlan: refused, configurations: [folder.configuration()])
            container.close()
            Issue.record("the plan was not refused")
        } catch {
            text = "\(error)"
        }
        #expect(try rows() == before)
        return text
    }

    private func rows() throws -> [[Value]] {
        let connection = try Connection(path: folder.store.path, access: .readOnly)
        defer { connection.close() }
        return try connection.rows("SELECT storekeeper_id, name FROM Car UNION ALL SELECT storekeeper_id, name FROM Bike")
    }

    @Test func severalTablesAreNotPutIntoOne() throws {
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [Apart.self, Joined.self] }
            static var stages: [MigrationStage] { [.lightweight(fromVersion: Apart.self, toVersion: Joined.self)] }
        }
        let text = try refusal(Joined.self, Plan.self)
        #expect(text.contains("Car and Bike") && text.contains("Vehicle") && text.contains("rewriting"), "\(text)")
    }

    @Test func aParentIsNotNamedAsARemovedModelIsButForTheCase() throws {
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [Apart.self, Capital.self] }
            static var stages: [MigrationStage] { [.lightweight(fromVersion: Apart.self, toVersion: Capital.self)] }
        }
        #expect(try refusal(Capital.self, Plan.self).contains("Car"))
    }

    @Test func aMappedStageThatRewritesThemPutsSeveralTablesIntoOne() throws {
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [Apart.self, Joined.self] }
            static var stages: [MigrationStage] {
                [
                    .mapped(fromVersion: Apart.self, toVersion: Joined.self, rewriting: [Joined.Vehicle.self]) { old, new in
                        for car in try old.fetch(FetchDescriptor<Apart.Car>()) {
                            let made = Joined.Car(name: car.name)
                            made.doors = car.doors
                            new.insert(made)
                        }
                        for bike in try old.fetch(FetchDescriptor<Apart.Bike>()) { new.insert(Joined.Bike(name: bike.name)) }
                    }
                ]
            }
        }
        enum Unnamed: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [Apart.self, Joined.self] }
            static var stages: [MigrationStage] { [.mapped(fromVersion: Apart.self, toVersion: Joined.self) { _, _ in }] }
        }
        #expect(try refusal(Joined.self, Unnamed.self).contains("rewriting"))
        let container = try folder.owner(Joined.self, Plan.self)
        defer { container.close() }
        let context = ModelContext(container)
        #expect(try context.fetch(FetchDescriptor<Joined.Car>()).map(\.name).sorted() == ["c2", "c3", "c4"])
        #expect(try context.fetchCount(FetchDescriptor<Joined.Vehicle>()) == 4)
    }

    /// Back from the parent's table, where rows of the parent itself may lie.
    @Test func aModelThatLeavesItsParentIsRefused() throws {
        enum Plan: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [Apart.self, Adopted.self] }
            static var stages: [MigrationStage] {
                [
                    .lightweight(fromVersion: Apart.self, toVersion: Adopted.self),
                    .lightweight(fromVersion: Adopted.self, toVersion: Apart.self),
                ]
            }
        }
        #expect(throws: (any Error).self) { try TypedPlan(Schema(versionedSchema: Apart.self).mapping(), Plan.self) }
    }
}

/// Properties with a table of their own that move between a parent and its children.
@Suite struct MovedPlacesTests {
    enum Low: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Shape.self, Circle.self, Square.self] }

        @Model class Shape {
            var name: String
            init(name: String) { self.name = name }
        }

        @Model final class Circle: Shape {
            @Attribute(.externalStorage) var bytes: Data?
            @Attribute(.externalStorage) var mark: Data = Data([1])
            override init(name: String) { super.init(name: name) }
        }

        @Model final class Square: Shape {
            override init(name: String) { super.init(name: name) }
        }
    }

    enum High: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Shape.self, Circle.self, Square.self] }

        @Model class Shape {
            var name: String
            @Attribute(.externalStorage) var bytes: Data?
            @Attribute(.externalStorage) var mark: Data = Data([2])
            init(name: String) { self.name = name }
        }

        @Model final class Circle: Shape {
            override init(name: String) { super.init(name: name) }
        }

        @Model final class Square: Shape {
            override init(name: String) { super.init(name: name) }
        }
    }

    enum Split: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static var models: [any PersistentModel.Type] { [Shape.self, Circle.self, Square.self] }

        @Model class Shape {
            var name: String
            init(name: String) { self.name = name }
        }

        @Model final class Circle: Shape {
            @Attribute(.externalStorage) var bytes: Data?
            override init(name: String) { super.init(name: name) }
        }

        @Model final class Square: Shape {
            @Attribute(.externalStorage) var bytes: Data?
            override init(name: String) { super.init(name: name) }
        }
    }

    enum Up: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [Low.self, High.self] }
        static var stages: [MigrationStage] { [.lightweight(fromVersion: Low.self, toVersion: High.self)] }
    }

    @Test func bytesThatAParentTakesOverStay() throws {
        let folder = try TestFolder()
        do {
            let container = try folder.owner(Low.self)
            defer { container.close() }
            let context = ModelContext(container)
            let circle = Low.Circle(name: "c")
            context.insert(circle)
            circle.bytes = Data([9])
            context.insert(Low.Square(name: "s"))
            try context.save()
        }
        let container = try folder.owner(High.self, Up.self)
        defer { container.close() }
        let shapes = try ModelContext(container).fetch(FetchDescriptor<High.Shape>(sortBy: [SortDescriptor(\.name)]))
        #expect(shapes.map(\.bytes) == [Data([9]), nil])
        // Those that had none have the parent's default.
        #expect(shapes.map(\.mark) == [Data([1]), Data([2])])
    }

    @Test(arguments: [true, false]) func bytesOfOnePlaceAreNotDealtOutNorThoseOfSeveralPutTogether(isSplit: Bool) throws {
        enum Deal: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [High.self, Split.self] }
            static var stages: [MigrationStage] { [.lightweight(fromVersion: High.self, toVersion: Split.self)] }
        }
        enum Gather: SchemaMigrationPlan {
            static var schemas: [any VersionedSchema.Type] { [High.self, Split.self] }
            static var stages: [MigrationStage] { [.lightweight(fromVersion: Split.self, toVersion: High.self)] }
        }
        let (version, plan): (any VersionedSchema.Type, any SchemaMigrationPlan.Type) =
            isSplit ? (Split.self, Deal.self) : (High.self, Gather.self)
        let mapping = try Schema(versionedSchema: version).mapping()
        let error = #expect(throws: StoreError.self) { try TypedPlan(mapping, plan) }
        #expect("\(error as Any)".contains("bytes between models"), "\(error as Any)")
    }
}
