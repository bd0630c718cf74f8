import Foundation
import Synchronization
import SwiftData
import Testing

@testable import StoreModel

@Suite struct TwoContainersTests {
    private func titles(_ context: ModelContext) throws -> [String] {
        try context.fetch(FetchDescriptor<Note>()).map(\.title).sorted()
    }

    /// Two containers and two contexts, each with a note that is not saved.
    private func check(_ one: ModelContext, _ two: ModelContext) throws {
        one.insert(Note(title: "one"))
        two.insert(Note(title: "two"))
        #expect(try titles(one) == ["one"])
        #expect(try titles(two) == ["two"])
        #expect(try one.fetchCount(FetchDescriptor<Note>()) == 1)
        try one.save()
        #expect(try titles(two) == ["one", "two"])
        #expect(try titles(one) == ["one"])
        try two.save()
        #expect(try titles(one) == ["one", "two"])
        let note = try #require(try one.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.title == "two" })).first)
        note.title = "changed"
        #expect(try titles(two) == ["one", "two"])
        try one.save()
        #expect(try titles(two) == ["changed", "one"])
    }

    @Test func neitherOfTwoContainersOnOneStoreSeesWhatTheOtherHasNotSaved() throws {
        let folder = try TestFolder()
        let containers = try (0..<2).map { _ in try ModelContainer(for: Folder.self, configurations: folder.configuration()) }
        defer { containers.forEach { $0.close() } }
        try check(ModelContext(containers[0]), ModelContext(containers[1]))
    }

    @Test func neitherOfTwoContextsInMemorySeesWhatTheOtherHasNotSaved() throws {
        let container = try memoryContainer()
        try check(ModelContext(container), ModelContext(container))
    }

    @Test func containersOfOneStoreWriteAndReadFromManyThreads() async throws {
        let folder = try TestFolder()
        let containers = try (0..<2).map { _ in try ModelContainer(for: Folder.self, configurations: folder.configuration()) }
        defer { containers.forEach { $0.close() } }
        try await write(containers, writers: 6, saves: 15)
        #expect(try ModelContext(containers[0]).fetchCount(FetchDescriptor<Note>()) == 6 * 15 * 4)
        #expect(try ModelContext(containers[1]).fetchCount(FetchDescriptor<Folder>()) == 6)
    }

    @Test func contextsOfOneContainerInMemoryWriteAndReadFromManyThreads() async throws {
        let container = try memoryContainer()
        try await write([container], writers: 4, saves: 15)
        #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 4 * 15 * 4)
    }

    /// Each writer has a folder of its own, and sees all of its own notes and only whole saves of the others.
    private func write(_ containers: [ModelContainer], writers: Int, saves: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                let container = containers[writer % containers.count]
                group.addTask {
                    let context = ModelContext(container)
                    let name = "\(writer)"
                    let folder = Folder(name: name)
                    context.insert(folder)
                    for save in 0..<saves {
                        for number in 0..<4 {
                            let note = Note(title: "\(writer) \(save) \(number)")
                            note.folder = folder
                        }
                        let mine = try context.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.folder?.name == name }))
                        #expect(mine == (save + 1) * 4)
                        try context.save()
                        let all = try ModelContext(container).fetchCount(FetchDescriptor<Note>())
                        #expect(all % 4 == 0 && all >= (save + 1) * 4)
                        #expect(folder.notes.count == (save + 1) * 4)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
