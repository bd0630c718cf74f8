import Foundation
import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

/// What `@Attribute`, `@Relationship`, `#Unique` and `#Index` say of how a value is kept.
@Suite struct StorageOptionTests {
    private func container() throws -> ModelContainer {
        ValueTransformer.setValueTransformer(ColourTransformer(), forName: NSValueTransformerName("colour"))
        return try ModelContainer(
            for: Photo.self, Team.self, Booking.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    private func scalar(_ container: ModelContainer, _ sql: String) throws -> Int64? {
        try container.stores[0].storage.read { try $0.scalar(sql)?.integer }
    }

    private func saved(_ container: ModelContainer) throws -> PersistentIdentifier {
        let context = ModelContext(container)
        let photo = Photo(title: "a")
        photo.original = Data(repeating: 7, count: 100_000)
        photo.isSelected = true
        photo.colour = Colour(red: 1, green: 2, blue: 3)
        photo.background = Colour(red: 9, green: 9, blue: 9)
        photo.shape = .square
        var caption = AttributedString("see there")
        caption.link = URL(string: "https://example.org")
        photo.caption = caption
        context.insert(photo)
        try context.save()
        return photo.persistentModelID
    }

    @Test func largeDataLiesInASideTableAndIsReadWithItsFirstUse() throws {
        let container = try container()
        let id = try saved(container)
        #expect(try scalar(container, "SELECT length(data) FROM Photo_original") == 100_000)
        #expect(try scalar(container, "SELECT count(*) FROM pragma_table_info('Photo') WHERE name = 'original'") == 0)
        let context = ModelContext(container)
        let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
        let row = try #require(photo._$modelRow)
        #expect(!row.heldExternal(at: 1).isHeld)
        #expect(photo.original == Data(repeating: 7, count: 100_000) && photo.preview == Data([1]))
        #expect(row.heldExternal(at: 1).isHeld)
        #expect(try context.fetchCount(FetchDescriptor<Photo>(predicate: #Predicate { $0.original != nil })) == 1)
        #expect(try context.fetchCount(FetchDescriptor<Photo>(predicate: #Predicate { $0.original == nil })) == 0)
        photo.original = nil
        photo.preview = Data([5, 6])
        context.rollback()
        #expect(photo.original?.count == 100_000)
        photo.original = nil
        photo.preview = Data([5, 6])
        try context.save()
        let other = try #require(ModelContext(container).model(for: id) as? Photo)
        #expect(other.original == nil && other.preview == Data([5, 6]))
        #expect(other.getValue(forKey: \.preview) == Data([5, 6]))
        context.delete(photo)
        try context.save()
        #expect(try scalar(container, "SELECT (SELECT count(*) FROM Photo_original) + (SELECT count(*) FROM Photo_preview)") == 0)
    }

    @Test func anEphemeralAttributeIsTrackedAndNeverStored() throws {
        let container = try container()
        _ = try saved(container)
        let context = ModelContext(container)
        let photo = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
        #expect(!photo.isSelected)
        photo.isSelected = true
        #expect(photo.hasChanges && context.hasChanges)
        try context.save()
        #expect(photo.isSelected)
        #expect(try ModelContext(container).fetch(FetchDescriptor<Photo>()).first?.isSelected == false)
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try context.fetch(FetchDescriptor<Photo>(predicate: #Predicate { $0.isSelected }))
        }
    }

    @Test func transformersStoreWhatIsNotCodable() throws {
        let container = try container()
        let id = try saved(container)
        let context = ModelContext(container)
        let photo = try #require(context.model(for: id) as? Photo)
        #expect(photo.colour == Colour(red: 1, green: 2, blue: 3) && photo.background == Colour(red: 9, green: 9, blue: 9))
        #expect(try scalar(container, "SELECT length(colour) FROM Photo") == 3)
        photo.background = nil
        try context.save()
        #expect((ModelContext(container).model(for: id) as? Photo)?.background == nil)
    }

    @Test func aTransformerThatIsNotThereIsNamedAndReadsAsNil() throws {
        let container = try container()
        let id = try saved(container)
        let context = ModelContext(container)
        try container.stores[0].storage.write(changing: []) { try $0.execute("UPDATE Photo SET background = x'00'") }
        let photo = try #require(context.model(for: id) as? Photo)
        #expect(photo.background == nil)
        let error = #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<Photo>()) }
        #expect("\(try #require(error))".contains("Photo.background"))
    }

    @Test func aCodableAttributeIsOneTextThatPredicatesDoNotLookInto() throws {
        let container = try container()
        let id = try saved(container)
        let context = ModelContext(container)
        #expect((context.model(for: id) as? Photo)?.shape == .square)
        #expect(try container.stores[0].storage.read { try $0.scalar("SELECT shape FROM Photo")?.text } == "\"square\"")
        let square = Shape.square
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try context.fetch(FetchDescriptor<Photo>(predicate: #Predicate { $0.shape == square }))
        }
    }

    @Test func anAttributedTextIsAnAttribute() throws {
        let container = try container()
        let id = try saved(container)
        let photo = try #require(ModelContext(container).model(for: id) as? Photo)
        #expect(String(photo.caption.characters) == "see there")
        #expect(photo.caption.runs.first?.link == URL(string: "https://example.org"))
    }

    @Test func declaredIndexesAndOptionsAreInTheSchema() throws {
        let container = try container()
        #expect(try scalar(container, "SELECT count(*) FROM sqlite_schema WHERE name = 'Photo_title_index'") == 1)
        #expect(
            try scalar(container, "SELECT count(*) FROM sqlite_schema WHERE name IN ('Booking_room_index', 'Booking_day_room_index')") == 2)
        let photo = try #require(container.schema.entity(for: Photo.self))
        #expect(photo.attributesByName["original"]?.options == [.externalStorage])
        #expect(photo.attributesByName["colour"]?.isTransformable == true)
        #expect(photo.attributesByName["shape"]?.isCodable == true)
        #expect(photo.attributesByName["isSelected"]?.isTransient == true)
        let booking = try #require(container.schema.entity(for: Booking.self))
        #expect(booking.uniquenessConstraints == [["room", "day"], ["code"]] && booking.indices == [["room"], ["day", "room"]])
    }

    @Test func aClashOfACompoundConstraintUpdatesTheRow() throws {
        let container = try container()
        let context = ModelContext(container)
        context.insert(Booking(room: "A", day: 1, guest: "Ida"))
        context.insert(Booking(room: "A", day: 2, guest: "Bo"))
        try context.save()
        context.insert(Booking(room: "A", day: 1, guest: "Cy"))
        context.insert(Booking(room: "B", day: 1, guest: "Di"))
        try context.save()
        let found = try ModelContext(container).fetch(FetchDescriptor<Booking>(sortBy: [SortDescriptor(\.room), SortDescriptor(\.day)]))
        #expect(found.map(\.guest) == ["Cy", "Bo", "Di"])
    }

    @Test func aRelationshipOutOfItsBoundsFailsTheSaveByName() throws {
        let context = ModelContext(try container())
        let team = Team(name: "t")
        context.insert(team)
        let none = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect("\(try #require(none))".contains("a new Team cannot be saved: Team.members has 0 models, but 1 to 2 are allowed"))
        team.members = [Player(name: "a"), Player(name: "b"), Player(name: "c")]
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        team.members.removeLast()
        try context.save()
        team.coaches = [Player(name: "d"), Player(name: "e")]
        let many = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        #expect("\(try #require(many))".contains("Team.coaches has 2 models"))
    }
}
