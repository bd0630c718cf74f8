import StoreShared
import StoreSQLite

/// A schema that somebody changed by hand: the one that the store has is not the one that it recorded.
package enum SchemaDrift {
    /// Compares shapes, which costs one statement; only a difference costs more.
    ///
    /// - Parameter name: how the store is called; nil for its path.
    /// - Throws: `StoreError.drifted` with every difference by table and column; `.storeTooNew` when the front end is unknown.
    package static func check(_ connection: Connection, _ metadata: StoreMetadata, as name: String? = nil) throws {
        let path = name ?? connection.path
        guard let frontEnd = FrontEnd(rawValue: metadata.frontEnd) else {
            throw StoreError(
                .storeTooNew, "\(path) was made by a newer release: its schema is written as \(metadata.frontEnd)",
                remedy: "use that release of Storekeeper", path: path, storeVersion: metadata.version)
        }
        let found: Fingerprint
        do {
            found = try RelationalSchema.shape(of: connection, frontEnd)
        } catch let error as SchemaParseError {
            throw drifted(path, metadata, ["\(error)"])
        }
        guard found != metadata.shape else { return }
        throw drifted(path, metadata, try differences(connection, metadata, frontEnd))
    }

    /// Whether a store has the schema that it says it has, and remembers that schema itself: a copy in which they differ would be refused by
    /// everybody once it were the store.
    ///
    /// - Parameter name: how the store is called; nil for its path.
    /// - Throws: as `check`; `StoreError.unreadable` saying what it does not remember.
    package static func checkMemory(_ connection: Connection, _ metadata: StoreMetadata, as name: String? = nil) throws {
        try check(connection, metadata, as: name)
        func strange(_ what: String) -> StoreError { StoreError(.unreadable, what, path: name ?? connection.path) }
        for identity in [metadata.identity, metadata.target].compactMap({ $0 }) {
            guard let stored = try StoredSchema.read(connection, identity) else {
                throw strange("it says that it is at \(identity), and remembers no such schema")
            }
            guard let snapshot = try SchemaSnapshot(stored), snapshot.identity == identity else {
                throw strange("the schema that it remembers for \(identity.version) is not the one that its fingerprint names")
            }
            guard identity == metadata.target ?? metadata.identity else { continue }
            guard try snapshot.tolerating(ToleratedObjects(metadata)).shape == metadata.shape else {
                throw strange("it has not the schema that it remembers for \(identity.version)")
            }
        }
    }

    /// One line a difference between the schema and the one recorded.
    private static func differences(_ connection: Connection, _ metadata: StoreMetadata, _ frontEnd: FrontEnd) throws -> [String] {
        guard let stored = try StoredSchema.read(connection, metadata.target ?? metadata.identity),
            let recorded = try SchemaSnapshot(stored)?.tolerating(ToleratedObjects(metadata))
        else {
            return []
        }
        let actual = try RelationalSchema.read(connection)
        return SchemaDifference(actual: actual, expected: recorded.schema, frontEnd: frontEnd).lines
    }

    private static func drifted(_ path: String, _ metadata: StoreMetadata, _ lines: [String]) -> StoreError {
        let what = lines.isEmpty ? "" : ": " + lines.joined(separator: "; ")
        return StoreError(
            .drifted, "the schema of \(path) is not the one that it recorded for \(metadata.version), somebody changed it by hand\(what)",
            remedy: "undo the change, or restore a backup", path: path, storeVersion: metadata.version)
    }
}
