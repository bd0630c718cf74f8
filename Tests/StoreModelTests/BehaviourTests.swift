import Foundation
import Storekeeper
import SwiftData
import Synchronization
import Testing

enum Figure: Codable, Equatable {
    case circle(radius: Double)
    case polygon(corners: [Int], name: String?)
}

@Model private final class Drawing {
    var shape: Figure = Figure.circle(radius: 1)
    var other: Figure?
    @Transient var isOpen = false
    init() {}
}

/// Behaviours of SwiftData that no other suite is about.
@Suite struct BehaviourTests {
    @MainActor
    @Test func onlyTheMainContextSavesByItselfUnlessAsked() throws {
        let container = try memoryContainer()
        #expect(container.mainContext.autosaveEnabled && !ModelContext(container).autosaveEnabled)
        #expect(container.mainContext === container.mainContext)
    }

    @Test func aModelIsRegisteredOnceTheContextKnowsIt() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        let note = Note(title: "a")
        context.insert(note)
        try context.save()
        let other = ModelContext(container)
        func registered() -> Note? { other.registeredModel(for: note.persistentModelID) }
        #expect(registered() == nil)
        let found = try #require(try other.fetch(FetchDescriptor<Note>()).first)
        #expect(registered() === found && other.model(for: note.persistentModelID) === found)
    }

    @Test func transientValuesAreTheirDefaultsAfterEachLoad() throws {
        let container = try ModelContainer(for: Drawing.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let drawing = Drawing()
        drawing.isOpen = true
        context.insert(drawing)
        try context.save()
        #expect(drawing.isOpen && !context.hasChanges)
        #expect(try ModelContext(container).fetch(FetchDescriptor<Drawing>()).map(\.isOpen) == [false])
    }

    @Test func anEnumerationWithAssociatedValuesIsAnAttribute() throws {
        let container = try ModelContainer(for: Drawing.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let drawing = Drawing()
        drawing.shape = .polygon(corners: [1, 2, 3], name: "p")
        context.insert(drawing)
        try context.save()
        let wanted = drawing.shape
        let found = try ModelContext(container).fetch(FetchDescriptor<Drawing>(predicate: #Predicate { $0.shape == wanted }))
        #expect(found.map(\.shape) == [wanted] && found.map(\.other) == [nil])
    }

    @Test func enumerateLeavesChangesPendingWhereItMay() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        for number in 0..<10 { context.insert(Note(title: "\(number)")) }
        try context.save()
        let working = ModelContext(container)
        try working.enumerate(FetchDescriptor<Note>(), batchSize: 3, allowEscapingMutations: true) { $0.count = 5 }
        #expect(working.hasChanges && working.changedModelsArray.count == 10)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.count == 5 })) == 0)
        try working.save()
        try working.enumerate(FetchDescriptor<Note>(), batchSize: 3) { $0.count = 6 }
        #expect(!working.hasChanges)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.count == 6 })) == 10)
    }

    /// Rows of a to-many have no order of their own: they come by their numbers.
    @Test func aToManyComesInTheOrderOfItsRows() throws {
        let container = try memoryContainer()
        let context = ModelContext(container)
        let folder = Folder(name: "f")
        let notes = ["c", "a", "b"].map { Note(title: $0) }
        for note in notes { context.insert(note) }
        context.insert(folder)
        try context.save()
        folder.notes = notes.reversed()
        try context.save()
        let found = try #require(try ModelContext(container).fetch(FetchDescriptor<Folder>()).first)
        #expect(found.notes.map(\.title) == ["c", "a", "b"])
    }

    @Test func aUniqueClashMayBeAnError() throws {
        let context = ModelContext(try memoryContainer())
        context.insert(Folder(name: "taken"))
        try context.save()
        context.uniqueClash = .fails
        let clashing = Folder(name: "taken")
        context.insert(clashing)
        #expect { try context.save() } throws: { "\($0)".contains("a new Folder has the name taken of row 1, and only one may") }
        #expect(context.hasChanges && clashing.persistentModelID.isTemporary)
        clashing.name = "free"
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Folder>()) == 2)
        context.insert(Folder(name: "one"))
        context.insert(Folder(name: "one"))
        #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
        context.uniqueClash = .updates
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Folder>()) == 3)
    }

    @Test func aRelatedModelJoinsTheSchemaByItself() throws {
        let schema = Schema([Folder.self])
        #expect(schema.entitiesByName.keys.sorted() == ["Folder", "Label", "Note"])
    }

    // MARK: Opening

    @Test func aContainerOpensWithoutBlockingAndTellsItsProgress() async throws {
        let folder = try TestFolder()
        let told = Mutex<[String]>([])
        var owner = OwnerOptions()
        owner.onEvent = { event in told.withLock { $0.append("\(event)") } }
        let container = try await ModelContainer.open(
            for: Schema([Folder.self]), configurations: [folder.configuration()], owner: owner)
        defer { container.close() }
        #expect(told.withLock { $0.contains { $0.hasPrefix("opening") } && $0.contains("serving") })
        let reader = try await ModelContainer.open(for: Schema([Folder.self]), configurations: [folder.configuration(allowsSave: false)])
        #expect(try ModelContext(reader).fetchCount(FetchDescriptor<Folder>()) == 0)
        reader.close()
    }

    @Test func cancellingTheTaskEndsTheWaitOfAnOpening() async throws {
        let folder = try TestFolder()
        let (waiting, says) = AsyncStream.makeStream(of: Void.self)
        let configuration = folder.configuration(allowsSave: false)
        let opening = Task {
            var reader = ReaderOptions()
            reader.wait = .forever
            reader.onProgress = { _ in says.yield() }
            return try await ModelContainer.open(for: Schema([Folder.self]), configurations: [configuration], reader: reader)
        }
        for await _ in waiting { break }
        opening.cancel()
        await #expect { _ = try await opening.value } throws: { ($0 as? StoreError)?.code == .cancelled }
    }

    // MARK: Stages

    @Test func aMappedStageLooksLikeACustomOne() throws {
        let stage = MigrationStage.mapped(fromVersion: PlanV3.self, toVersion: PlanV4.self) { _, _ in }
        switch stage {
        case .lightweight: Issue.record("it is a custom stage")
        case .custom(let from, let to, let will, let did):
            #expect(from.versionIdentifier == PlanV3.versionIdentifier && to == PlanV4.self && will == nil)
            let context = ModelContext(try memoryContainer())
            #expect { try did?(context) } throws: { "\($0)".contains("only a plan's container can run it") }
        }
    }
}
