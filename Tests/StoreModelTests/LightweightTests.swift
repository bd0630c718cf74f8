import Foundation
import PlanHarness
import StoreShared
import SwiftData
import Testing

@testable import StoreModel

/// What a stage without code takes and refuses, and what tells versions apart.
@Suite struct LightweightTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func fill(_ version: any VersionedSchema.Type, _ models: () throws -> [any PersistentModel]) throws {
        let container = try folder.owner(version)
        defer { container.close() }
        let context = ModelContext(container)
        for model in try models() { context.insert(model) }
        try context.save()
    }

    @Test func aLightweightStageTakesWhatLosesNoMeaning() throws {
        try fill(Accepted.Old.self) {
            let (item, shelf) = (Accepted.Old.Item(name: "a", required: "r"), Accepted.Old.Shelf())
            item.shelf = shelf
            item.spare = shelf
            let book = Accepted.Old.Book()
            book.title = "b"
            return [item, shelf, Accepted.Old.Gone(), book]
        }
        let container = try folder.owner(Accepted.New.self, Lightweight<Accepted.Old, Accepted.New>.self)
        defer { container.close() }
        let context = ModelContext(container)
        let item = try #require(try context.fetch(FetchDescriptor<Accepted.New.Item>()).first)
        // Renamed, optional from required, added with and without a default, added as a relationship, kept as one.
        #expect(item.label == "a" && item.required == "r" && item.rank == 4 && item.note == nil && item.fresh == nil)
        let shelf = try #require(item.shelf)
        // A subclass of a model that was there.
        let novel = Accepted.New.Novel()
        novel.title = "n"
        context.insert(novel)
        item.fresh = Accepted.New.Fresh()
        try context.save()
        #expect(
            try context.fetch(FetchDescriptor<Accepted.New.Book>(sortBy: [SortDescriptor(\.title)])).map { $0 is Accepted.New.Novel } == [
                false, true,
            ])
        // The new delete rule.
        context.delete(shelf)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Accepted.New.Item>()) == 0)
    }

    @Test func freedNamesAreTakenByOthersAndNamesAreSwapped() throws {
        try fill(FreedNames.Old.self) {
            let item = FreedNames.Old.Item(key: "k", value: 7, left: "L", right: "R")
            item.main = FreedNames.Old.Part(name: "main")
            item.parts = ["p", "q"].map { FreedNames.Old.Part(name: $0) }
            return [item, FreedNames.Old.Mark(number: 5)]
        }
        do {
            let container = try folder.owner(FreedNames.New.self, Lightweight<FreedNames.Old, FreedNames.New>.self)
            defer { container.close() }
            let context = ModelContext(container)
            let item = try #require(try context.fetch(FetchDescriptor<FreedNames.New.Item>()).first)
            #expect(item.number == 7 && item.value == "new" && item.left == "R" && item.right == "L")
            #expect(item.former?.name == "main" && item.main == nil)
            #expect(Set(item.pieces.map(\.name)) == ["p", "q"] && item.parts.isEmpty)
            item.main = FreedNames.New.Other(title: "other")
            item.parts = [FreedNames.New.Other(title: "o")]
            try context.save()
            #expect(item.former?.name == "main" && item.pieces.count == 2)
        }
        let container = try folder.owner(FreedNames.Third.self, Lightweight<FreedNames.New, FreedNames.Third>.self)
        defer { container.close() }
        let context = ModelContext(container)
        #expect(try context.fetchCount(FetchDescriptor<FreedNames.Third.Mark>()) == 0)
        context.insert(FreedNames.Third.Mark(text: "again"))
        try context.save()
        let item = try #require(try context.fetch(FetchDescriptor<FreedNames.New.Item>()).first)
        #expect(item.number == 7 && item.left == "R" && item.main?.title == "other" && item.parts.count == 1)
    }

    /// The swap stays in the source for good: an edit of the version, with or without another number, must not do it once more.
    @Test(arguments: [Swapped.Edited.self, Swapped.Renumbered.self] as [any VersionedSchema.Type])
    func namesThatHaveBeenSwappedAreNotSwappedAgainByAnEdit(_ edited: any VersionedSchema.Type) throws {
        try fill(Swapped.Old.self) { [Swapped.Old.Item(left: "L", right: "R")] }
        do {
            let container = try folder.owner(Swapped.New.self, Lightweight<Swapped.Old, Swapped.New>.self)
            defer { container.close() }
            let items = try ModelContext(container).fetch(FetchDescriptor<Swapped.New.Item>())
            #expect(items.map(\.left) == ["R"] && items.map(\.right) == ["L"])
        }
        let container = try folder.owner(edited)
        defer { container.close() }
        let items = try ModelContext(container).fetch(FetchDescriptor<Swapped.Edited.Item>())
        #expect(items.map(\.left) == ["R"] && items.map(\.right) == ["L"] && items.map(\.note) == [nil])
    }

    @Test func aLightweightStageRefusesAValueThatItsNewTypeCannotHold() throws {
        try fill(Values.Text.self) { [Values.Text.Item(value: "12"), Values.Text.Item(value: "twelve")] }
        let error = #expect(throws: StoreError.self) { try folder.owner(Values.Number.self, Lightweight<Values.Text, Values.Number>.self) }
        #expect(
            error?.description.contains("value") == true && error?.description.contains("twelve") == true, "\(String(describing: error))")
        let container = try folder.owner(Values.Text.self)
        defer { container.close() }
        #expect(try ModelContext(container).fetch(FetchDescriptor<Values.Text.Item>()).map(\.value) == ["12", "twelve"])
    }

    @Test func aLightweightStageRefusesNilInWhatBecomesRequired() throws {
        try fill(Values.Text.self) { [Values.Text.Item(value: "a"), Values.Text.Item(value: nil)] }
        let error = #expect(throws: StoreError.self) {
            try folder.owner(Values.Required.self, Lightweight<Values.Text, Values.Required>.self)
        }
        #expect(error?.description.contains("value") == true, "\(String(describing: error))")
        do {
            let container = try folder.owner(Values.Text.self)
            defer { container.close() }
            let context = ModelContext(container)
            for item in try context.fetch(FetchDescriptor<Values.Text.Item>()) where item.value == nil { item.value = "b" }
            try context.save()
        }
        let container = try folder.owner(Values.Required.self, Lightweight<Values.Text, Values.Required>.self)
        defer { container.close() }
        #expect(try ModelContext(container).fetch(FetchDescriptor<Values.Required.Item>()).map(\.value) == ["a", "b"])
    }

    @Test func twoPropertiesThatClaimOneOriginalNameAreRefused() throws {
        try fill(Values.Text.self) { [Values.Text.Item(value: "a")] }
        let error = #expect(throws: StoreError.self) {
            try folder.owner(Values.ClaimedTwice.self, Lightweight<Values.Text, Values.ClaimedTwice>.self)
        }
        #expect(
            error?.description.contains("first") == true && error?.description.contains("second") == true, "\(String(describing: error))")
    }

    // MARK: What tells versions apart

    @Test func whatEntersTheFingerprintAndWhatDoesNot() throws {
        func fingerprint(_ type: any PersistentModel.Type) throws -> Fingerprint { try Schema([type]).mapping().snapshot().fingerprint }
        let plain = try fingerprint(Counting.Plain.Item.self)
        // Defaults, original names, what stays on deletion, the order.
        #expect(try fingerprint(Counting.Told.Item.self) == plain)
        let different: [any PersistentModel.Type] = [
            Counting.Nullable.Item.self, Counting.Typed.Item.self, Counting.Unique.Item.self, Counting.More.Item.self,
        ]
        let others = try different.map(fingerprint)
        #expect(Set(others + [plain]).count == 5)
    }

    /// `ModelContainer(for: Types…)` has the number 1.0.0, whichever version its models are.
    @Test func theFingerprintTellsWhichVersionAContainerIsFor() throws {
        try folder.fill()
        let container = try ModelContainer(for: PlanV3.Note.self, migrationPlan: NotePlan.self, configurations: folder.configuration())
        try ThreeWays(TypedPlan(Schema([PlanV3.Note.self]).mapping(), NotePlan.self).plan).check()
        let version = try #require(PublishedRecord.read(from: StoreLocation(path: folder.store.path)).record).version
        #expect(container.schema.version == Schema.Version(1, 0, 0) && version == SchemaVersion(3, 0, 0))
        #expect(try ModelContext(container).fetch(FetchDescriptor<PlanV3.Note>()).allSatisfy { $0.length > 0 })
        container.close()
        // And the number alone opens nothing.
        #expect(throws: StoreError.self) { try folder.owner(PlanV1.self, NotePlan.self) }
    }

    /// Entities belong to a schema: neither does the first class of a name stand for all, nor does a class belong to one version.
    @Test func classesOfOneNameAndOneClassInTwoSchemasStandBesideEachOther() throws {
        let memory = ModelConfiguration(isStoredInMemoryOnly: true)
        let first = ModelContext(try ModelContainer(for: Schema(versionedSchema: PlanV1.self), configurations: [memory]))
        let last = ModelContext(try ModelContainer(for: Schema(versionedSchema: PlanV4.self), configurations: [memory]))
        first.insert(PlanV1.Note(key: "a", text: Data("text".utf8)))
        last.insert(PlanV4.Note(key: "b", body: "body"))
        try first.save()
        try last.save()
        #expect(try first.fetch(FetchDescriptor<PlanV1.Note>(predicate: #Predicate { $0.key == "a" })).map(\.text) == [Data("text".utf8)])
        #expect(try last.fetch(FetchDescriptor<PlanV4.Note>(predicate: #Predicate { $0.key == "b" })).map(\.body) == ["body"])
        #expect(Schema.entityName(for: PlanV1.Note.self) == Schema.entityName(for: PlanV4.Note.self))

        let alone = ModelContext(try ModelContainer(for: Schema([Booking.self]), configurations: [memory]))
        let together = ModelContext(try ModelContainer(for: Schema([Marker.self, Booking.self]), configurations: [memory]))
        for context in [alone, together] {
            context.insert(Booking(room: "A", day: 1, guest: "g"))
            try context.save()
            #expect(try context.fetch(FetchDescriptor<Booking>()).map(\.guest) == ["g"])
        }
    }

    // MARK: History

    /// The history of what a version drops goes with it; the rest stays whole, and tokens do not expire.
    @Test func theHistoryGoesOnThroughAMigrationThatDropsAModel() throws {
        typealias Token = DefaultHistoryToken
        let token: Token
        do {
            let container = try folder.owner(FreedNames.Old.self)
            defer { container.close() }
            let context = ModelContext(container)
            context.insert(FreedNames.Old.Mark(number: 1))
            try context.save()
            context.insert(FreedNames.Old.Item(key: "k", value: 1, left: "", right: ""))
            context.insert(FreedNames.Old.Mark(number: 2))
            try context.save()
            token = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).first).token
        }
        let container = try folder.owner(FreedNames.New.self, Lightweight<FreedNames.Old, FreedNames.New>.self)
        defer { container.close() }
        let context = ModelContext(container)
        context.insert(FreedNames.New.Item(key: "l"))
        try context.save()
        let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(all.map(\.transactionIdentifier) == [1, 2, 3] && all.map(\.changes.count) == [0, 1, 1])
        let later = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
        #expect(later.map(\.transactionIdentifier) == [2, 3])
    }
}
