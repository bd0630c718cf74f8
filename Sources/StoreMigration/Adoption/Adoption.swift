import StoreSQLite
import StoreShared

/// How a database that was made otherwise, or changed by hand, becomes a store at a version of a plan.
package struct Adoption: Sendable {
    /// The version that it is taken for, with what it has beyond it.
    package let version: SchemaSnapshot
    /// What the store says of itself; nil for a database of another program.
    package let before: StoreMetadata?

    /// Whether the store is that version already, as it stands.
    package var isDone: Bool { before.map { $0.identity == version.identity && $0.shape == version.shape } ?? false }
}

extension Adoption {
    /// Finds the version that a database has, within the transaction of the caller. Changes nothing.
    ///
    /// - Parameters:
    ///   - number: the version to take it for; nil for the one whose shape it has.
    ///   - allowsExtra: whether it may have columns and objects that the version does not know.
    /// - Throws: `StoreError.absent` for an empty database, `.drifted` with every difference by table and column, `.planRefused` where
    ///   several versions have the shape or the store is in the middle of a stage, `.misuse` for a version that the plan lacks.
    package static func find(
        _ connection: Connection, _ plan: MigrationPlan, as number: SchemaVersion? = nil, allowsExtra: Bool = false
    ) throws -> Adoption {
        let path = connection.path
        if try connection.scalar("SELECT 1 FROM sqlite_schema LIMIT 1") == nil {
            throw StoreError(.absent, "\(path) is empty", remedy: "start its owner, which makes the store", path: path)
        }
        let before = try StoreMetadata.read(connection)
        if let before, let target = before.target {
            throw StoreError(
                .planRefused, "\(path) is on its way from \(before.version) to \(target.version), in batches",
                remedy: "let its owner finish them first", path: path, storeVersion: before.version)
        }
        let actual = try read(connection)
        if let number {
            guard let version = plan.snapshot(number) else {
                throw StoreError(
                    .misuse, "the plan has no version \(number)",
                    remedy: "choose one of \(plan.versions.map(\.version.description).joined(separator: ", "))", path: path)
            }
            return try match(actual, version, before, allowsExtra, path)
        }
        if let before, let own = plan.snapshot(before.fingerprint) { return try match(actual, own, before, allowsExtra, path) }
        let equal = plan.versions.filter { actual.shape($0.frontEnd) == $0.shape }
        if equal.count > 1 {
            throw StoreError(
                .planRefused,
                "\(path) has the shape of several versions: \(equal.map(\.version.description).joined(separator: ", "))",
                remedy: "say which one it is", path: path)
        }
        if let version = equal.first { return Adoption(version: version, before: before) }
        // The version from which it differs least says the most.
        let nearest = plan.versions.min { differences(actual, $0).count < differences(actual, $1).count }
        return try match(actual, nearest ?? plan.target, before, allowsExtra, path)
    }

    private static func read(_ connection: Connection) throws -> RelationalSchema {
        do {
            return try RelationalSchema.read(connection)
        } catch let error as SchemaParseError {
            throw StoreError(
                .drifted, "the schema of \(connection.path) cannot be understood", remedy: "see the cause", path: connection.path,
                cause: error)
        }
    }

    private static func differences(_ actual: RelationalSchema, _ version: SchemaSnapshot) -> [String] {
        SchemaDifference(actual: actual, expected: version.schema, frontEnd: version.frontEnd).lines
    }

    private static func match(
        _ actual: RelationalSchema, _ version: SchemaSnapshot, _ before: StoreMetadata?, _ allowsExtra: Bool, _ path: String
    ) throws -> Adoption {
        let extra = ToleratedObjects(in: actual, beyond: version.schema)
        let reached = allowsExtra ? try version.tolerating(extra) : version
        let lines = differences(actual, reached)
        guard lines.isEmpty else {
            let remedy =
                allowsExtra || extra.isEmpty
                ? "correct the database or the plan"
                : "allow what is there beyond the version by --allow-extra, or correct the database or the plan"
            throw StoreError(
                .drifted, "\(path) has not the schema of version \(version.version): \(lines.joined(separator: "; "))", remedy: remedy,
                path: path, storeVersion: before?.version, wantedVersion: version.version)
        }
        return Adoption(version: reached, before: before)
    }

    /// Makes the database a store at the version, within the write transaction of the caller.
    ///
    /// - Parameters:
    ///   - epoch: of whoever does it.
    ///   - owner: who does it, for the history.
    ///   - recordGeneration: the generation of a believed record, 0 without one.
    package func apply(_ connection: Connection, epoch: Int64, owner: String, recordGeneration: Int64 = 0) throws -> StoreMetadata {
        let started = Timestamp.now
        var metadata: StoreMetadata
        if let before {
            metadata = before
            metadata.generation = max(before.generation, recordGeneration) + 1
        } else {
            // What another program kept in these numbers is remembered: both become ours.
            let userVersion = try connection.scalar("PRAGMA user_version")?.integer
            let applicationID = try connection.scalar("PRAGMA application_id")?.integer
            for statement in StoreMetadata.createStatements { try connection.run(statement) }
            metadata = StoreMetadata(
                storeID: try StoreMetadata.newStoreID(), frontEnd: version.frontEnd.rawValue, version: version.version,
                fingerprint: version.fingerprint, shape: version.shape, readableBy: [], epoch: epoch, generation: recordGeneration + 1,
                adoptedUserVersion: userVersion, adoptedApplicationID: applicationID)
        }
        metadata.frontEnd = version.frontEnd.rawValue
        (metadata.version, metadata.fingerprint, metadata.shape) = (version.version, version.fingerprint, version.shape)
        metadata.readableBy = [version.identity]
        metadata.epoch = epoch
        metadata.tolerated = version.tolerated.text
        try metadata.write(connection)
        // Written again, it would lose the steps back that are kept with it.
        if try StoredSchema.read(connection, version.identity) == nil { try version.stored.write(connection) }
        let beyond = version.tolerated.descriptions.joined(separator: "; ")
        try HistoryEntry(
            from: before?.version, to: version.version, outcome: .adopted, reason: beyond.isEmpty ? nil : "beyond the version: \(beyond)",
            startedAt: started, seconds: 0, rows: 0, epoch: epoch, owner: owner, fingerprintBefore: before?.fingerprint,
            fingerprintAfter: version.fingerprint
        ).insert(connection)
        return metadata
    }
}
