import Foundation
import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

/// What is read with a fetch, and what later: counted in statements.
@Suite struct PrefetchingTests {
    let container: ModelContainer

    /// 40 notes in 8 folders, each with two of ten labels.
    init() throws {
        container = try ModelContainer(for: Folder.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let folders = (0..<8).map { Folder(name: "f\($0)") }
        let labels = (0..<10).map { Label(name: "l\($0)") }
        folders.forEach(context.insert)
        labels.forEach(context.insert)
        for number in 0..<40 {
            let note = Note(title: "n\(number)")
            context.insert(note)
            note.body = "body \(number)"
            note.folder = number % 9 == 8 ? nil : folders[number % 8]
            note.tags = [labels[number % 10], labels[(number + 3) % 10]]
        }
        try context.save()
    }

    /// How many statements run in `body`.
    private func runs(_ body: () throws -> Void) rethrows -> Int {
        let before = container.statementCounts.runs
        try body()
        return container.statementCounts.runs - before
    }

    @Test func oneQueryForTheModelsAndOneForEachPrefetchedRelationship() throws {
        for limit in [3, 40] {
            let context = ModelContext(container)
            var descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)])
            descriptor.fetchLimit = limit
            descriptor.relationshipKeyPathsForPrefetching = [\.folder, \.tags]
            var notes: [Note] = []
            #expect(try runs { notes = try context.fetch(descriptor) } == 3)
            #expect(notes.count == limit)
            #expect(runs { for note in notes { _ = (note.folder?.name, note.tags.map(\.name)) } } == 0)
            #expect(notes.allSatisfy { $0.tags.count == 2 })
        }
    }

    @Test func aToManyWhoseOtherSideIsAToOneIsPrefetchedToo() throws {
        let context = ModelContext(container)
        var descriptor = FetchDescriptor<Folder>()
        descriptor.relationshipKeyPathsForPrefetching = [\.notes]
        var folders: [Folder] = []
        #expect(try runs { folders = try context.fetch(descriptor) } == 2)
        #expect(runs { for folder in folders { _ = folder.notes.map(\.title) } } == 0)
        let expected = Dictionary(grouping: (0..<40).filter { $0 % 9 != 8 }) { "f\($0 % 8)" }.mapValues { Set($0.map { "n\($0)" }) }
        for folder in folders { #expect(Set(folder.notes.map(\.title)) == expected[folder.name]) }
    }

    /// Without prefetching each is read when it is used; what was read once is not read again.
    @Test func withoutPrefetchingEachIsReadWhenItIsUsed() throws {
        let context = ModelContext(container)
        let folders = try context.fetch(FetchDescriptor<Folder>())
        #expect(runs { for folder in folders { _ = folder.notes } } >= 8)
    }

    @Test func pendingChangesShowInWhatWasPrefetched() throws {
        let context = ModelContext(container)
        let note = try #require(try context.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.title == "n1" })).first)
        let other = try #require(try context.fetch(FetchDescriptor<Folder>(predicate: #Predicate { $0.name == "f5" })).first)
        note.folder = other
        var descriptor = FetchDescriptor<Folder>(sortBy: [SortDescriptor(\.name)])
        descriptor.relationshipKeyPathsForPrefetching = [\.notes]
        let folders = try context.fetch(descriptor)
        #expect(folders[1].notes.contains { $0.title == "n1" } == false)
        #expect(folders[5].notes.contains { $0.title == "n1" })
        try context.save()
        #expect(try ModelContext(container).fetch(descriptor)[5].notes.contains { $0.title == "n1" })
    }

    @Test func whatIsNoRelationshipIsNamed() throws {
        var descriptor = FetchDescriptor<Note>()
        descriptor.relationshipKeyPathsForPrefetching = [\.title]
        let error = #expect(throws: SwiftDataError.unsupportedKeyPath) { try ModelContext(container).fetch(descriptor) }
        #expect("\(try #require(error))".contains("Note.title"))
        descriptor.relationshipKeyPathsForPrefetching = []
        descriptor.propertiesToFetch = [\.doubled]
        let other = #expect(throws: SwiftDataError.unsupportedKeyPath) { try ModelContext(container).fetch(descriptor) }
        let said = "\(try #require(other))"
        #expect(said.contains("Int") && !said.contains("0x"))
    }

    // MARK: Properties

    @Test func whatIsNotAskedForIsReadAtItsFirstUse() throws {
        let context = ModelContext(container)
        var descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.uuid)])
        descriptor.propertiesToFetch = [\.title, \.count]
        var notes: [Note] = []
        #expect(try runs { notes = try context.fetch(descriptor) } == 1)
        #expect(runs { for note in notes { _ = (note.title, note.count) } } == 0)
        var body: String?
        #expect(runs { body = notes[0].body } == 1)
        #expect(body == "body \(notes[0].title.dropFirst())")
        #expect(runs { _ = (notes[0].body, notes[0].created, notes[0].priority, notes[0].words) } == 0)
        // A relationship is always there to be followed.
        #expect(notes.filter { $0.folder == nil }.count == 4)
    }

    @Test func aPartOfAModelIsChangedAndSavedAsAWhole() throws {
        let context = ModelContext(container)
        var descriptor = FetchDescriptor<Note>(predicate: #Predicate { $0.title == "n7" })
        descriptor.propertiesToFetch = [\.title]
        let note = try #require(try context.fetch(descriptor).first)
        note.title = "changed"
        note.count += 5
        try context.save()
        let stored = try #require(try ModelContext(container).fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.count == 5 })).first)
        #expect(stored.title == "changed" && stored.body == "body 7" && stored.folder?.name == "f7")
        note.title = "again"
        context.rollback()
        #expect(note.title == "changed" && note.body == "body 7")
        // A model that is known keeps its pending changes, and is refreshed when it has none.
        note.body = "mine"
        descriptor.predicate = #Predicate { $0.count == 5 }
        #expect(try context.fetch(descriptor).first?.body == "mine")
        try context.save()
        #expect(try context.fetch(descriptor).first?.body == "mine")
    }

    @Test func aRowThatIsGoneWhenTheRestIsReadIsTold() throws {
        let context = ModelContext(container), other = ModelContext(container)
        var descriptor = FetchDescriptor<Note>(predicate: #Predicate { $0.title == "n3" })
        descriptor.propertiesToFetch = [\.title]
        let note = try #require(try context.fetch(descriptor).first)
        try other.delete(#require(try other.fetch(descriptor).first))
        try other.save()
        #expect(note.title == "n3" && note.body == nil)
        let error = #expect(throws: SwiftDataError.self) { try context.fetch(descriptor) }
        #expect("\(try #require(error))".contains("has been deleted"))
    }

    // MARK: Batches

    @Test func batchesAreReadWhenTheyAreAskedFor() throws {
        let context = ModelContext(container)
        var descriptor = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.persistentModelID)])
        descriptor.relationshipKeyPathsForPrefetching = [\.folder]
        var notes: FetchResultsCollection<Note>?
        // How many there are, which are counted first, and which.
        #expect(try runs { notes = try context.fetch(descriptor, batchSize: 10) } == 2)
        let found = try #require(notes)
        var titles: [String] = []
        #expect(runs { titles = [found[12].title] } == 2)
        #expect(runs { titles.append(found[19].title) } == 0)
        #expect(found.count == 40 && titles == ["n12", "n19"])
        // At most one for the models of each batch and one for their folders: what is still held is not read again.
        #expect(runs { titles = found.map(\.title) } <= 8)
        #expect(titles == (0..<40).map { "n\($0)" })
        let identifiers = try context.fetchIdentifiers(descriptor, batchSize: 7)
        #expect(Array(identifiers) == Array(found).map(\.persistentModelID))
    }

    @Test func batchesDoNotMixWithPendingChanges() throws {
        let context = ModelContext(container)
        context.insert(Folder(name: "new"))
        var descriptor = FetchDescriptor<Folder>()
        #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) { try context.fetch(descriptor, batchSize: 2) }
        #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) { try context.fetchIdentifiers(descriptor, batchSize: 2) }
        descriptor.includePendingChanges = false
        #expect(try context.fetch(descriptor, batchSize: 2).count == 8)
    }

    @Test func aRowThatIsDeletedBeforeItsBatchIsReadIsTold() throws {
        let context = ModelContext(container), other = ModelContext(container)
        let found = try context.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.persistentModelID)]), batchSize: 10)
        for note in try other.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.title == "n25" })) { other.delete(note) }
        try other.save()
        #expect(found[24].title == "n24" && found[25].title == "" && found[25].modelContext == nil && found[26].title == "n26")
        let error = #expect(throws: SwiftDataError.self) { try context.fetch(FetchDescriptor<Note>()) }
        #expect("\(try #require(error))".contains("1 of 10 rows of Note"))
    }

    /// A reader's lists are stale at once, as its owner may have committed; what was prefetched still is read once.
    @Test func aReaderPrefetchesToo() throws {
        let folder = try TestFolder()
        let owner = try ModelContainer(for: Folder.self, configurations: folder.configuration())
        defer { owner.close() }
        let context = ModelContext(owner)
        let filled = Folder(name: "a")
        context.insert(filled)
        filled.notes = [Note(title: "x"), Note(title: "y")]
        try context.save()
        let reader = try ModelContainer(for: Folder.self, configurations: folder.configuration(allowsSave: false))
        defer { reader.close() }
        let reading = ModelContext(reader)
        var descriptor = FetchDescriptor<Folder>()
        descriptor.relationshipKeyPathsForPrefetching = [\.notes]
        let read = try #require(try reading.fetch(descriptor).first)
        filled.notes.append(Note(title: "z"))
        try context.save()
        #expect(read.notes.count == 2)
        #expect(read.notes.count == 3)
    }
}
