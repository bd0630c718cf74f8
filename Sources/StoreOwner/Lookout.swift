import StoreSQLite
import StoreShared

/// A connection that cannot write, for looking at the store before there is one that can: before the owner lock is taken, and again under
/// it. It is kept between the two, so that a look costs its statements once.
final class Lookout {
    private let location: StoreLocation
    private var connection: Connection?

    init(_ location: StoreLocation) {
        self.location = location
    }

    deinit {
        close()
    }

    /// Runs `body` in one read transaction.
    func reading<T>(_ body: (Connection) throws -> T) throws -> T {
        if connection?.hasMoved == true { close() }
        let connection = try connection ?? Connection(path: location.store, access: .readOnly)
        self.connection = connection
        return try connection.reading { try body(connection) }
    }

    func close() {
        connection?.close()
        connection = nil
    }
}
