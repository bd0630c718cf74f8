import StoreSQLite

/// The full snapshot of the schema that the store has, as its front end described it: an older or newer program says from
/// it what differs.
package struct StoredSchema: Hashable, Sendable {
    package var identity: SchemaIdentity
    package var frontEnd: String
    /// The CREATE statements, in order.
    package var statements: [String]
    /// What the statements do not say: hash modifiers, delete rules, inverses…
    package var annotations: [String: String]

    package init(identity: SchemaIdentity, frontEnd: String, statements: [String], annotations: [String: String]) {
        self.identity = identity
        self.frontEnd = frontEnd
        self.statements = statements
        self.annotations = annotations
    }
}

extension StoredSchema {
    static let createStatement = """
        CREATE TABLE storekeeper_schema(version TEXT NOT NULL, fingerprint TEXT NOT NULL, front_end TEXT NOT NULL, \
        kind TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY(version, fingerprint, kind, name)) WITHOUT ROWID
        """

    /// Replaces what the store holds for this identity, within the transaction of the caller. Steps back that are kept beside it stay.
    package func write(_ connection: Connection) throws {
        let key = [Value.text(identity.version.description), .text(identity.fingerprint?.hex ?? "")]
        try connection.run(
            "DELETE FROM storekeeper_schema WHERE version = ? AND fingerprint = ? AND kind IN ('format', 'statement', 'annotation')",
            key[0],
            key[1])
        func insert(_ kind: String, _ name: String, _ text: String) throws {
            try connection.run(
                "INSERT INTO storekeeper_schema(version, fingerprint, front_end, kind, name, text) VALUES(?, ?, ?, ?, ?, ?)",
                key[0], key[1], .text(frontEnd), .text(kind), .text(name), .text(text))
        }
        try insert("format", "", "1")
        for (position, statement) in statements.enumerated() {
            let digits = String(position)
            try insert("statement", String(repeating: "0", count: max(0, 6 - digits.count)) + digits, statement)
        }
        for (name, text) in annotations { try insert("annotation", name, text) }
    }

    /// Every schema that the store remembers, by version.
    package static func identities(_ connection: Connection) throws -> [SchemaIdentity] {
        try connection.rows("SELECT version, fingerprint FROM storekeeper_schema WHERE kind = 'format'").compactMap { row in
            row[0].text.flatMap { SchemaVersion($0) }.map {
                SchemaIdentity(version: $0, fingerprint: row[1].text.flatMap { Fingerprint(hex: $0) })
            }
        }.sorted { $0.version < $1.version }
    }

    /// The snapshot for an identity; nil when the store does not hold it.
    package static func read(_ connection: Connection, _ identity: SchemaIdentity) throws -> StoredSchema? {
        let rows = try connection.rows(
            "SELECT front_end, kind, name, text FROM storekeeper_schema WHERE version = ? AND fingerprint = ? ORDER BY kind, name",
            .text(identity.version.description), .text(identity.fingerprint?.hex ?? ""))
        guard let frontEnd = rows.first?[0].text else { return nil }
        var schema = StoredSchema(identity: identity, frontEnd: frontEnd, statements: [], annotations: [:])
        for row in rows {
            guard let name = row[2].text, let text = row[3].text else { continue }
            if row[1].text == "statement" { schema.statements.append(text) }
            if row[1].text == "annotation" { schema.annotations[name] = text }
        }
        return schema
    }
}
