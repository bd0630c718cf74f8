import StoreMigration
import StoreShared
import StoreSQLite

/// The proof that a plan ends in one schema, whichever way a store comes there: made new at the target, step by step over every version
/// between, and in one go from each version; and back, where the plan allows that.
///
/// Every helper that makes or runs a plan for a test goes through it. Stores are in memory and hold what the plan's seeds put there.
package struct ThreeWays {
    private let plan: MigrationPlan

    package init(_ plan: MigrationPlan) {
        self.plan = plan
    }

    /// Where a store ended, for comparing.
    private struct End: Equatable {
        let identity: SchemaIdentity?
        let shape: Fingerprint
        let schema: RelationalSchema
        /// Type, name and table of everything, ours and SQLite's own included.
        let objects: [[Value]]

        init(_ connection: Connection, _ frontEnd: FrontEnd) throws {
            identity = try StoreMetadata.read(connection)?.identity
            schema = try RelationalSchema.read(connection)
            shape = schema.shape(frontEnd)
            // A key is an index of its own or not by its declaration alone; SQLite numbers them in the order in which they were made.
            objects = try connection.rows(
                "SELECT type, name, tbl_name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name, tbl_name")
        }

        /// What differs, for people.
        func difference(from other: End, _ frontEnd: FrontEnd) -> String? {
            if identity != other.identity { return "it is \(identity?.description ?? "no store")" }
            let lines = SchemaDifference(actual: schema, expected: other.schema, frontEnd: frontEnd).lines
            if shape != other.shape || !lines.isEmpty { return "its schema differs: \(lines.joined(separator: "; "))" }
            return objects == other.objects ? nil : "it holds \(objects) instead of \(other.objects)"
        }
    }

    /// - Throws: `Mismatch` that names the way and what differs; `StoreError` of a way that cannot be gone on an empty store.
    package func check() throws {
        let target = plan.target
        let fresh = try store(at: target.version)
        defer { fresh.close() }
        let expected = try End(fresh, target.frontEnd)
        guard expected.identity == target.identity, expected.shape == target.shape else {
            throw Mismatch("a new store at \(target.version) is not what the plan declares")
        }
        for start in plan.versions where start.version != target.version && plan.path(from: start.version) != nil {
            for steps in [[target.version], steps(from: start.version)] {
                let connection = try store(at: start.version)
                defer { connection.close() }
                for version in steps { try Self.run(plan(to: version), on: connection) }
                if let difference = try End(connection, target.frontEnd).difference(from: expected, target.frontEnd) {
                    let way = ([start.version] + steps).map(\.description).joined(separator: ", ")
                    throw Mismatch("a store that went \(way) is not as one made at \(target.version): \(difference)")
                }
            }
        }
    }

    /// Every version between a start and the target that the plan can stop at, the target last.
    private func steps(from start: SchemaVersion) -> [SchemaVersion] {
        var current = start
        var steps: [SchemaVersion] = []
        let isUp = start < plan.target.version
        let between = plan.versions.map(\.version).filter { isUp ? $0 <= plan.target.version : $0 >= plan.target.version }
        for version in isUp ? between : between.reversed() where isUp ? version > start : version < start {
            guard let part = try? plan(to: version), part.path(from: current) != nil else { continue }
            steps.append(version)
            current = version
        }
        return steps
    }

    private func plan(to version: SchemaVersion) throws -> MigrationPlan {
        try MigrationPlan(
            versions: plan.versions, stages: plan.stages, target: version, renamesInPlace: plan.renamesInPlace, seeds: plan.seeds,
            allowsReverse: plan.allowsReverse)
    }

    private func store(at version: SchemaVersion) throws -> Connection {
        let connection = try Connection.inMemory()
        let alone = try MigrationPlan(versions: plan.versions.filter { $0.version == version }, seeds: plan.seeds)
        _ = try Self.runner(alone, connection).create(epoch: 1, owner: "test")
        return connection
    }

    private static func run(_ plan: MigrationPlan, on connection: Connection) throws {
        _ = try runner(plan, connection).run(epoch: 1, owner: "test")
    }

    private static func runner(_ plan: MigrationPlan, _ connection: Connection) throws -> MigrationRunner {
        var options = MigrationOptions()
        options.backupsKept = nil
        options.allowsLoss = true
        // Nothing is read or written there: the store is in memory, and makes no backup.
        return MigrationRunner(connection: connection, location: try StoreLocation(path: "/tmp/none.store"), plan: plan, options: options)
    }

    package struct Mismatch: Error, CustomStringConvertible {
        package let description: String
        fileprivate init(_ description: String) { self.description = description }
    }
}
