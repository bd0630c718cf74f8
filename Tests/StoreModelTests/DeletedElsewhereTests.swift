import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

/// What a save does about rows that another context has deleted since they were read.
@Suite struct DeletedElsewhereTests {
    private let container: ModelContainer
    private let here: ModelContext
    private let there: ModelContext

    init() throws {
        let types: [any PersistentModel.Type] = [Folder.self, Writer.self, Novel.self, Member.self, Photo.self, Team.self]
        container = try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
        (here, there) = (ModelContext(container), ModelContext(container))
    }

    /// A model that both contexts have, and that one of them deletes.
    private func deleted<M: PersistentModel>(_ model: M, isKnown: Bool = true) throws -> M {
        here.insert(model)
        try here.save()
        let twin = try #require(there.model(for: model.persistentModelID) as? M)
        here.delete(model)
        try here.save()
        if isKnown { there.processPendingChanges() }
        return twin
    }

    private func refused(_ words: String...) throws {
        let error = #expect(throws: SwiftDataError.self) { try there.save() }
        #expect(error == .modelValidationFailure)
        for word in words { #expect(error?.description.contains(word) == true, "\(String(describing: error))") }
    }

    @Test(arguments: [false, true]) func aToOneToIt(isKnown: Bool) throws {
        let folder = try deleted(Folder(name: "f"), isKnown: isKnown)
        let note = Note(title: "n")
        note.folder = folder
        there.insert(note)
        try refused("a new Note", "folder", "Folder \(folder._rowID)")
        #expect(try here.fetchCount(FetchDescriptor<Note>()) == 0)
        note.folder = nil
        try there.save()
        #expect(try here.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.folder == nil })) == 1)
        #expect(try here.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.folder != nil })) == 0)
    }

    @Test func aListOfItThatGrows() throws {
        let folder = try deleted(Folder(name: "f"), isKnown: false)
        let note = Note(title: "n")
        there.insert(note)
        try there.save()
        folder.notes.append(note)
        try refused("Note \(note._rowID)", "folder", "Folder \(folder._rowID)")
        there.rollback()
        #expect(note.folder == nil)
        try there.save()
    }

    @Test(arguments: [false, true]) func aToManyToIt(isMine: Bool) throws {
        let member = try deleted(Member(name: "gone"))
        let other = Member(name: "m")
        there.insert(other)
        if isMine { try there.save() }
        other.follows = [member]
        try refused("Member \(member._rowID)", "has been deleted")
        other.follows = []
        try there.save()
        #expect(try here.fetchCount(FetchDescriptor<Member>(predicate: #Predicate { !$0.follows.isEmpty })) == 0)
        #expect(try here.fetchCount(FetchDescriptor<Member>(predicate: #Predicate { !$0.followers.isEmpty })) == 0)
    }

    @Test func aToManyWithoutAnInverse() throws {
        let player = try deleted(Player(name: "gone"))
        let team = Team(name: "t")
        there.insert(team)
        let other = Player(name: "p")
        team.members = [other, player]
        try refused("a new Team", "members", "Player \(player._rowID)")
        team.members = [other]
        try there.save()
        #expect(try here.fetchCount(FetchDescriptor<Team>(predicate: #Predicate { $0.members.count == 1 })) == 1)
    }

    @Test func aRequiredToOne() throws {
        let writer = try deleted(Writer(name: "w"))
        there.insert(Novel(title: "t", author: writer))
        try refused("a new Novel", "author", "Writer \(writer._rowID)")
        there.rollback()
        #expect(try here.fetchCount(FetchDescriptor<Novel>()) == 0)
    }

    @Test func bytesOfIt() throws {
        let photo = try deleted(Photo(title: "p"))
        photo.original = Data([1])
        try refused("Photo \(photo._rowID)", "has been deleted")
        there.rollback()
        let count = try there.core.openStorage().read { try $0.scalar("SELECT count(*) FROM Photo_original")?.integer }
        #expect(count == 0)
    }

    /// Within one context too.
    @Test func aTargetThatTheSameSaveDeletes() throws {
        let (folder, note) = (Folder(name: "f"), Note(title: "n"))
        for model in [folder, note] as [any PersistentModel] { there.insert(model) }
        try there.save()
        there.delete(folder)
        note.folder = folder
        try refused("Note \(note._rowID)", "folder", "Folder \(folder._rowID)")
    }

    @Test func itCostsOneStatementForEachTableOfTargets() throws {
        let (folder, label) = (Folder(name: "f"), Label(name: "l"))
        for model in [folder, label] as [any PersistentModel] { here.insert(model) }
        try here.save()
        func runs(_ count: Int, _ isConnected: Bool) throws -> Int {
            let notes = (0..<count).map { Note(title: "\($0)", folder: isConnected ? folder : nil) }
            for note in notes { here.insert(note) }
            let before = container.statementCounts.runs
            try here.save()
            return container.statementCounts.runs - before
        }
        _ = try runs(1, true)
        // The other one is in the history: the folder has changed too.
        #expect(try runs(5, true) == runs(5, false) + 2)
        #expect(try runs(50, true) == runs(50, false) + 2)
    }

    // MARK: Deleting here what others connect to

    /// As if the deletion had come after: what they have connected follows the delete rule. Before the save has begun, and in its middle.
    @Test(arguments: [false, true]) func aDeletionTakesAlongWhatOthersHaveConnectedSince(isLate: Bool) throws {
        let (folder, writer, home, parent) = (Folder(name: "f"), Writer(name: "w"), Home(street: "s"), Member(name: "p"))
        for model in [folder, writer, home, parent] as [any PersistentModel] { here.insert(model) }
        try here.save()
        for model in [folder, writer, parent] as [any PersistentModel] { here.delete(model) }
        let operation = isLate ? SaveOperation(here.core) : nil
        let note = Note(title: "n", folder: there.model(for: folder.persistentModelID) as? Folder)
        let (child, follower) = (Member(name: "c"), Member(name: "o"))
        let theirs = try #require(there.model(for: parent.persistentModelID) as? Member)
        for model in [note, child, follower] as [any PersistentModel] { there.insert(model) }
        child.parent = theirs
        follower.follows = [theirs]
        (there.model(for: home.persistentModelID) as? Home)?.owner = there.model(for: writer.persistentModelID) as? Writer
        try there.save()
        if let operation { #expect(throws: SaveOperation.Overtaken.self) { try operation.run() } }
        try here.save()
        let other = ModelContext(container)
        #expect(try other.fetchCount(FetchDescriptor<Note>()) == 0)
        #expect(try other.fetch(FetchDescriptor<Member>()).map(\.name) == ["o"])
        #expect(try other.fetchCount(FetchDescriptor<Member>(predicate: #Predicate { !$0.follows.isEmpty })) == 0)
        #expect(try other.fetch(FetchDescriptor<Home>()).map { $0.owner == nil } == [true])
        #expect(try other.fetchCount(FetchDescriptor<Home>(predicate: #Predicate { $0.owner != nil })) == 0)
    }

    @Test func aDenyingDeletionHeedsWhatOthersHaveConnectedSince() throws {
        let writer = Writer(name: "w")
        here.insert(writer)
        try here.save()
        here.delete(writer)
        there.insert(Novel(title: "n", author: try #require(there.model(for: writer.persistentModelID) as? Writer)))
        try there.save()
        let error = #expect(throws: SwiftDataError.self) { try here.save() }
        #expect(error?.description.contains("deny") == true)
        here.rollback()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Novel>()).map(\.author.name) == ["w"])
    }

    @Test(arguments: [true, false]) func actorsThatDeleteAndConnectAtOnceLeaveNothingBehind(inMemory: Bool) async throws {
        let files = try TestFolder()
        let container = try inMemory ? memoryContainer() : ModelContainer(for: Folder.self, configurations: files.configuration())
        defer { container.close() }
        let setup = ModelContext(container)
        let folders = (0..<20).map { Folder(name: "\($0)") }
        folders.forEach(setup.insert)
        try setup.save()
        let ids = folders.map(\.persistentModelID)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (deleting, connecting) = (NoteKeeper(modelContainer: container), NoteKeeper(modelContainer: container))
            group.addTask { for id in ids { try await deleting.remove(id) } }
            group.addTask {
                for id in ids {
                    // Refused where the folder goes between the look and the save.
                    do { try await connecting.append("n", to: id) } catch is SwiftDataError { await connecting.giveUp() }
                }
            }
            try await group.waitForAll()
        }
        let other = ModelContext(container)
        #expect(try other.fetchCount(FetchDescriptor<Folder>()) == 0)
        #expect(try other.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.folder != nil })) == 0)
    }

    // MARK: One-to-ones

    /// Neither side of a one-to-one is written by an assignment that changes nothing.
    @Test func assigningThePartnerThatIsThereLeavesWhatOthersHaveMadeOfIt() throws {
        let writers = (0..<2).map { Writer(name: "\($0)") }
        let home = Home(street: "s")
        for model in writers + [home] as [any PersistentModel] { here.insert(model) }
        writers[0].address = home
        try here.save()
        let theirs = try writers.map { try #require(there.model(for: $0.persistentModelID) as? Writer) }
        let place = try #require(there.model(for: home.persistentModelID) as? Home)
        #expect(theirs[0].address === place && place.owner === theirs[0])
        writers[1].address = home
        try here.save()
        theirs[0].address = place
        place.owner = theirs[0]
        try there.save()
        let reader = ModelContext(container)
        let stored = try reader.fetch(FetchDescriptor<Writer>(sortBy: [SortDescriptor(\.name)]))
        #expect(stored.map { $0.address?.street } == [nil, "s"])
        #expect(try reader.fetch(FetchDescriptor<Home>()).first?.owner?.name == "1")
        #expect(try reader.fetchCount(FetchDescriptor<Writer>(predicate: #Predicate { $0.address != nil })) == 1)
    }

    @Test func aPartnerThatOthersHaveGivenAwaySinceIsTakenFromThem() throws {
        let writers = (0..<2).map { Writer(name: "\($0)") }
        let home = Home(street: "s")
        for model in writers + [home] as [any PersistentModel] { here.insert(model) }
        try here.save()
        let theirs = try #require(there.model(for: writers[0].persistentModelID) as? Writer)
        let knownTo = try #require(there.model(for: writers[1].persistentModelID) as? Writer)
        let place = try #require(there.model(for: home.persistentModelID) as? Home)
        writers[1].address = home
        try here.save()
        theirs.address = place
        try there.save()
        #expect(knownTo.address == nil && place.owner === theirs)
        here.processPendingChanges()
        #expect(writers[1].address == nil && writers[0].address === home && home.owner === writers[0])
        let stored = try ModelContext(container).fetch(FetchDescriptor<Writer>(sortBy: [SortDescriptor(\.name)]))
        #expect(stored.map { $0.address?.street } == ["s", nil])
        #expect(try here.fetchCount(FetchDescriptor<Writer>(predicate: #Predicate { $0.address?.street == "s" })) == 1)
        let last = try #require(try here.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
        #expect(last.changes.contains { $0.changedPersistentIdentifier == writers[1].persistentModelID })
    }
}
