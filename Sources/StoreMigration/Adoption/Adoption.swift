import StoreSQLite
import StoreShared

/// How a database that was made otherwise, changed by hand, or has lost what it said of itself becomes a store at a version of a plan.
package struct Adoption: Sendable {
    /// The version that it is taken for, with what it has beyond it.
    package let version: SchemaSnapshot
    /// What the store says of itself; nil for a database of another program, and where nobody can tell any more.
    package let before: StoreMetadata?
    /// What can still be read of a store that cannot say what it is; nil for a whole one, and for a database of another program.
    package let rest: LiveStore?

    /// Whether the store is that version already, as it stands, and remembers its schema.
    package let isDone: Bool

    private init(_ connection: Connection, _ version: SchemaSnapshot, _ found: LiveStore?) throws {
        self.version = version
        before = found?.metadata
        rest = before == nil ? found : nil
        let isThere = before.map { $0.identity == version.identity && $0.shape == version.shape } ?? false
        isDone = try isThere && StoredSchema.read(connection, version.identity) != nil
    }
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
        let found = try whatIsLeft(connection)
        let before = found?.metadata
        if let target = found?.target {
            throw StoreError(
                .planRefused, "\(path) is on its way from \(before?.version.description ?? "an unknown version") to \(target), in batches",
                remedy: before == nil ? "restore a backup" : "let its owner finish them first", path: path, storeVersion: before?.version)
        }
        let actual = try read(connection)
        if let number {
            guard let version = plan.snapshot(number) else {
                throw StoreError(
                    .misuse, "the plan has no version \(number)",
                    remedy: "choose one of \(plan.versions.map(\.version.description).joined(separator: ", "))", path: path)
            }
            return try match(connection, actual, version, found, allowsExtra)
        }
        if let before, let own = plan.snapshot(before.fingerprint) { return try match(connection, actual, own, found, allowsExtra) }
        let equal = plan.versions.filter { actual.shape($0.frontEnd) == $0.shape }
        if equal.count > 1 {
            throw StoreError(
                .planRefused,
                "\(path) has the shape of several versions: \(equal.map(\.version.description).joined(separator: ", "))",
                remedy: "say which one it is", path: path)
        }
        if let version = equal.first { return try Adoption(connection, version, found) }
        // The version from which it differs least says the most.
        let nearest = plan.versions.min { differences(actual, $0).count < differences(actual, $1).count }
        return try match(connection, actual, nearest ?? plan.target, found, allowsExtra)
    }

    /// What a store says of itself, as far as it can; nil for a database of another program.
    private static func whatIsLeft(_ connection: Connection) throws -> LiveStore? {
        guard try StoreMetadata.hasTraces(in: connection) else { return nil }
        do {
            _ = try StoreMetadata.read(connection)
        } catch let error as StoreError where error.code == .unreadable {
            // Damaged; what another release has written is not.
        }
        return try LiveStore(connection, wasStore: true)
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
        _ connection: Connection, _ actual: RelationalSchema, _ version: SchemaSnapshot, _ found: LiveStore?, _ allowsExtra: Bool
    ) throws -> Adoption {
        let path = connection.path
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
                path: path, storeVersion: found?.metadata?.version, wantedVersion: version.version)
        }
        return try Adoption(connection, reached, found)
    }

    /// Makes the database a store at the version, within the write transaction of the caller.
    ///
    /// Tables of ours that are there already stay with what they hold, if they have our form: history, schemas and steps back go on.
    ///
    /// - Parameters:
    ///   - record: the believed record, nil without one.
    ///   - owner: who does it, for the history.
    package func apply(_ connection: Connection, record: PublishedRecord?, owner: String) throws -> StoreMetadata {
        let started = Timestamp.now
        let known = before?.storeID ?? rest?.storeID
        let record = record.flatMap { known == nil || $0.storeID == known ? $0 : nil }
        let epoch = max(before?.epoch ?? rest?.epoch ?? 0, record?.epoch ?? 0) + 1
        let published = record?.generation ?? 0
        var metadata: StoreMetadata
        if let before {
            metadata = before
            metadata.generation = try StoreMetadata.generation(above: before.generation, published, of: connection.path)
        } else {
            // What another program kept in these numbers is remembered: both become ours.
            let userVersion = rest == nil ? try connection.scalar("PRAGMA user_version")?.integer : nil
            let applicationID = rest == nil ? try connection.scalar("PRAGMA application_id")?.integer : nil
            try StoreMetadata.makeTables(connection)
            metadata = StoreMetadata(
                // A store that has forgotten its identity is the one that was published, and takes its backups.
                storeID: try known ?? (rest == nil ? nil : record?.storeID) ?? StoreMetadata.newStoreID(),
                frontEnd: version.frontEnd.rawValue,
                version: version.version, fingerprint: version.fingerprint, shape: version.shape, readableBy: [], epoch: epoch,
                generation: try StoreMetadata.generation(above: rest?.usableGeneration ?? 0, published, of: connection.path),
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
        let reasons = [
            rest?.damage.map { "it could not say what it is: \($0)" }, beyond.isEmpty ? nil : "beyond the version: \(beyond)",
        ].compactMap { $0 }
        try HistoryEntry(
            from: before?.version, to: version.version, outcome: .adopted, reason: reasons.isEmpty ? nil : reasons.joined(separator: "; "),
            startedAt: started, seconds: 0, rows: 0, epoch: epoch, owner: owner, fingerprintBefore: before?.fingerprint,
            fingerprintAfter: version.fingerprint
        ).insert(connection)
        return metadata
    }
}
