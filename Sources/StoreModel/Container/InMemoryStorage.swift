import Foundation
import StoreMigration
import StoreSQLite

/// A store in memory: one private connection behind a lock. No files, no locks, gone with its container.
final class InMemoryStorage: ModelStorage, @unchecked Sendable {
    // Unchecked: the connection is used under the lock only.
    let storeIdentifier = UUID().uuidString
    let allowsSave: Bool
    let historyRetention: HistoryRetention?
    private let connection: Connection
    // Recursive: a model's own code may read a relationship while a row becomes a model.
    private let lock = NSRecursiveLock()
    private var commits: UInt64 = 0

    init(statements: [String], allowsSave: Bool, retention: HistoryRetention) throws {
        historyRetention = retention
        self.allowsSave = allowsSave
        connection = try Connection.inMemory()
        _ = try connection.equipped()
        for statement in statements { try connection.execute(statement) }
    }

    var commitCount: UInt64 { lock.withLock { commits } }

    var statementCounts: StatementCounts { lock.withLock { connection.counts } }

    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try lock.withLock { try body(connection) }
    }

    func write<T>(changing entities: Set<String>, _ body: (Connection) throws -> T) throws -> T {
        try lock.withLock {
            let result = try connection.writing { try body(connection) }
            commits += 1
            return result
        }
    }

    /// Nothing to give back: the store is gone with the last context.
    func close() {}
}
