import StoreShared
import StoreSQLite

/// Brings one store to the target of a plan, for the owner that holds its lock.
package final class MigrationRunner {
    private let connection: Connection
    private let location: StoreLocation
    private let plan: MigrationPlan
    private let options: MigrationOptions

    /// - Parameters:
    ///   - connection: the owner's one writing connection, with no transaction and no unfinished statement.
    ///   - cancellation: stops the migration from another thread.
    ///   - observer: called on the thread that runs the migration, from inside SQLite too: it must not use the connection.
    package init(
        connection: Connection, location: StoreLocation, plan: MigrationPlan, options: MigrationOptions = MigrationOptions(),
        cancellation: MigrationCancellation = MigrationCancellation(), observer: @escaping (MigrationEvent) -> Void = { _ in }
    ) {
        self.connection = connection
        self.location = location
        self.plan = plan
        self.options = options
    }
}
