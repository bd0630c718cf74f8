import Foundation
import SwiftData

// Models that use every macro of the surface, as an application writes them.

struct Address: Codable, Hashable {
    var street: String
    var zip: Int
}

final class InitialsTransformer: ValueTransformer {
    override class func transformedValueClass() -> AnyClass { NSData.self }
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? { (value as? Initials).map { Data($0.text.utf8) } }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).map { Initials(text: String(decoding: $0, as: UTF8.self)) }
    }
}

struct Initials {
    var text: String
}

@Model
public class Person {
    #Unique<Person>([\.number], [\.name, \.born])
    #Index<Person>([\.name], [\.born, \.name])

    @Attribute(.unique, originalName: "id", hashModifier: "v1") public var number: Int
    @Attribute(.spotlight, .allowsCloudEncryption, .preserveValueOnDeletion) public var name: String
    public var born: Date?
    @Attribute(.externalStorage) var portrait: Data?
    @Attribute(.ephemeral) var isSelected: Bool = false
    @Attribute(.transformable(by: InitialsTransformer.self)) var initials: Initials?
    @Attribute(.transformable(by: "InitialsTransformer")) var otherInitials: Initials?
    @Attribute(.codable) var address: Address?
    @Attribute(.indexed) var city: String = ""
    var motto: AttributedString = AttributedString("")
    @Transient var cache: [String] = []
    @Relationship(
        deleteRule: .cascade, minimumModelCount: 0, maximumModelCount: 9, originalName: "animals", inverse: \Pet.owner, hashModifier: nil)
    var pets: [Pet]? = []
    @Relationship(.unique, deleteRule: .nullify) var friend: Person?
    @Relationship(minimum: 0, maximum: 3) var badges: [Badge] = []

    init(number: Int, name: String) {
        self.number = number
        self.name = name
    }
}

@available(iOS 26, macOS 26, *)
@Model
final class Employee: Person {
    var salary: Decimal = Decimal(0)
    @Relationship(deleteRule: .deny) var manager: Employee?

    init(number: Int, name: String, salary: Decimal) {
        self.salary = salary
        super.init(number: number, name: name)
    }
}

@Model
final class Pet {
    var name: String
    var owner: Person?
    init(name: String) { self.name = name }
}

@Model
final class Badge {
    #Index<Badge>(.binary([\.title]), .rtree([\.x, \.y]))
    var title: String
    var x = 0.0
    var y = 0.0
    init(title: String) { self.title = title }
}

enum SurfaceVersion1: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Pet.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
}

enum SurfaceVersion2: VersionedSchema {
    static let models: [any PersistentModel.Type] = [Pet.self, Badge.self]
    static let versionIdentifier = Schema.Version(2, 0, 0)
}

enum SurfacePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [SurfaceVersion1.self, SurfaceVersion2.self] }
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: SurfaceVersion1.self, toVersion: SurfaceVersion2.self),
            .custom(
                fromVersion: SurfaceVersion1.self, toVersion: SurfaceVersion2.self, willMigrate: { context in try context.save() },
                didMigrate: nil),
        ]
    }
}

@Model
final class Visit {
    var day: Int
    init(day: Int) { self.day = day }
}

@ModelActor
public actor SurfaceActor {
    func name(_ id: PersistentIdentifier) -> String? { self[id, as: Person.self]?.name }
    func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Person>()) }
}
