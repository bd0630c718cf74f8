import StoreMigration
import StoreSQLite
import StoreShared

/// The plan that every actor of the fault harness has: five versions, each way of getting from one to the next once.
///
/// A row carries its own truth: `a` holds 'a' and its tag, `b` holds 'b' and its tag, but between 2.0.0 and 3.0.0 the two are exchanged. Who
/// reads with the wrong version in mind finds the wrong letter, where SQLite itself sees nothing wrong.
package enum FaultPlan {
    package static let versions = 1...5

    private static func statements(_ version: Int) -> [String] {
        var columns = "id INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL, epoch INTEGER NOT NULL, tag TEXT NOT NULL"
        if version >= 3 { columns += ", c TEXT" }
        if version >= 5 { columns += ", d TEXT" }
        var statements = ["CREATE TABLE note(\(columns))"]
        if version >= 2 { statements.append("CREATE TABLE exchanged(x INTEGER)") }
        if version >= 4 { statements.append("CREATE TABLE restored(x INTEGER)") }
        return statements
    }

    private static func snapshot(_ version: Int) throws -> SchemaSnapshot {
        try SchemaSnapshot(version: SchemaVersion(version, 0, 0), frontEnd: .sql, statements: statements(version))
    }

    /// The letter that column `a` begins with for readers of a version.
    package static func letter(_ version: Int) -> String { version == 2 || version == 3 ? "b" : "a" }

    package static func identity(_ version: Int) throws -> SchemaIdentity {
        try snapshot(version).identity
    }

    /// - Parameter failing: the version on the way to which the stage throws after its work.
    package static func plan(to target: Int, failing: Int? = nil) throws -> MigrationPlan {
        let snapshots = try versions.filter { $0 <= target }.map { try snapshot($0) }
        let exchange: PlannedStage.Script = { context in
            try context.connection.run("UPDATE note SET a = b, b = a")
            try context.advance(rows: 1)
        }
        func stage(_ to: Int, _ make: (_ from: SchemaVersion, _ to: SchemaVersion) -> PlannedStage) -> PlannedStage? {
            to <= target ? make(SchemaVersion(to - 1, 0, 0), SchemaVersion(to, 0, 0)) : nil
        }
        func script(_ version: Int, _ body: @escaping PlannedStage.Script) -> PlannedStage.Script {
            guard version == failing else { return body }
            return { context in
                try body(context)
                throw StoreError(.migrationFailed, "a failure that the schedule has ordered")
            }
        }
        let stages = [
            stage(2) { PlannedStage(from: $0, to: $1, kind: .custom(will: nil, did: script(2, exchange))) },
            stage(3) { from, to in
                guard failing == 3 else { return PlannedStage(from: from, to: to) }
                return PlannedStage(from: from, to: to, kind: .custom(will: nil, did: script(3) { _ in }))
            },
            stage(4) { PlannedStage(from: $0, to: $1, kind: .custom(will: nil, did: script(4, exchange)), isExclusive: true) },
            stage(5) { from, to in
                let batches = StageBatches(size: 2, table: "note", key: "id", keyIsText: false) { context, after, until in
                    try context.connection.run("UPDATE note SET d = 'd' || tag WHERE id > ? AND id <= ?", after, until)
                }
                return PlannedStage(
                    from: from, to: to, readableBy: snapshots.filter { $0.version == from }.map(\.identity), batches: batches)
            },
        ].compactMap { $0 }
        return try MigrationPlan(versions: snapshots, stages: stages)
    }

    /// Inserts one row as the store of that version has it.
    package static func insert(_ tag: String, epoch: Int64, at version: SchemaVersion, _ connection: Connection) throws {
        let isExchanged = letter(version.major) == "b"
        let (a, b) = isExchanged ? ("b" + tag, "a" + tag) : ("a" + tag, "b" + tag)
        try connection.run(
            "INSERT INTO note(a, b, epoch, tag) VALUES(?, ?, ?, ?)", .text(a), .text(b), .integer(epoch), .text(tag))
        if version.major >= 5 { try connection.run("UPDATE note SET d = 'd' || tag WHERE tag = ?", .text(tag)) }
    }
}
