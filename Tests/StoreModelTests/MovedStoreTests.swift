import Foundation
import StoreShared
import SwiftData
import Testing

/// `ModelConfiguration.moveStore(from:)`.
@Suite struct MovedStoreTests {
    private func titles(_ configuration: ModelConfiguration) throws -> [String] {
        let container = try ModelContainer(for: Folder.self, configurations: configuration)
        defer { container.close() }
        return try ModelContext(container).fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)])).map(\.title)
    }

    @Test func aStoreIsMovedOnceAndTheCallDoesNothingAfterwards() throws {
        let folder = try TestFolder()
        let old = folder.configuration()
        let group = folder.url.appendingPathComponent("group")
        try FileManager.default.createDirectory(at: group, withIntermediateDirectories: true)
        let new = ModelConfiguration(url: group.appendingPathComponent("notes.store"))
        // Neither is there: a new installation.
        #expect(try !new.moveStore(from: old.url))
        do {
            let container = try ModelContainer(for: Folder.self, configurations: old)
            defer { container.close() }
            let context = ModelContext(container)
            context.insert(Note(title: "kept"))
            try context.save()
            #expect {
                try new.moveStore(from: old.url)
            } throws: {
                ($0 as? StoreError)?.code == .ownedByAnother
            }
        }
        #expect(try new.moveStore(from: old.url))
        #expect(try titles(new) == ["kept"])
        #expect(try !new.moveStore(from: old.url))
        #expect(try titles(new) == ["kept"])
        // Somebody opens the old place once more: two stores, of which none is thrown away.
        #expect(try titles(old).isEmpty)
        #expect {
            try new.moveStore(from: old.url)
        } throws: { error in
            guard let error = error as? StoreError else { return false }
            return error.code == .unsuitablePlace && error.message.contains(old.url.path) && error.message.contains(new.url.path)
        }
        #expect(try titles(new) == ["kept"])
    }

    @Test func aStoreInMemoryHasNoPlaceToMoveTo() throws {
        #expect {
            try ModelConfiguration(isStoredInMemoryOnly: true).moveStore(from: URL(fileURLWithPath: "/nowhere/notes.store"))
        } throws: {
            ($0 as? StoreError)?.code == .misuse
        }
    }
}
