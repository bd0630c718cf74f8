import Foundation
import PlanHarness
import StoreShared
import SwiftData
import Testing

@testable import StoreModel

/// The values of `Codable` structs: their description, their migration. Predicates over their parts are `compositeValues`.
@Suite struct CompositeTests {
    enum Kind: String, Codable { case home, work }
    enum Mood: Codable { case good(Int), bad }

    struct Point: Codable, Hashable {
        var latitude = 0.0
        var longitude: Double?
    }

    struct Address: Codable {
        var street = ""
        var city: String?
        var kind = Kind.home
        var mood = Mood.bad
        var tags: [String] = []
        var point = Point()
        var since = Date(timeIntervalSinceReferenceDate: 0)
    }

    struct Tag: RawRepresentable, Codable {
        var rawValue = 0
    }

    @Model
    final class Person {
        var address = Address()
        var former: Address?
        @Attribute(.codable) var hidden = Point()
        var tag = Tag()
        var mood = Mood.bad
        var places: [Point] = []
        var name = ""

        init() {}
    }

    @Test func aSchemaDescribesCodableStructsByTheirParts() throws {
        let schema = Schema([Person.self])
        let entity = try #require(schema.entitiesByName["Person"])
        let composite = entity.attributes.compactMap { $0 as? Schema.CompositeAttribute }
        #expect(composite.map(\.name).sorted() == ["address", "former"])
        let address = try #require(entity.attributesByName["address"] as? Schema.CompositeAttribute)
        #expect(address.properties.map(\.name) == ["street", "city", "kind", "mood", "tags", "point", "since"])
        #expect(address.properties.map(\.isOptional) == [false, true, false, false, false, false, false])
        #expect(address.properties[0].valueType == String.self && address.valueType == Address.self && !address.isOptional)
        let point = try #require(address.properties[5] as? Schema.CompositeAttribute)
        #expect(point.properties.map(\.name) == ["latitude", "longitude"])
        #expect(address.properties.filter { $0 is Schema.CompositeAttribute }.count == 1)
        let former = try #require(entity.attributesByName["former"] as? Schema.CompositeAttribute)
        #expect(former.isOptional && former.properties == address.properties)
    }

    @Test func anEncodedSchemaKeepsTheParts() throws {
        let schema = Schema([Person.self])
        let copy = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
        let address = try #require(copy.entitiesByName["Person"]?.attributesByName["address"] as? Schema.CompositeAttribute)
        #expect(address.properties.map(\.name).prefix(2) == ["street", "city"])
        #expect((address.properties[5] as? Schema.CompositeAttribute)?.properties.count == 2)
    }

    // MARK: Migration

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Customer.self] }

        struct Address: Codable {
            var street: String
            var fax: String
        }

        @Model final class Customer {
            var name: String
            var address: Address
            init(name: String, address: Address) { (self.name, self.address) = (name, address) }
        }
    }

    /// A part that may be absent comes, another one goes.
    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Customer.self] }

        struct Address: Codable {
            var street: String
            var city: String?
        }

        @Model final class Customer {
            var name: String
            var address: Address
            init(name: String, address: Address) { (self.name, self.address) = (name, address) }
        }
    }

    /// A part that must be there.
    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static var models: [any PersistentModel.Type] { [Customer.self] }

        struct Address: Codable {
            var street: String
            var city: String?
            var country: String
        }

        @Model final class Customer {
            var name: String
            var address: Address
            init(name: String, address: Address) { (self.name, self.address) = (name, address) }
        }
    }

    /// The same, with a default for texts that lack it.
    enum V4: VersionedSchema {
        static let versionIdentifier = Schema.Version(4, 0, 0)
        static var models: [any PersistentModel.Type] { [Customer.self] }

        struct Address: Codable {
            var street: String
            var country: String

            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                street = try values.decode(String.self, forKey: .street)
                country = try values.decodeIfPresent(String.self, forKey: .country) ?? "unknown"
            }
        }

        @Model final class Customer {
            var name: String
            var address: Address
            init(name: String, address: Address) { (self.name, self.address) = (name, address) }
        }
    }

    /// A part that may be absent in the second version.
    enum V5: VersionedSchema {
        static let versionIdentifier = Schema.Version(5, 0, 0)
        static var models: [any PersistentModel.Type] { [Customer.self] }

        struct Address: Codable {
            var street: String
            var city: String
        }

        @Model final class Customer {
            var name: String
            var address: Address
            init(name: String, address: Address) { (self.name, self.address) = (name, address) }
        }
    }

    /// A part that was a text.
    enum V6: VersionedSchema {
        static let versionIdentifier = Schema.Version(6, 0, 0)
        static var models: [any PersistentModel.Type] { [Customer.self] }

        struct Address: Codable {
            var street: Int
            var city: String?
        }

        @Model final class Customer {
            var name: String
            var address: Address
            init(name: String, address: Address) { (self.name, self.address) = (name, address) }
        }
    }

    enum Plan25: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V2.self, V5.self]
        static let stages = [MigrationStage.lightweight(fromVersion: V2.self, toVersion: V5.self)]
    }

    enum Plan26: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V2.self, V6.self]
        static let stages = [MigrationStage.lightweight(fromVersion: V2.self, toVersion: V6.self)]
    }

    enum Plan12: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
        static let stages = [MigrationStage.lightweight(fromVersion: V1.self, toVersion: V2.self)]
    }

    enum Plan23: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V2.self, V3.self]
        static let stages = [MigrationStage.lightweight(fromVersion: V2.self, toVersion: V3.self)]
    }

    enum Plan24: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V2.self, V4.self]
        static let stages = [MigrationStage.lightweight(fromVersion: V2.self, toVersion: V4.self)]
    }

    enum Mapped13: SchemaMigrationPlan {
        static let schemas: [any VersionedSchema.Type] = [V1.self, V3.self]
        static let stages = [
            MigrationStage.mapped(fromVersion: V1.self, toVersion: V3.self, rewriting: [V3.Customer.self]) { old, new in
                for customer in try old.fetch(FetchDescriptor<V1.Customer>()) {
                    let address = V3.Address(street: customer.address.street, city: nil, country: "Norway")
                    new.insert(V3.Customer(name: customer.name, address: address))
                }
            }
        ]
    }

    private func fill(_ folder: TestFolder) throws {
        let container = try folder.owner(V1.self)
        defer { container.close() }
        let context = ModelContext(container)
        context.insert(V1.Customer(name: "a", address: V1.Address(street: "Main", fax: "1")))
        context.insert(V1.Customer(name: "b", address: V1.Address(street: "Side", fax: "2")))
        try context.save()
    }

    @Test func aStructWithOtherPartsIsAnotherVersionAndMigrates() throws {
        let folder = try TestFolder()
        try fill(folder)
        let container = try folder.owner(V2.self, Plan12.self)
        defer { container.close() }
        let context = ModelContext(container)
        let none = #Predicate<V2.Customer> { $0.address.city == nil && $0.address.street == "Main" }
        let customer = try #require(try context.fetch(FetchDescriptor(predicate: none)).first)
        #expect(customer.name == "a" && customer.address.city == nil)
        customer.address.city = "Bergen"
        try context.save()
        let city: String? = "Bergen"
        #expect(try context.fetchCount(FetchDescriptor(predicate: #Predicate<V2.Customer> { $0.address.city == city })) == 1)
        #expect(try context.fetchCount(FetchDescriptor(predicate: #Predicate<V2.Customer> { $0.address.city != city })) == 1)
    }

    @Test func withoutAPlanAStructMayBeEditedToo() throws {
        let folder = try TestFolder()
        try fill(folder)
        let container = try folder.owner(V2.self)
        defer { container.close() }
        let streets = try ModelContext(container).fetch(FetchDescriptor<V2.Customer>(sortBy: [SortDescriptor(\.name)])).map(
            \.address.street)
        #expect(streets == ["Main", "Side"])
    }

    /// What comes new leaves older readers what they know; what goes does not.
    @Test func readersOfTheOlderStructReadOnOnlyWhereNothingOfTheirsWent() throws {
        let more = try Schema(versionedSchema: V2.self).mapping().snapshot().annotations
        let less = try Schema(versionedSchema: V1.self).mapping().snapshot().annotations
        #expect(more["Customer.address.city"] == "storage=text" && more["Customer.address.street"] == "storage=text;required")
        #expect(less["Customer.address.fax"] == "storage=text;required" && more["Customer.address.fax"] == nil)
    }

    @Test func aPartWithoutWhichNothingDecodesIsRefusedWhenThePlanIsBuilt() throws {
        for (version, plan, part) in [
            (V3.self, Plan23.self, "Customer.address.country is new"), (V5.self, Plan25.self, "Customer.address.city may be missing there"),
            (V6.self, Plan26.self, "Customer.address.street is another kind of value there"),
        ] as [(any VersionedSchema.Type, any SchemaMigrationPlan.Type, String)] {
            let error = #expect(throws: StoreError.self) {
                try ModelContainer(
                    for: Schema(versionedSchema: version), migrationPlan: plan,
                    configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
            }
            #expect(error?.code == .planRefused && error?.message.contains(part) == true, "\(error as Any)")
        }
        // A decoder that has a default for it, and a stage that makes the rows itself, are taken.
        for (version, plan) in [(V4.self, Plan24.self), (V3.self, Mapped13.self)]
            as [(any VersionedSchema.Type, any SchemaMigrationPlan.Type)]
        {
            let schema = Schema(versionedSchema: version)
            _ = try ModelContainer(for: schema, migrationPlan: plan, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
            try ThreeWays(TypedPlan(schema.mapping(), plan).plan).check()
        }
    }

    @Test func aMappedStageRewritesAStruct() throws {
        let folder = try TestFolder()
        try fill(folder)
        let container = try folder.owner(V3.self, Mapped13.self)
        defer { container.close() }
        let found = try ModelContext(container).fetch(
            FetchDescriptor<V3.Customer>(predicate: #Predicate { $0.address.country == "Norway" }, sortBy: [SortDescriptor(\.name)]))
        #expect(found.map(\.address.street) == ["Main", "Side"])
    }
}
