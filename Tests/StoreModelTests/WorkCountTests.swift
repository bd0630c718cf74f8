import Foundation
import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

/// How much contexts ask of SQLite, counted: what grows with the rows, and what must not.
@Suite struct WorkCountTests {
    private let container: ModelContainer

    init() throws { container = try memoryContainer() }

    private func fill(_ count: Int) throws {
        let context = ModelContext(container)
        for number in 0..<count { context.insert(Note(title: "\(number)")) }
        try context.save()
    }

    /// What `body` compiled and ran.
    private func work(_ body: () throws -> Void) rethrows -> (prepared: Int, runs: Int) {
        let before = container.statementCounts
        try body()
        let after = container.statementCounts
        return (after.prepared - before.prepared, after.runs - before.runs)
    }

    @Test func anInsertionIsOneStatementARow() throws {
        try fill(1)
        let small = try work { try fill(10) }, large = try work { try fill(200) }
        #expect(large.prepared == 0 && large.runs - small.runs == 190, "\(small) \(large)")
    }

    @Test func aChangeIsOneStatementARow() throws {
        try fill(300)
        func change(_ count: Int) throws -> (prepared: Int, runs: Int) {
            let context = ModelContext(container)
            let notes = try context.fetch(FetchDescriptor<Note>())
            for note in notes.prefix(count) { note.count += 1 }
            return try work { try context.save() }
        }
        _ = try change(1)
        let small = try change(10), large = try change(200)
        #expect(large.prepared == 0 && large.runs - small.runs == 190, "\(small) \(large)")
    }

    @Test func aFetchIsOneStatementHoweverManyRowsThereAre() throws {
        try fill(500)
        let descriptor = FetchDescriptor<Note>(predicate: #Predicate { $0.count == 0 }, sortBy: [SortDescriptor(\.title)])
        _ = try ModelContext(container).fetch(descriptor)
        var found = 0
        let fetch = try work {
            for note in try ModelContext(container).fetch(descriptor) { found += note.title.isEmpty || note.isPinned ? 0 : 1 }
        }
        #expect(found == 500 && fetch == (0, 1))
        let count = try work { found = try ModelContext(container).fetchCount(FetchDescriptor<Note>()) }
        #expect(found == 500 && count.runs == 1)
    }

    @Test func aModelThatIsThereIsNotReadAgain() throws {
        try fill(20)
        let context = ModelContext(container)
        let identifiers = try context.fetchIdentifiers(FetchDescriptor<Note>())
        let held = identifiers.map { context.model(for: $0) }
        let again = work { for identifier in identifiers { _ = context.model(for: identifier) } }
        #expect(again == (0, 0) && held.count == 20)
    }
}
