import Foundation
import StoreSQLite
import SwiftData
import Synchronization
import Testing

@testable import StoreModel

/// `fetchHistory` and `deleteHistory`.
@Suite struct HistoryTests {
    private func container() throws -> ModelContainer {
        try ModelContainer(for: Photo.self, Booking.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    private func history(_ context: ModelContext, _ predicate: Predicate<DefaultHistoryTransaction>? = nil) throws
        -> [DefaultHistoryTransaction]
    {
        try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate))
    }

    @Test func eachSaveIsATransactionWithItsAuthorAndChanges() throws {
        let context = ModelContext(try container())
        context.author = "importer"
        let photo = Photo(title: "a")
        context.insert(photo)
        context.insert(Photo(title: "b"))
        try context.save()
        let id = photo.persistentModelID
        context.author = nil
        photo.title = "changed"
        photo.code = 5
        try context.save()
        let transactions = try history(context)
        #expect(transactions.map(\.author) == ["importer", nil])
        #expect(transactions.map(\.transactionIdentifier) == [1, 2] && transactions[0].token < transactions[1].token)
        #expect(transactions[0].storeIdentifier == id.storeIdentifier && !transactions[0].processIdentifier.isEmpty)
        #expect(transactions[0].changes.count == 2 && transactions[0].changes[0].changedPersistentIdentifier == id)
        guard case .insert(let insertion as DefaultHistoryInsert<Photo>) = transactions[0].changes[0] else {
            Issue.record("no insertion")
            return
        }
        #expect(insertion.transactionIdentifier == 1)
        guard case .update(let update as DefaultHistoryUpdate<Photo>) = transactions[1].changes[0] else {
            Issue.record("no update")
            return
        }
        #expect(update.updatedAttributes.count == 2 && update.containsAttribute(\.title) && !update.containsAttribute(\.remark))
    }

    @Test func aDeletedModelLeavesThePreservedValues() throws {
        let context = ModelContext(try container())
        let photo = Photo(title: "a")
        photo.code = 7
        context.insert(photo)
        try context.save()
        photo.code = 8
        context.delete(photo)
        try context.save()
        guard case .delete(let change)? = try history(context).last?.changes.first, let deletion = change as? any HistoryDelete<Photo>
        else {
            Issue.record("no deletion")
            return
        }
        #expect(deletion.tombstone[\.code] as? Int == 7)
        #expect(deletion.tombstone[\.remark] == nil && deletion.tombstone[\.title] == nil)
        #expect(Array(deletion.tombstone).count == 1)
    }

    @Test func insertAndDeleteInOneSaveLeaveNothing() throws {
        let context = ModelContext(try container())
        let photo = Photo(title: "a")
        context.insert(photo)
        context.delete(photo)
        try context.save()
        #expect(try history(context).isEmpty)
    }

    @Test func anUpsertIsAnUpdate() throws {
        let context = ModelContext(try container())
        context.insert(Booking(room: "A", day: 1, guest: "x"))
        try context.save()
        context.insert(Booking(room: "A", day: 1, guest: "y"))
        try context.save()
        guard case .update = try history(context).last?.changes.first else {
            Issue.record("no update")
            return
        }
    }

    @Test func predicatesTokensLimitsAndSorts() throws {
        let context = ModelContext(try container())
        for author in ["one", "two", "one"] {
            context.author = author
            context.insert(Photo(title: author))
            try context.save()
        }
        let first = try #require(try history(context).first)
        let token = first.token
        #expect(try history(context, #Predicate { $0.token > token }).count == 2)
        let me: String? = "one"
        #expect(try history(context, #Predicate { $0.author != me }).map(\.author) == ["two"])
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
        descriptor.fetchLimit = 2
        #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [3, 2])
        let encoded = try JSONEncoder().encode(token)
        #expect(try JSONDecoder().decode(DefaultHistoryToken.self, from: encoded) == token)
    }

    @Test func authorNilIsNotMeEither() throws {
        let context = ModelContext(try container())
        context.insert(Photo(title: "a"))
        try context.save()
        let me: String? = "me"
        #expect(try history(context, #Predicate { $0.author != me }).count == 1)
    }

    @Test func anOldTokenExpiresAndNumbersAreNotUsedAgain() throws {
        let context = ModelContext(try container())
        var tokens: [DefaultHistoryToken] = []
        for number in 0..<3 {
            context.insert(Photo(title: "\(number)"))
            try context.save()
            tokens.append(try #require(try history(context).last).token)
        }
        let (first, second) = (tokens[0], tokens[1])
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= second }))
        #expect(throws: SwiftDataError.historyTokenExpired) { try history(context, #Predicate { $0.token > first }) }
        #expect(try history(context, #Predicate { $0.token > second }).count == 1)
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(throws: SwiftDataError.historyTokenExpired) { try history(context, #Predicate { $0.token > second }) }
        context.insert(Photo(title: "again"))
        try context.save()
        #expect(try history(context).map(\.transactionIdentifier) == [4])
    }

    @Test func theHistoryOfALargeSaveIsAFewRows() throws {
        let container = try container()
        let context = ModelContext(container)
        let photos = (0..<1000).map { Photo(title: "\($0)") }
        photos.forEach(context.insert)
        try context.save()
        for photo in photos { photo.title += "x" }
        try context.save()
        #expect(try container.stores[0].storage.read { try $0.scalar("SELECT count(*) FROM storekeeper_changes")?.integer } == 2)
        #expect(
            try container.stores[0].storage.read { try $0.scalar("SELECT max(length(rows)) FROM storekeeper_changes")?.integer } == 1000)
        let last = try #require(try history(context).last)
        #expect(Set(last.changes.map(\.changedPersistentIdentifier)) == Set(photos.map(\.persistentModelID)))
    }

    @Test func packedRowsComeBack() {
        for rows in [[], [1], [5, 4, 3], [1, 1_000_000, 2, .max, 1], [.min, .max, 0]] as [[Int64]] {
            #expect(PackedRows.unpack(PackedRows.pack(rows)) == rows)
        }
    }

    @Test func theDidSaveNoticeHasThePlaceInTheHistory() throws {
        let context = ModelContext(try container())
        let found = Mutex<DefaultHistoryToken?>(nil)
        let observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { notice in
            let key = ModelContext.NotificationKey.historyTokens
            let tokens = notice.userInfo?[key] as? [String: any HistoryToken]
            let sameTokens = notice.userInfo?[key.rawValue] as? [String: any HistoryToken]
            let token = tokens?.values.first as? DefaultHistoryToken
            if sameTokens?.count == tokens?.count { found.withLock { $0 = token } }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        context.insert(Photo(title: "a"))
        try context.save()
        #expect(try history(context).last?.token == found.withLock { $0 })
    }
}
