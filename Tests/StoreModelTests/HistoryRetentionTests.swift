import Foundation
import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

/// `ModelConfiguration.historyRetention`.
@Suite struct HistoryRetentionTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func memory(_ retention: HistoryRetention) throws -> ModelContainer {
        var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        configuration.historyRetention = retention
        return try ModelContainer(for: Photo.self, configurations: configuration)
    }

    private func file(_ retention: HistoryRetention, allowsSave: Bool = true) throws -> ModelContainer {
        var configuration = folder.configuration(allowsSave: allowsSave)
        configuration.historyRetention = retention
        return try ModelContainer(for: Photo.self, configurations: configuration)
    }

    private func history(_ context: ModelContext, after token: DefaultHistoryToken? = nil) throws -> [DefaultHistoryTransaction] {
        guard let token else { return try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) }
        return try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    }

    /// Inserts one photo a save; gives the place of each.
    @discardableResult
    private func save(_ count: Int, _ context: ModelContext) throws -> [DefaultHistoryToken] {
        try (0..<count).map { number in
            context.insert(Photo(title: "\(number)"))
            try context.save()
            return try #require(try history(context).last).token
        }
    }

    private func rows(_ container: ModelContainer) throws -> Int64? {
        try container.stores[0].storage.read {
            try $0.scalar("SELECT (SELECT count(*) FROM storekeeper_transactions) * 1000 + (SELECT count(*) FROM storekeeper_changes)")?
                .integer
        }
    }

    @Test func onlyTheNewestTransactionsAreKeptAndOlderTokensExpire() throws {
        let container = try memory(HistoryRetention(transactions: 3))
        let context = ModelContext(container)
        let tokens = try save(5, context)
        #expect(try history(context).map(\.transactionIdentifier) == [3, 4, 5])
        #expect(try rows(container) == 3003)
        #expect(throws: SwiftDataError.historyTokenExpired) { try history(context, after: tokens[0]) }
        // What came after the second transaction is all there.
        #expect(try history(context, after: tokens[1]).map(\.transactionIdentifier) == [3, 4, 5])
    }

    @Test func theNewestTransactionStaysWhateverTheBounds() throws {
        for retention in [HistoryRetention(transactions: 0), HistoryRetention(transactions: -5), HistoryRetention(age: .seconds(-60))] {
            let context = ModelContext(try memory(retention))
            try save(3, context)
            #expect(try history(context).map(\.transactionIdentifier) == [3])
        }
    }

    @Test func transactionsThatAreTooOldGoWithTheNextSave() throws {
        let container = try memory(HistoryRetention(transactions: 100, age: .seconds(3600)))
        let context = ModelContext(container)
        let tokens = try save(4, context)
        try container.stores[0].storage.write(changing: []) { connection in
            try connection.execute("UPDATE storekeeper_transactions SET saved_at = saved_at - 3601 WHERE id <= 2")
        }
        #expect(try history(context).count == 4)
        try save(1, context)
        #expect(try history(context).map(\.transactionIdentifier) == [3, 4, 5])
        #expect(throws: SwiftDataError.historyTokenExpired) { try history(context, after: tokens[0]) }
    }

    /// What was deleted before an observer had seen it may have been what it observes.
    @Test func anObserverCountsWhatItCanNotSeeAnyMore() throws {
        let container = try memory(HistoryRetention(transactions: 1))
        let tokens = try save(3, ModelContext(container))
        let store = container.stores[0].storage.storeIdentifier
        #expect(throws: SwiftDataError.historyTokenExpired) {
            try HistoryObserver(historyTokens: [store: tokens[0]], modelContainer: container)
        }
        #expect(try HistoryObserver(historyTokens: [store: tokens[2]], authors: ["nobody"], modelContainer: container).eventCounter == 0)
        #expect(try HistoryObserver(historyTokens: [:], authors: ["nobody"], modelContainer: container).eventCounter == 1)
    }

    /// A clock that was wrong once: what follows the history must find it whole from some transaction on.
    @Test func aHistoryIsShortenedFromItsOldestTransactionOnly() throws {
        let container = try memory(HistoryRetention(age: .seconds(3600)))
        let context = ModelContext(container)
        try save(3, context)
        try container.stores[0].storage.write(changing: []) { connection in
            try connection.execute("UPDATE storekeeper_transactions SET saved_at = saved_at - 3601 WHERE id = 2")
        }
        try save(1, context)
        #expect(try history(context).map(\.transactionIdentifier) == [1, 2, 3, 4])
    }

    @Test func oneSaveDeletesABoundedNumberOfTransactions() throws {
        let container = try memory(HistoryRetention(transactions: 2))
        let context = ModelContext(container)
        try save(1, context)
        try container.stores[0].storage.write(changing: []) { connection in
            try connection.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) \
                INSERT INTO storekeeper_transactions SELECT i, saved_at, author, program, process FROM n, storekeeper_transactions WHERE id = 1
                """)
        }
        var left: [Int] = []
        for _ in 0..<3 {
            context.insert(Photo(title: "more"))
            try context.save()
            left.append(try history(context).count)
        }
        #expect(left == [1501, 502, 2])
    }

    @Test func withoutBoundsAllIsKeptAndNothingIsLookedFor() throws {
        let (free, bounded) = (try memory(.unlimited), try memory(HistoryRetention(transactions: 100)))
        let runs = try [free, bounded].map { container in
            let context = ModelContext(container)
            try save(1, context)
            let before = container.statementCounts
            try save(20, context)
            #expect(try history(context).count == 21)
            return container.statementCounts.runs - before.runs
        }
        #expect(runs[1] - runs[0] == 20)
    }

    /// Neither the numbers of transactions nor those of rows, whatever was deleted.
    @Test func identifiersAreNeverUsedAgain() throws {
        let container = try file(HistoryRetention(transactions: 1))
        let context = ModelContext(container)
        try save(3, context)
        let photos = try context.fetch(FetchDescriptor<Photo>())
        let used = Set(photos.map(\.persistentModelID))
        photos.forEach(context.delete)
        try context.save()
        #expect(try history(context).map(\.transactionIdentifier) == [4])
        try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        #expect(try history(context).isEmpty)
        container.close()

        let reopened = try file(.unlimited)
        defer { reopened.close() }
        let again = ModelContext(reopened)
        let photo = Photo(title: "new")
        again.insert(photo)
        try again.save()
        #expect(try history(again).map(\.transactionIdentifier) == [5])
        #expect(!used.contains(photo.persistentModelID) && used.count == 3)
    }

    @Test func aReaderDeletesNothingAndIsToldThatItsPlaceHasGone() throws {
        let owner = try file(.unlimited)
        let context = ModelContext(owner)
        let tokens = try save(5, context)
        let reader = try file(HistoryRetention(transactions: 1), allowsSave: false)
        defer { reader.close() }
        let reading = ModelContext(reader)
        #expect(try history(reading).count == 5)
        #expect(throws: SwiftDataError.modelValidationFailure) {
            try reading.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        }
        owner.close()
        let keeping = try file(HistoryRetention(transactions: 2))
        defer { keeping.close() }
        try save(1, ModelContext(keeping))
        #expect(try history(reading).map(\.transactionIdentifier) == [5, 6])
        #expect(throws: SwiftDataError.historyTokenExpired) { try history(reading, after: tokens[2]) }
        #expect(try history(reading, after: tokens[3]).count == 2)
    }
}
