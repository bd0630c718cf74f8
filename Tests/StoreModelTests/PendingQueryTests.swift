import Foundation
import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

/// Pending rows, and rows that are related to them, follow the rule of stored ones.
@Suite struct PendingQueryTests {
    private let context: ModelContext

    init() throws {
        context = ModelContext(try ModelContainer(for: Sample.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    }

    private func found(_ predicate: Predicate<Sample>, _ order: SortDescriptor<Sample>...) throws -> [Int] {
        let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: order)).map(\.a)
        #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == found.count)
        #expect(try context.fetchIdentifiers(FetchDescriptor(predicate: predicate)).count == found.count)
        return order.isEmpty ? found.sorted() : found
    }

    private func filled() throws -> (Holder, [Sample]) {
        let holder = Holder(name: "trash")
        context.insert(holder)
        let samples = (1...4).map { Sample(a: $0, b: 1, text: "t\($0)") }
        for sample in samples { context.insert(sample) }
        samples[0].holder = holder
        samples[1].holder = holder
        try context.save()
        return (holder, samples)
    }

    @Test func aBatchDeleteJudgesByWhatIsPendingInRelatedModels() throws {
        let (holder, _) = try filled()
        holder.name = "keep"
        try context.delete(model: Sample.self, where: #Predicate { $0.holder?.name == "trash" })
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Sample>()) == 4)
        holder.name = "trash"
        try context.delete(model: Sample.self, where: #Predicate { $0.holder?.name == "trash" })
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Sample>()).map(\.a).sorted() == [3, 4])
    }

    @Test func anIdentifierThatIsNotSavedFindsItsOwnModelAndNoOther() throws {
        let (saved, _) = try filled()
        let holders = ["a", "b"].map { Holder(name: $0) }
        for holder in holders { context.insert(holder) }
        let added = (5...7).map { Sample(a: $0, b: 1, text: "t\($0)") }
        for sample in added { context.insert(sample) }
        added[2].holder = holders[1]
        let (id, ids) = (added[2].persistentModelID, [added[0].persistentModelID, added[1].persistentModelID])
        #expect(try found(#Predicate { $0.persistentModelID == id }) == [7])
        #expect(try found(#Predicate { $0.persistentModelID != id }) == [1, 2, 3, 4, 5, 6])
        #expect(try found(#Predicate { ids.contains($0.persistentModelID) }) == [5, 6])
        let (holderID, savedID) = (holders[1].persistentModelID, saved.persistentModelID)
        #expect(try found(#Predicate { $0.holder?.persistentModelID == holderID }) == [7])
        #expect(try found(#Predicate { $0.holder?.persistentModelID == savedID }) == [1, 2])
        let owning = FetchDescriptor<Holder>(predicate: #Predicate { $0.samples.contains { $0.persistentModelID == id } })
        #expect(try context.fetch(owning).map(\.name) == ["b"])
        // Of another entity, and of another context.
        #expect(try found(#Predicate { $0.persistentModelID == holderID || $0.persistentModelID == savedID }) == [])
        let stranger = Sample(a: 0, b: 0, text: "")
        ModelContext(context.container).insert(stranger)
        let strange = stranger.persistentModelID
        #expect(try found(#Predicate { $0.persistentModelID == strange }) == [])
        try context.delete(model: Sample.self, where: #Predicate { $0.persistentModelID == id })
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Sample>()).map(\.a).sorted() == [1, 2, 3, 4, 5, 6])
    }

    @Test func attributesOfChangedModelsCountWhereverTheyAreReached() throws {
        let (holder, samples) = try filled()
        holder.rank = 7
        #expect(try found(#Predicate { $0.holder?.rank == 7 }) == [1, 2])
        #expect(try found(#Predicate { $0.holder?.samples.contains { $0.a == 3 } == true }) == [])
        samples[1].a = 99
        samples[2].holder = holder
        #expect(try found(#Predicate { $0.holder?.samples.contains { $0.a == 99 } == true }) == [1, 3, 99])
        #expect(try context.fetch(FetchDescriptor<Holder>(predicate: #Predicate { $0.samples.contains { $0.a == 99 } })).count == 1)
        #expect(try context.fetchCount(FetchDescriptor<Holder>(predicate: #Predicate { $0.samples.count == 3 })) == 1)
        let added = Holder(name: "a")
        context.insert(added)
        samples[3].holder = added
        #expect(try found(#Predicate { $0.holder != nil }, SortDescriptor(\.holder?.name), SortDescriptor(\.a)) == [4, 1, 3, 99])
        added.name = "z"
        #expect(try found(#Predicate { $0.holder != nil }, SortDescriptor(\.holder?.name), SortDescriptor(\.a)) == [1, 3, 99, 4])
        context.delete(holder)
        #expect(try found(#Predicate { $0.holder == nil }) == [1, 3, 99])
    }

    @Test func pairsAndBytesCountAsTheyArePending() throws {
        let (holder, samples) = try filled()
        let marks = ["x", "y"].map { Mark(name: $0) }
        holder.marks = [marks[0]]
        samples[0].bytes = Data([1])
        let one: Data? = Data([1]), two: Data? = Data([2])
        func holders(_ name: String) throws -> Int {
            try context.fetchCount(FetchDescriptor<Holder>(predicate: #Predicate { $0.marks.contains { $0.name == name } }))
        }
        #expect(try holders("x") == 1)
        #expect(try found(#Predicate { $0.bytes == one }) == [1])
        try context.save()
        holder.marks = [marks[1]]
        samples[0].bytes = nil
        samples[1].bytes = Data([2])
        #expect(try holders("x") == 0 && holders("y") == 1)
        #expect(try found(#Predicate { $0.bytes == one }) == [] && found(#Predicate { $0.bytes == two }) == [2])
        context.delete(marks[1])
        #expect(try holders("y") == 0)
    }

    @Test func theWindowIsCutInTheOrderOfAll() throws {
        let (_, samples) = try filled()
        samples[3].a = 0
        for number in 5...7 { context.insert(Sample(a: number)) }
        var descriptor = FetchDescriptor<Sample>(sortBy: [SortDescriptor(\.a)])
        (descriptor.fetchOffset, descriptor.fetchLimit) = (1, 4)
        #expect(try context.fetch(descriptor).map(\.a) == [1, 2, 3, 5])
        #expect(try context.fetchCount(descriptor) == 4)
        // Rows that a sort calls equal come as they were inserted, new ones last.
        descriptor = FetchDescriptor(sortBy: [SortDescriptor(\.real)])
        #expect(try context.fetch(descriptor).map(\.a) == [1, 2, 3, 0, 5, 6, 7])
    }

    @Test func comparisonsAreThoseOfStoredRowsBeforeTheSave() throws {
        context.insert(Sample(a: 1, text: "e\u{301}"))
        for _ in 0..<2 {
            #expect(try found(#Predicate { $0.text == "é" }) == [])
            #expect(try found(#Predicate { $0.text == "e\u{301}" }) == [1])
            try context.save()
        }
    }

    /// What is pending is found through the index of its table, and the statement of an unrelated fetch is as it was.
    @Test func pendingChangesCostNoIndex() throws {
        let (holder, samples) = try filled()
        let core = context.core(for: Sample.self)
        samples[0].b = 5
        let overlay = try #require(PendingOverlay(core))
        let entity = try #require(core.layout.catalog.entity(named: "Sample"))
        let text = "t1"
        let statement = try FetchTranslation(
            of: entity, in: core.layout.catalog, where: #Predicate<Sample> { $0.text == text }, pending: overlay.shape
        ).select()
        let laid = overlay.laid(over: statement, of: entity.table)
        let plan = try core.openStorage().read { connection in
            try connection.rows("EXPLAIN QUERY PLAN " + laid.sql, laid.bindings).compactMap { $0.last?.text }
        }
        #expect(plan.contains { $0.contains("USING INDEX") && $0.contains("text=?") }, "\(plan)")
        let other = try FetchTranslation(
            of: try #require(core.layout.catalog.entity(named: "Holder")), in: core.layout.catalog,
            where: #Predicate<Holder> { $0.rank == 1 },
            pending: overlay.shape
        ).select()
        #expect(overlay.laid(over: other, of: "Holder") == other)
        withExtendedLifetime(holder) {}
    }
}
