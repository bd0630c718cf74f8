import StoreMigration
import StoreSQLite
import StoreShared

/// What a look into the store showed: all of one snapshot.
package struct StoreSight: Sendable {
    /// What the store is for the one who looks.
    package var state: StoreState
    /// What it says of itself; nil when it is no store, or cannot be read.
    package var metadata: StoreMetadata?
    /// Why it is not what it should be, for people.
    package var problem: StoreError?
    /// Whether an owner mends it as soon as one comes: waiting may help although nothing can be read.
    package var waitsForOwner = false
    /// The schema that was compared with the recorded one; nil when it was not, or differs.
    package var shape: CheckedShape?
    /// What it was looked at through, where it is readable.
    package var connection: HandedConnection?
}

extension StoreSight {
    /// Looks from inside a read transaction.
    ///
    /// - Parameters:
    ///   - wanted: nil to ask for what the store is.
    ///   - checksShape: whether to tell a schema that was changed by hand, which reads all of it.
    ///   - known: the schema that was compared before; that one is not compared again.
    ///   - generation, cookie: those of the snapshot, where they have been read.
    /// - Throws: `SQLiteError`, where the snapshot could not be read.
    package static func look(
        in connection: Connection, for wanted: SchemaIdentity?, checksShape: Bool = true, known: CheckedShape? = nil,
        generation: Int64? = nil,
        cookie: Int64? = nil
    ) throws -> StoreSight {
        let path = connection.path
        let found: StoreMetadata?
        do {
            found = try StoreMetadata.read(connection, generation: generation)
        } catch let error as StoreError {
            return StoreSight(state: error.code == .storeTooNew ? .newer : .unreadable, problem: error)
        }
        guard let metadata = found else {
            if try connection.rows("SELECT 1 FROM sqlite_schema LIMIT 1").isEmpty {
                return StoreSight(
                    state: .empty,
                    problem: StoreError(.absent, "\(path) is empty", remedy: "start its owner, which makes the store", path: path))
            }
            return StoreSight(
                state: .foreign,
                problem: StoreError(
                    .foreign, "\(path) is a database, but no store of Storekeeper", remedy: "check the path, or adopt the database",
                    path: path))
        }
        let shape = checksShape ? CheckedShape(metadata: metadata, cookie: try cookie ?? StoreMetadata.cookie(of: connection)) : nil
        if checksShape, shape != known {
            do {
                try SchemaDrift.check(connection, metadata)
            } catch let error as StoreError {
                return StoreSight(state: error.code == .storeTooNew ? .newer : .drifted, metadata: metadata, problem: error)
            }
        }
        guard let wanted else { return StoreSight(state: .readable, metadata: metadata, shape: shape) }
        var hasLeft = false
        if let fingerprint = wanted.fingerprint, wanted.version == metadata.version, fingerprint != metadata.fingerprint {
            hasLeft = try HistoryEntry.hasLeft(wanted.version, fingerprint, connection)
        }
        return StoreSight(state: metadata.state(for: wanted, hasLeft: hasLeft), metadata: metadata, shape: shape)
    }

    /// Opens the store read-only, looks, and closes it again unless it can be read. Waits a while for locks that pass by themselves.
    ///
    /// - Throws: `StoreError.system` when this process, not the store, is at fault: it has run out of descriptors.
    package static func look(
        at location: StoreLocation, for wanted: SchemaIdentity?, checksShape: Bool = true, patience: Duration = .seconds(2)
    ) throws -> StoreSight {
        if let sight = lookAtFile(location) { return sight }
        return try ReadFailure.retrying(within: patience) {
            let connection = try Connection(path: location.store, access: .readOnly, busyTimeout: .milliseconds(500))
            var isKept = false
            defer { if !isKept { connection.close() } }
            var sight = try connection.reading { try look(in: connection, for: wanted, checksShape: checksShape) }
            isKept = sight.state == .readable
            if isKept { sight.connection = HandedConnection(connection) }
            return sight
        } failed: {
            try $0.sight(of: location)
        }
    }

    /// What the file alone tells without being opened; nil when SQLite has to look.
    static func lookAtFile(_ location: StoreLocation) -> StoreSight? {
        let path = location.store
        let facts: FileFacts
        do {
            facts = try System.stat(path)
        } catch {
            if error.isMissing {
                let problem = StoreError(
                    .absent, "there is no store at \(path)", remedy: "start its owner, or correct the path", path: path)
                return StoreSight(state: .absent, problem: problem)
            }
            let problem = StoreError(
                .unreadable, "\(path) cannot be reached", remedy: "ask for permission to enter its folder", path: path, cause: error)
            return StoreSight(state: .unreadable, problem: problem)
        }
        if facts.kind != .regular {
            let what = facts.kind == .folder ? "a folder" : "no plain file"
            let problem = StoreError(.unreadable, "\(path) is \(what), not a store", remedy: "name the file of the store", path: path)
            return StoreSight(state: .unreadable, problem: problem)
        }
        if let problem = location.unfinishedMove { return StoreSight(state: .unreadable, problem: problem) }
        if facts.links > 1 {
            let problem = StoreError(
                .unsuitablePlace, "\(path) has \(facts.links) hard links, and SQLite would keep a log for each name",
                remedy: "remove the other names, or copy the store to a file of its own", path: path)
            return StoreSight(state: .unreadable, problem: problem)
        }
        if facts.size == 0 {
            let problem = StoreError(.absent, "\(path) is an empty file", remedy: "start its owner, which makes the store", path: path)
            return StoreSight(state: .empty, problem: problem)
        }
        return nil
    }
}
