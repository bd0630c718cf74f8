import StoreShared
import StoreSQLite

/// The whole schema of one version of a plan: never a difference from another one.
package struct SchemaSnapshot: Sendable {
    package let version: SchemaVersion
    package let frontEnd: FrontEnd
    /// The CREATE statements as they were given, in their order.
    package let statements: [String]
    /// What the statements do not say but counts: hash modifiers, delete rules, inverses…
    package let annotations: [String: String]
    /// What SQLite makes of the statements.
    package let schema: RelationalSchema
    /// SHA-256 over the normalised schema; a store can tell its own.
    package let shape: Fingerprint
    /// SHA-256 over the shape and the annotations.
    package let fingerprint: Fingerprint
    /// What a store is let have beyond the statements; part of `schema` and `shape`, not of the fingerprint.
    package let tolerated: ToleratedObjects

    package var identity: SchemaIdentity { SchemaIdentity(version: version, fingerprint: fingerprint) }

    /// Runs the statements in a database in memory and reads the schema back.
    ///
    /// - Throws: `StoreError.planRefused` naming the version and the statement that SQLite does not accept, or a reserved name.
    package init(version: SchemaVersion, frontEnd: FrontEnd, statements: [String], annotations: [String: String] = [:]) throws {
        self.version = version
        self.frontEnd = frontEnd
        self.statements = statements
        self.annotations = annotations
        let connection = try Connection.inMemory()
        defer { connection.close() }
        for statement in statements {
            do {
                try connection.run(statement)
            } catch {
                throw StoreError(
                    .planRefused, "version \(version) of the plan has a statement that SQLite does not accept: \(statement)",
                    remedy: "correct the statement", cause: error)
            }
        }
        let objects = try SchemaObject.all(in: connection)
        if let reserved = objects.first(where: { SQLName.folded($0.name).hasPrefix("storekeeper_") }) {
            throw StoreError(
                .planRefused, "version \(version) of the plan makes the \(reserved.type) \(reserved.name), whose name is reserved",
                remedy: "give it a name that does not begin with storekeeper_")
        }
        do {
            schema = try RelationalSchema.read(connection)
        } catch {
            throw StoreError(.planRefused, "version \(version) of the plan cannot be understood", cause: error)
        }
        shape = schema.shape(frontEnd)
        fingerprint = Self.fingerprint(shape, annotations)
        tolerated = ToleratedObjects()
    }

    /// The same version as a store has it that was adopted with more than the version declares.
    ///
    /// - Throws: `StoreError.planRefused` naming what cannot be beside this version.
    package func tolerating(_ objects: ToleratedObjects) throws -> SchemaSnapshot {
        objects.isEmpty ? self : try SchemaSnapshot(self, tolerating: objects)
    }

    private init(_ declared: SchemaSnapshot, tolerating objects: ToleratedObjects) throws {
        version = declared.version
        frontEnd = declared.frontEnd
        statements = declared.statements
        annotations = declared.annotations
        fingerprint = declared.fingerprint
        let connection = try Connection.inMemory()
        defer { connection.close() }
        for statement in statements { try connection.run(statement) }
        tolerated = try objects.added(to: connection, version: version)
        schema = try RelationalSchema.read(connection)
        shape = schema.shape(frontEnd)
    }

    private static func fingerprint(_ shape: Fingerprint, _ annotations: [String: String]) -> Fingerprint {
        var hash = SHA256()
        hash.update(shape.hex)
        for (name, text) in annotations.sorted(by: { SQLName.precedes($0.key, $1.key) }) {
            // Lengths first, so that no two sets of annotations give the same bytes.
            hash.update("\n\(name.utf8.count) \(name) \(text.utf8.count) \(text)")
        }
        return Fingerprint(hex: hexadecimal(hash.finish())) ?? shape
    }
}

extension SchemaSnapshot {
    /// The form in which a store keeps it.
    var stored: StoredSchema {
        StoredSchema(identity: identity, frontEnd: frontEnd.rawValue, statements: statements, annotations: annotations)
    }

    /// The snapshot that a store keeps; nil if its front end is unknown to this release.
    package init?(_ stored: StoredSchema) throws {
        guard let frontEnd = FrontEnd(rawValue: stored.frontEnd) else { return nil }
        try self.init(
            version: stored.identity.version, frontEnd: frontEnd, statements: stored.statements, annotations: stored.annotations)
    }
}
