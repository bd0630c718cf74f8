import Foundation
import StoreShared
import StoreSQLite
import SwiftData
import Testing

private final class Thing: Codable {}

private struct Wrapping: Codable {
    var name = ""
    var things: [Thing?] = []
}

private struct Contents: Codable {
    var count = 0
    var byName: [String: Wrapping] = [:]
}

@Model private final class Cabinet {
    var contents = Contents()
    init() {}
}

@Model private final class OpaqueCabinet {
    @Attribute(.codable) var contents: Contents?
    init() {}
}

@Model private final class Depot {
    var parcels: [Consignment] = []
    init() {}
}

@Model private final class Consignment {
    var from: Depot?
    var to: Depot?
    init() {}
}

@Model private final class Twig {
    var parent: Twig?
    var children: [Twig] = []
    init() {}
}

/// Lists and references beside each other, of which none leads back.
@Model private final class Acquaintance {
    var friends: [Acquaintance] = []
    var blocked: [Acquaintance] = []
    init() {}
}

@Model private final class Couple {
    var first: Couple?
    var second: Couple?
    init() {}
}

/// What a program gets wrong is an error that says which model and property.
@Suite struct BadInputTests {
    private func memory(_ types: any PersistentModel.Type...) throws -> ModelContainer {
        try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    }

    private func refusal(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "nothing was refused"
        } catch {
            return "\(error)"
        }
    }

    @Test func aClassInsideACodableAttributeIsNamedWithItsPath() {
        let plain = refusal { _ = try memory(Cabinet.self) }
        #expect(plain.contains("Cabinet.contents.byName.things is of the class Thing"), "\(plain)")
        let opaque = refusal { _ = try memory(OpaqueCabinet.self) }
        #expect(opaque.contains("OpaqueCabinet.contents.byName.things is of the class Thing"), "\(opaque)")
        #expect(throws: SwiftDataError.loadIssueModelContainer) { try memory(Cabinet.self) }
    }

    @Test func aRelationshipWhoseInverseCannotBeToldIsNamed() throws {
        let list = refusal { _ = try memory(Depot.self) }
        #expect(list.contains("the inverse of Depot.parcels cannot be told: Consignment.from, Consignment.to lead back"), "\(list)")
        #expect(list.contains(#"@Relationship(inverse: \Consignment.from)"#), "\(list)")
        let tree = refusal { _ = try memory(Twig.self) }
        #expect(tree.contains("Twig.parent") && tree.contains("Twig.children"), "\(tree)")
        _ = try memory(Acquaintance.self, Couple.self)
    }

    @Test func predicatesSortsAndKeyPathsThatAreNotStoredAreNamed() throws {
        let context = ModelContext(try memoryContainer())
        func fetch(_ change: (inout FetchDescriptor<Note>) -> Void) -> String {
            var descriptor = FetchDescriptor<Note>()
            change(&descriptor)
            return refusal { _ = try context.fetch(descriptor) }
        }
        #expect(fetch { $0.predicate = #Predicate { $0.doubled > 2 } }.contains("Note stores no such property"))
        #expect(fetch { $0.sortBy = [SortDescriptor(\.scratch)] }.contains("scratch"))
        #expect(fetch { $0.propertiesToFetch = [\.doubled] }.contains("Note cannot fetch"))
        #expect(fetch { $0.relationshipKeyPathsForPrefetching = [\.title] }.contains("Note.title cannot be prefetched"))
        #expect(throws: SwiftDataError.unsupportedPredicate) {
            try context.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.doubled > 2 }))
        }
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
            try context.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.scratch)]))
        }
    }

    @Test func identifiersOfDeletedRowsAndOfAnotherStoreFindNothing() throws {
        let (container, another) = (try memoryContainer(), try memoryContainer())
        let context = ModelContext(container), foreign = ModelContext(another)
        let (deleted, stranger) = (Note(title: "deleted"), Note(title: "stranger"))
        context.insert(deleted)
        foreign.insert(stranger)
        try context.save()
        try foreign.save()
        let gone = deleted.persistentModelID, theirs = stranger.persistentModelID
        context.delete(deleted)
        try context.save()
        for identifier in [gone, theirs] {
            let model = context.model(for: identifier) as? Note
            #expect(model?.modelContext == nil && model?.title == "")
            let registered: Note? = context.registeredModel(for: identifier)
            #expect(registered == nil)
            #expect(try context.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.persistentModelID == identifier })).isEmpty)
        }
    }

    @Test func aTextThatNoLongerDecodesIsToldWithModelAndProperty() throws {
        let folder = try TestFolder()
        let first = try ModelContainer(for: Folder.self, configurations: folder.configuration())
        let context = ModelContext(first)
        let note = Note(title: "a")
        note.place = Place(latitude: 1, longitude: 2)
        context.insert(note)
        try context.save()
        first.close()
        let connection = try Connection(path: folder.store.path, access: .readWrite)
        try connection.run(#"UPDATE Note SET place = '{"latitude":"north"}'"#)
        connection.close()

        let second = try ModelContainer(for: Folder.self, configurations: folder.configuration())
        defer { second.close() }
        let reading = ModelContext(second)
        var told: [String] = []
        reading.faultHandler = { told.append("\($0)") }
        let found = try #require(try reading.fetch(FetchDescriptor<Note>()).first)
        #expect(found.place == nil && found.title == "a")
        #expect(told.count == 1 && told.first?.contains("Note.place does not decode as") == true, "\(told)")
        #expect(throws: SwiftDataError.modelValidationFailure) { try reading.fetchCount(FetchDescriptor<Note>()) }
        // Told once: the context goes on.
        #expect(try reading.fetchCount(FetchDescriptor<Note>()) == 1)
    }

    @Test func whatIsNoStoreIsALoadIssueWithItsPathAndCause() throws {
        let folder = try TestFolder()
        try Data("these are not the bytes of a database, however long they are".utf8).write(to: folder.store)
        let said = refusal { _ = try ModelContainer(for: Folder.self, configurations: folder.configuration()) }
        #expect(said.contains(folder.store.path), "\(said)")
        #expect {
            _ = try ModelContainer(for: Folder.self, configurations: folder.configuration())
        } throws: { error in
            if case SwiftDataError.loadIssueModelContainer = error { error is StoreError } else { false }
        }
    }
}
