import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

/// What undoing gives back where the context itself did not hold it.
@Suite struct UndoValueTests {
    private func context(_ types: any PersistentModel.Type...) throws -> (ModelContext, UndoManager) {
        let context = ModelContext(
            try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)]))
        let manager = UndoManager()
        context.undoManager = manager
        return (context, manager)
    }

    // MARK: Deletions

    @Test(arguments: [false, true]) func aDeletionThatIsUndoneIsInTheListsOfItsParents(isSaved: Bool) throws {
        let (context, manager) = try context(Member.self)
        let (root, a, b) = (Member(name: "r"), Member(name: "a"), Member(name: "b"))
        context.insert(root)
        root.children = [a, b]
        a.follows = [b, root]
        b.follows = [b]
        try context.save()
        manager.removeAllActions()
        context.delete(b)
        if isSaved { try context.save() } else { context.processPendingChanges() }
        #expect(root.children.map(\.name) == ["a"] && a.follows.map(\.name) == ["r"])
        manager.undo()
        func check(_ root: Member?) {
            #expect(root?.children.map(\.name).sorted() == ["a", "b"])
            for child in root?.children ?? [] {
                #expect(child.parent === root)
                #expect(child.follows.map(\.name).sorted() == (child.name == "a" ? ["b", "r"] : ["b"]))
                #expect(child.followers.map(\.name).sorted() == (child.name == "a" ? [] : ["a", "b"]))
            }
        }
        check(root)
        try context.save()
        check(root)
        let other = ModelContext(context.container)
        check(try other.fetch(FetchDescriptor<Member>(predicate: #Predicate { $0.name == "r" })).first)
        manager.redo()
        try context.save()
        #expect(root.children.map(\.name) == ["a"] && a.follows.map(\.name) == ["r"])
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Member>()) == 2)
    }

    @Test func afterAnUndoneDeletionTheParentsDeleteRuleHolds() throws {
        let (context, manager) = try context(Member.self)
        let (root, child) = (Member(name: "r"), Member(name: "a"))
        context.insert(root)
        root.children = [child]
        try context.save()
        context.delete(child)
        context.processPendingChanges()
        manager.undo()
        context.delete(root)
        try context.save()
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Member>()) == 0)
        manager.undo()
        try context.save()
        let stored = try ModelContext(context.container).fetch(FetchDescriptor<Member>(sortBy: [SortDescriptor(\.name)]))
        #expect(stored.map(\.name) == ["a", "r"] && stored.first?.parent === stored.last)
    }

    /// The same rule without an undo manager: inserting a deleted model takes its deletion back.
    @Test func insertingADeletedModelAgainConnectsIt() throws {
        let (context, _) = try context(Writer.self, Novel.self, Home.self, Chapter.self, Member.self)
        let (writer, home) = (Writer(name: "w"), Home(street: "s"))
        context.insert(writer)
        writer.address = home
        let novel = Novel(title: "n", author: writer)
        context.insert(novel)
        novel.chapters = [Chapter(title: "c")]
        try context.save()
        context.delete(home)
        #expect(writer.address == nil)
        context.insert(home)
        #expect(writer.address === home && home.owner === writer)
        // One whose target goes meanwhile has none.
        let chapter = try #require(novel.chapters.first)
        context.delete(chapter)
        context.delete(novel)
        context.insert(chapter)
        #expect(chapter.book == nil)
        try context.save()
        let other = ModelContext(context.container)
        #expect(try other.fetch(FetchDescriptor<Writer>()).first?.address?.street == "s")
        #expect(try other.fetchCount(FetchDescriptor<Chapter>(predicate: #Predicate { $0.book == nil })) == 1)
    }

    /// Taking it back and doing it again leads through the same states, and brings no deleted model back.
    @Test func aChangeOfADeletedModelIsAStepThatDoesNothing() throws {
        let (context, manager) = try context(Writer.self, Novel.self, Home.self, Chapter.self, Member.self)
        let (writer, home) = (Writer(name: "w"), Home(street: "s"))
        context.insert(writer)
        context.insert(home)
        try context.save()
        manager.removeAllActions()
        context.delete(home)
        context.processPendingChanges()
        home.owner = writer
        #expect(writer.address == nil)
        context.processPendingChanges()
        writer.name = "x"
        func check(_ names: [String], _ homes: Int) throws {
            try context.save()
            let other = ModelContext(context.container)
            #expect(try other.fetch(FetchDescriptor<Writer>()).map(\.name) == names)
            #expect(try other.fetchCount(FetchDescriptor<Home>()) == homes)
        }
        try check(["x"], 0)
        for _ in 0..<2 {
            for (name, homes) in [("w", 0), ("w", 0), ("w", 1)] {
                manager.undo()
                try check([name], homes)
            }
            #expect(!manager.canUndo)
            for (name, homes) in [("w", 0), ("w", 0), ("x", 0)] {
                manager.redo()
                try check([name], homes)
            }
            #expect(!manager.canRedo)
        }
    }

    // MARK: Upserts

    @Test(arguments: [true, false]) func undoingAnUpsertGivesTheRowItsFormerValues(isHeld: Bool) throws {
        let (context, manager) = try context(Account.self, AccountOwner.self)
        let setup = ModelContext(context.container)
        let (first, owner) = (Account(name: "a", balance: 1), AccountOwner(name: "one"))
        setup.insert(first)
        first.owner = owner
        try setup.save()
        let held = isHeld ? try context.fetch(FetchDescriptor<Account>()).first : nil
        let second = Account(name: "a", balance: 2)
        second.owner = AccountOwner(name: "two")
        context.insert(second)
        try context.save()
        #expect(second.balance == 2)
        manager.undo()
        #expect(second.balance == 1 && second.owner?.name == "one" && second.owner?.accounts.count == 1)
        if let held { #expect(held.balance == 1) }
        try context.save()
        func stored() throws -> [String] {
            let accounts = try ModelContext(context.container).fetch(FetchDescriptor<Account>())
            return accounts.map { "\($0.name) \($0.balance) \($0.owner?.name ?? "-")" }
        }
        #expect(try stored() == ["a 1 one"])
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<AccountOwner>()) == 1)
        manager.redo()
        try context.save()
        #expect(try stored() == ["a 2 two"])
    }

    @Test func undoingAnUpsertGivesListsAndBytesBack() throws {
        let (context, manager) = try context(Leaflet.self, LeafletPage.self, LeafletTopic.self)
        let setup = ModelContext(context.container)
        let first = Leaflet(code: 1)
        setup.insert(first)
        first.cover = Data([1, 2, 3])
        first.pages = [LeafletPage(number: 1)]
        first.topics = [LeafletTopic(name: "old")]
        try setup.save()
        let second = Leaflet(code: 1)
        second.cover = Data([9])
        second.pages = [LeafletPage(number: 2)]
        second.topics = [LeafletTopic(name: "new")]
        context.insert(second)
        try context.save()
        manager.undo()
        try context.save()
        let stored = try ModelContext(context.container).fetch(FetchDescriptor<Leaflet>())
        #expect(stored.count == 1 && stored.first?.cover == Data([1, 2, 3]))
        #expect(stored.first?.pages.map(\.number) == [1] && stored.first?.topics.map(\.name) == ["old"])
    }

    @Test func undoingTheSecondOfTwoInsertionsOfOneValueKeepsTheFirst() throws {
        let (context, manager) = try context(Account.self)
        let accounts = [Account(name: "a", balance: 1), Account(name: "a", balance: 2)]
        for account in accounts {
            context.insert(account)
            context.processPendingChanges()
        }
        try context.save()
        manager.undo()
        try context.save()
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Account>()).map(\.balance) == [1])
        manager.undo()
        try context.save()
        #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Account>()) == 0)
    }

    @Test func anUpsertThatWasNotSavedLeavesNothingToGiveBack() throws {
        let (context, manager) = try context(Account.self, AccountOwner.self)
        context.insert(Account(name: "a"))
        try context.save()
        let second = Account(name: "a", balance: 2)
        context.insert(second)
        context.uniqueClash = .fails
        #expect(throws: SwiftDataError.self) { try context.save() }
        second.name = "b"
        try context.save()
        manager.undo()
        manager.undo()
        try context.save()
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Account>()).map(\.name) == ["a"])
    }

    // MARK: Bytes, and what does not decode

    @Test func bytesThatNobodyHadReadComeBack() throws {
        let (context, manager) = try context(Photo.self)
        let setup = ModelContext(context.container)
        let photo = Photo(title: "p")
        setup.insert(photo)
        (photo.original, photo.preview) = (Data(repeating: 7, count: 100_000), Data([3]))
        try setup.save()
        let mine = try #require(try context.fetch(FetchDescriptor<Photo>()).first)
        (mine.original, mine.preview) = (Data([1]), Data())
        try context.save()
        mine.original = nil
        context.processPendingChanges()
        manager.undo()
        #expect(mine.original == Data([1]))
        manager.undo()
        #expect(mine.original?.count == 100_000 && mine.preview == Data([3]))
        try context.save()
        func stored() throws -> [Data?] {
            try ModelContext(context.container).fetch(FetchDescriptor<Photo>()).flatMap { [$0.original, $0.preview] }
        }
        #expect(try stored() == [Data(repeating: 7, count: 100_000), Data([3])])
        // And with a whole model.
        let again = ModelContext(context.container)
        again.undoManager = manager
        again.delete(try #require(try again.fetch(FetchDescriptor<Photo>()).first))
        try again.save()
        #expect(try stored().isEmpty)
        manager.undo()
        try again.save()
        #expect(try stored() == [Data(repeating: 7, count: 100_000), Data([3])])
    }

    @Test func undoingAChangeOfWhatDoesNotDecodeGivesItBackToTheStore() throws {
        let (context, manager) = try context(Folder.self)
        context.insert(Note(title: "n"))
        try context.save()
        func mood() throws -> StoreSQLite.Value? {
            try context.core.openStorage().read { try $0.scalar("SELECT mood FROM Note") }
        }
        try context.core.openStorage().write(changing: []) { try $0.run("UPDATE Note SET mood = 'gloomy'") }
        let other = ModelContext(context.container)
        other.undoManager = manager
        let note = try #require(try other.fetch(FetchDescriptor<Note>()).first)
        note.mood = .calm
        try other.save()
        #expect(try mood() == .text("calm"))
        manager.undo()
        #expect(note.mood == nil)
        #expect(throws: SwiftDataError.self) { try other.save() }
        try other.save()
        #expect(try mood() == .text("gloomy"))
        manager.redo()
        #expect(note.mood == .calm)
        try other.save()
        #expect(try mood() == .text("calm"))
    }
}

@Model final class Leaflet {
    @Attribute(.unique) var code: Int
    @Attribute(.externalStorage) var cover: Data?
    @Relationship(deleteRule: .cascade, inverse: \LeafletPage.leaflet) var pages: [LeafletPage] = []
    @Relationship(inverse: \LeafletTopic.leaflets) var topics: [LeafletTopic] = []
    init(code: Int) { self.code = code }
}

@Model final class LeafletPage {
    var number: Int
    var leaflet: Leaflet?
    init(number: Int) { self.number = number }
}

@Model final class LeafletTopic {
    var name: String
    var leaflets: [Leaflet] = []
    init(name: String) { self.name = name }
}
