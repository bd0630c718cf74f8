import StoreSQLite
import StoreShared

extension StoreSight {
    /// Reads a store in one snapshot, through a connection that cannot write. Waits a while for locks that pass by themselves.
    ///
    /// - Parameter body: gets the connection inside the read transaction. It may be called again when the snapshot could not be read.
    /// - Throws: `StoreError` for what is no store or cannot be read, `.system` when this process has run out of descriptors; what
    ///   `body` throws.
    package static func read<T>(
        _ location: StoreLocation, patience: Duration = .seconds(2), _ body: (Connection, StoreMetadata) throws -> T
    ) throws -> T {
        try readDatabase(location, patience: patience) { connection in
            let sight = try look(in: connection, for: nil, checksShape: false)
            guard let metadata = sight.metadata else {
                throw sight.problem
                    ?? StoreError(.unreadable, "\(location.store) cannot be read", remedy: "check the path", path: location.store)
            }
            return try body(connection, metadata)
        }
    }

    /// As `read`, of a database as it is: whether or not it says that it is a store.
    package static func readDatabase<T>(
        _ location: StoreLocation, patience: Duration = .seconds(2), _ body: (Connection) throws -> T
    ) throws -> T {
        if let problem = lookAtFile(location)?.problem { throw problem }
        return try ReadFailure.retrying(within: patience) {
            let connection = try Connection(path: location.store, access: .readOnly, busyTimeout: .milliseconds(500))
            defer { connection.close() }
            return try connection.reading { try body(connection) }
        } failed: {
            throw try $0.sight(of: location).problem ?? $0.error
        }
    }
}
