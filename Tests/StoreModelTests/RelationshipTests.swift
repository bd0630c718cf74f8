import Foundation
import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

private func libraryContext() throws -> ModelContext {
    ModelContext(
        try ModelContainer(
            for: Writer.self, Member.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
}

private func again(_ context: ModelContext) -> ModelContext { ModelContext(context.container) }

@Suite struct OneToManyTests {
    @Test func settingTheToOneFillsTheToMany() throws {
        let context = ModelContext(try memoryContainer())
        let (folder, note) = (Folder(name: "F"), Note(title: "a"))
        context.insert(folder)
        context.insert(note)
        note.folder = folder
        #expect(folder.notes.map(\.title) == ["a"])
        try context.save()
        #expect(folder.notes.map(\.title) == ["a"])
        let found = try #require(try again(context).fetch(FetchDescriptor<Folder>()).first)
        #expect(found.notes.map(\.title) == ["a"])
        #expect(found.notes.first?.folder === found)
    }

    @Test func settingTheToManySetsTheToOnes() throws {
        let context = ModelContext(try memoryContainer())
        let (one, two) = (Folder(name: "1"), Folder(name: "2"))
        context.insert(one)
        context.insert(two)
        one.notes = [Note(title: "a"), Note(title: "b")]
        one.notes.append(Note(title: "c"))
        try context.save()
        #expect(one.notes.map(\.title).sorted() == ["a", "b", "c"])
        #expect(one.notes.allSatisfy { $0.folder === one })
        two.notes = [one.notes[0]]
        #expect(one.notes.count == 2 && two.notes.count == 1)
        one.notes.removeAll()
        #expect(one.notes.isEmpty)
        try context.save()
        let folders = try again(context).fetch(FetchDescriptor<Folder>(sortBy: [SortDescriptor(\.name)]))
        #expect(folders.map(\.notes.count) == [0, 1])
        #expect(try again(context).fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.folder == nil })) == 2)
    }

    @Test func insertingTheRootInsertsTheGraph() throws {
        let context = ModelContext(try memoryContainer())
        let folder = Folder(name: "F")
        let note = Note(title: "a", folder: folder)
        note.tags = [Label(name: "x"), Label(name: "y")]
        context.insert(note)
        #expect(context.insertedModelsArray.count == 4)
        #expect(folder.notes.first === note)
        try context.save()
        let found = try #require(try again(context).fetch(FetchDescriptor<Note>()).first)
        #expect(found.folder?.name == "F")
        #expect(Set(found.tags.map(\.name)) == ["x", "y"])
        #expect(found.tags.first?.notes.first === found)
    }

    @Test func relatingANewModelToASavedOneInsertsIt() throws {
        let context = ModelContext(try memoryContainer())
        let folder = Folder(name: "F")
        context.insert(folder)
        try context.save()
        folder.notes.append(Note(title: "late"))
        #expect(context.insertedModelsArray.count == 1)
        try context.save()
        #expect(try again(context).fetchCount(FetchDescriptor<Note>()) == 1)
    }

    @Test func movingATargetWhoseOldOwnerIsNotLoadedShowsInBoth() throws {
        let writer = ModelContext(try memoryContainer())
        let (one, two) = (Folder(name: "1"), Folder(name: "2"))
        writer.insert(one)
        writer.insert(two)
        one.notes = [Note(title: "a")]
        try writer.save()
        let context = again(writer)
        let note = try #require(try context.fetch(FetchDescriptor<Note>()).first)
        note.folder = try context.fetch(FetchDescriptor<Folder>(predicate: #Predicate { $0.name == "2" })).first
        let folders = try context.fetch(FetchDescriptor<Folder>(sortBy: [SortDescriptor(\.name)]))
        #expect(folders.map(\.notes.count) == [0, 1])
    }

    @Test func aSaveInAnotherContextIsSeenByTheToMany() throws {
        let context = ModelContext(try memoryContainer())
        let folder = Folder(name: "F")
        context.insert(folder)
        try context.save()
        #expect(folder.notes.isEmpty)
        let other = again(context)
        let twin = try #require(try other.fetch(FetchDescriptor<Folder>()).first)
        other.insert(Note(title: "a", folder: twin))
        try other.save()
        #expect(folder.notes.map(\.title) == ["a"])
    }

    @Test func aModelOfAnotherContextIsTakenAsThisContextsOwn() throws {
        let context = ModelContext(try memoryContainer())
        context.insert(Folder(name: "F"))
        try context.save()
        let folder = try #require(try context.fetch(FetchDescriptor<Folder>()).first)
        let other = again(context)
        let note = Note(title: "a")
        other.insert(note)
        note.folder = folder
        #expect(note.folder !== folder && note.folder?.name == "F")
        try other.save()
        #expect(folder.notes.count == 1)
    }
}

@Suite struct OtherRelationshipTests {
    @Test func oneToOneKeepsBothSidesAndTakesFromTheFormerOwner() throws {
        let context = try libraryContext()
        let (a, b, home) = (Writer(name: "a"), Writer(name: "b"), Home(street: "s"))
        context.insert(a)
        context.insert(b)
        a.address = home
        #expect(home.owner === a)
        try context.save()
        home.owner = b
        #expect(a.address == nil && b.address === home)
        try context.save()
        let found = try again(context).fetch(FetchDescriptor<Writer>(sortBy: [SortDescriptor(\.name)]))
        #expect(found[0].address == nil && found[1].address?.street == "s")
        #expect(found[1].address?.owner === found[1])
    }

    @Test func manyToManyKeepsBothSides() throws {
        let context = ModelContext(try memoryContainer())
        let notes = (0..<3).map { Note(title: "\($0)") }
        let labels = (0..<3).map { Label(name: "\($0)") }
        notes.forEach { context.insert($0) }
        labels.forEach { context.insert($0) }
        notes[0].tags = labels
        labels[0].notes.append(notes[1])
        try context.save()
        #expect(Set(labels[0].notes.map(\.title)) == ["0", "1"])
        #expect(notes[1].tags.map(\.name) == ["0"])
        notes[0].tags.removeAll { $0 === labels[0] }
        #expect(labels[0].notes.map(\.title) == ["1"])
        try context.save()
        let found = try again(context).fetch(FetchDescriptor<Label>(sortBy: [SortDescriptor(\.name)]))
        #expect(found.map { $0.notes.map(\.title) } == [["1"], ["0"], ["0"]])
    }

    @Test func manyToManyWithinOneModelHasTwoDirections() throws {
        let context = try libraryContext()
        let (a, b) = (Member(name: "a"), Member(name: "b"))
        context.insert(a)
        context.insert(b)
        a.follows = [b]
        try context.save()
        let found = try again(context).fetch(FetchDescriptor<Member>(sortBy: [SortDescriptor(\.name)]))
        #expect(found[0].follows.map(\.name) == ["b"] && found[0].followers.isEmpty)
        #expect(found[1].followers.map(\.name) == ["a"] && found[1].follows.isEmpty)
    }

    @Test func aToManyWithoutInverseHasItsPairs() throws {
        let context = try libraryContext()
        let author = Writer(name: "a")
        let book = Novel(title: "t", author: author)
        book.readers = [Fan(name: "r"), Fan(name: "s")]
        context.insert(book)
        try context.save()
        let other = again(context)
        let found = try #require(try other.fetch(FetchDescriptor<Novel>()).first)
        #expect(Set(found.readers.map(\.name)) == ["r", "s"])
        #expect(found.author.name == "a")
        other.delete(found.readers[0])
        try other.save()
        #expect(try again(context).fetch(FetchDescriptor<Novel>()).first?.readers.count == 1)
    }

    @Test func anOptionalToManyWorksLikeAnother() throws {
        let context = try libraryContext()
        let author = Writer(name: "a")
        let book = Novel(title: "t", author: author)
        context.insert(book)
        #expect(author.books?.map(\.title) == ["t"])
        try context.save()
        #expect(try again(context).fetch(FetchDescriptor<Writer>()).first?.books?.count == 1)
    }
}

@Suite struct DeleteRuleTests {
    @Test func cascadeDeletesTheTargets() throws {
        let context = ModelContext(try memoryContainer())
        let folder = Folder(name: "F")
        context.insert(folder)
        folder.notes = [Note(title: "a"), Note(title: "b")]
        context.insert(Note(title: "free"))
        try context.save()
        context.delete(folder)
        #expect(try context.fetch(FetchDescriptor<Note>()).map(\.title) == ["free"])
        try context.save()
        #expect(try again(context).fetch(FetchDescriptor<Note>()).map(\.title) == ["free"])
    }

    @Test func cascadeGoesDownATree() throws {
        let context = try libraryContext()
        let root = Member(name: "root")
        context.insert(root)
        var parent = root
        for number in 0..<50 {
            let child = Member(name: "\(number)")
            child.parent = parent
            parent = child
        }
        try context.save()
        context.delete(root)
        try context.save()
        #expect(try again(context).fetchCount(FetchDescriptor<Member>()) == 0)
    }

    @Test func nullifyEmptiesTheOtherSide() throws {
        let context = try libraryContext()
        let author = Writer(name: "a")
        let book = Novel(title: "t", author: author)
        book.chapters = [Chapter(title: "1"), Chapter(title: "2")]
        context.insert(book)
        try context.save()
        let other = again(context)
        other.delete(try #require(try other.fetch(FetchDescriptor<Novel>()).first))
        try other.save()
        let chapters = try again(context).fetch(FetchDescriptor<Chapter>())
        #expect(chapters.count == 2 && chapters.allSatisfy { $0.book == nil })
    }

    @Test func denyRefusesTheSaveUntilTheTargetsAreGone() throws {
        let context = try libraryContext()
        let author = Writer(name: "a")
        let book = Novel(title: "t", author: author)
        context.insert(book)
        try context.save()
        context.delete(author)
        let error = #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(error?.description.contains("books") == true)
        context.delete(book)
        try context.save()
        #expect(try again(context).fetchCount(FetchDescriptor<Writer>()) == 0)
    }

    @Test func noActionLeavesTheTargetsAlone() throws {
        let context = try libraryContext()
        let book = Novel(title: "t", author: Writer(name: "a"))
        book.shelf = Board(name: "s")
        context.insert(book)
        try context.save()
        context.delete(try #require(book.shelf))
        try context.save()
        #expect(book.shelf == nil)
    }

    @Test func aRequiredTargetThatIsTakenAwayIsRefusedAtTheSave() throws {
        let context = try libraryContext()
        let author = Writer(name: "a")
        let book = Novel(title: "t", author: author)
        context.insert(book)
        try context.save()
        author.books = []
        let error = #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(error?.description.contains("Novel has no author") == true)
        context.rollback()
        #expect(book.author === author && author.books?.count == 1)
    }

    @Test func deletingBothSidesOfAManyToManyLeavesNoPairs() throws {
        let context = ModelContext(try memoryContainer())
        let note = Note(title: "a")
        note.tags = [Label(name: "x")]
        context.insert(note)
        try context.save()
        context.delete(note)
        try context.save()
        let label = try #require(try again(context).fetch(FetchDescriptor<Label>()).first)
        #expect(label.notes.isEmpty)
        let pairs = try context.container.stores[0].storage.read { try $0.scalar("SELECT count(*) FROM Label_notes")?.integer }
        #expect(pairs == 0)
    }
}
