import Foundation
import StoreSQLite

/// How much of a store's history its owner keeps.
///
/// With each save, in the same transaction, the owner deletes the oldest transactions that are beyond one of the bounds, at most 1,000 at a time, so
/// that no save is long because of many that went before. The newest always stays. Numbers of deleted transactions are never used again, and a
/// token of a place before the first that is kept gives `SwiftDataError.historyTokenExpired`. Readers delete nothing, whatever their configuration says.
///
///     configuration.historyRetention = HistoryRetention(transactions: 10_000, age: .seconds(30 * 86_400))
public struct HistoryRetention: Hashable, Sendable {
    /// The most transactions, counted by their numbers: those that `deleteHistory` took from the middle count too. At least 1; nil for any number.
    public var transactions: Int?
    /// The longest time since a transaction was saved, by the wall clock; nil for any time. What is too old goes with the next save.
    public var age: Duration?

    /// Everything is kept until `ModelContext.deleteHistory(_:)` deletes it.
    public static let unlimited = HistoryRetention()

    /// - Parameters:
    ///   - transactions: the most transactions; less than 1 counts as 1, nil for any number.
    ///   - age: the longest time since a transaction was saved; nil for any time.
    public init(transactions: Int? = nil, age: Duration? = nil) {
        self.transactions = transactions
        self.age = age
    }

    /// How many transactions one save deletes at most.
    static let most = 1000

    /// Deletes what is beyond the bounds, from the oldest on: whoever follows the history finds it whole from some transaction on.
    ///
    /// - Parameters:
    ///   - last: the number of the transaction that has just been written.
    ///   - now: when that was, in seconds since the reference date.
    func trim(after last: Int64, at now: Double, _ connection: Connection) throws {
        guard transactions != nil || age != nil else { return }
        let highest = transactions.map { last - Int64(max($0, 1)) } ?? 0
        let earliest = age.map { now - $0 / .seconds(1) } ?? -.infinity
        let oldest = try connection.statement(
            "SELECT id, saved_at FROM storekeeper_transactions WHERE id < ?1 ORDER BY id LIMIT \(Self.most)")
        defer { oldest.reset() }
        try oldest.bind(last, at: 1)
        var end: Int64?
        while try oldest.step(), oldest.int64(0) <= highest || oldest.double(1) < earliest { end = oldest.int64(0) }
        oldest.reset()
        guard let end else { return }
        try connection.run("DELETE FROM storekeeper_changes WHERE transaction_id <= ?1", .integer(end))
        try connection.run("DELETE FROM storekeeper_transactions WHERE id <= ?1", .integer(end))
    }
}
