import StoreSQLite
import Synchronization

/// The connection that a store was judged through, for the reader that comes of it: what SQLite has read of the schema, and the statements
/// that were compiled, serve its first read. It is in no transaction.
///
/// Whoever takes it has it; it closes with the last who could.
package final class HandedConnection: Sendable {
    /// Used by one thread at a time: it goes from the one that judged to the one that takes it, by way of the lock.
    private struct Box: @unchecked Sendable {
        var connection: Connection?
    }

    private let box: Mutex<Box>

    init(_ connection: Connection) {
        box = Mutex(Box(connection: connection))
    }

    /// Nil where somebody has taken it, or where another file stands at the path by now.
    func take() -> Connection? {
        let taken = box.withLock { box in
            defer { box.connection = nil }
            return Box(connection: box.connection)
        }
        guard let connection = taken.connection else { return nil }
        guard !connection.hasMoved else {
            connection.close()
            return nil
        }
        return connection
    }

    deinit {
        box.withLock { $0.connection?.close() }
    }
}
