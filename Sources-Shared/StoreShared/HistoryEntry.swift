import StoreSQLite

/// One row of `storekeeper_history`: a stage that was applied or failed, or what else made the store what it is.
package struct HistoryEntry: Hashable, Sendable {
    package enum Outcome: String, Hashable, Sendable, CaseIterable, Codable {
        case applied, failed, interrupted, created, adopted, restored, rolledBack
    }

    /// Nil for a store that was created.
    package var from: SchemaVersion?
    package var to: SchemaVersion
    package var outcome: Outcome
    package var reason: String?
    package var startedAt: Timestamp
    package var seconds: Double
    package var rows: Int64
    package var epoch: Int64
    /// Who did it, for people: program and pid.
    package var owner: String?
    /// The file of the backup that was made before.
    package var backup: String?
    package var fingerprintBefore: Fingerprint?
    package var fingerprintAfter: Fingerprint?

    package init(
        from: SchemaVersion?, to: SchemaVersion, outcome: Outcome, reason: String? = nil, startedAt: Timestamp, seconds: Double,
        rows: Int64, epoch: Int64, owner: String? = nil, backup: String? = nil, fingerprintBefore: Fingerprint? = nil,
        fingerprintAfter: Fingerprint? = nil
    ) {
        self.from = from
        self.to = to
        self.outcome = outcome
        self.reason = reason
        self.startedAt = startedAt
        self.seconds = seconds
        self.rows = rows
        self.epoch = epoch
        self.owner = owner
        self.backup = backup
        self.fingerprintBefore = fingerprintBefore
        self.fingerprintAfter = fingerprintAfter
    }
}

extension HistoryEntry {
    static let createStatement = """
        CREATE TABLE storekeeper_history(id INTEGER PRIMARY KEY AUTOINCREMENT, from_version TEXT, to_version TEXT NOT NULL, \
        outcome TEXT NOT NULL, reason TEXT, started_at TEXT NOT NULL, seconds REAL NOT NULL, rows INTEGER NOT NULL, \
        epoch INTEGER NOT NULL, owner TEXT, backup TEXT, fingerprint_before TEXT, fingerprint_after TEXT)
        """

    /// Appends the row, within the transaction of the caller.
    package func insert(_ connection: Connection) throws {
        func text(_ value: String?) -> Value { value.map { .text($0) } ?? .null }
        try connection.run(
            """
            INSERT INTO storekeeper_history(from_version, to_version, outcome, reason, started_at, seconds, rows, epoch, owner, backup, \
            fingerprint_before, fingerprint_after) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            text(from?.description), .text(to.description), .text(outcome.rawValue), text(reason), .text(startedAt.description),
            .real(seconds), .integer(rows), .integer(epoch), text(owner), text(backup), text(fingerprintBefore?.hex),
            text(fingerprintAfter?.hex))
    }

    /// Every row, oldest first. A row that cannot be understood is left out.
    package static func all(_ connection: Connection) throws -> [HistoryEntry] {
        let rows = try connection.rows(
            """
            SELECT from_version, to_version, outcome, reason, started_at, seconds, rows, epoch, owner, backup, fingerprint_before, \
            fingerprint_after FROM storekeeper_history ORDER BY id
            """)
        return rows.compactMap { row in
            guard let to = row[1].text.flatMap({ SchemaVersion($0) }), let outcome = row[2].text.flatMap({ Outcome(rawValue: $0) }),
                let started = row[4].text.flatMap({ Timestamp($0) })
            else { return nil }
            return HistoryEntry(
                from: row[0].text.flatMap { SchemaVersion($0) }, to: to, outcome: outcome, reason: row[3].text, startedAt: started,
                seconds: row[5].real ?? 0, rows: row[6].integer ?? 0, epoch: row[7].integer ?? 0, owner: row[8].text,
                backup: row[9].text, fingerprintBefore: row[10].text.flatMap { Fingerprint(hex: $0) },
                fingerprintAfter: row[11].text.flatMap { Fingerprint(hex: $0) })
        }
    }

    /// Every schema that the store once had and has left.
    package static func left(_ connection: Connection) throws -> [SchemaIdentity] {
        let rows = try connection.rows(
            """
            SELECT DISTINCT from_version, fingerprint_before FROM storekeeper_history \
            WHERE outcome IN ('applied', 'restored', 'rolledBack') AND from_version IS NOT NULL AND fingerprint_before IS NOT NULL
            """)
        return rows.compactMap { row in
            guard let version = row[0].text.flatMap({ SchemaVersion($0) }), let fingerprint = row[1].text.flatMap({ Fingerprint(hex: $0) })
            else { return nil }
            return SchemaIdentity(version: version, fingerprint: fingerprint)
        }
    }

    /// Whether the store once had that fingerprint under that number and has left it.
    package static func hasLeft(_ version: SchemaVersion, _ fingerprint: Fingerprint, _ connection: Connection) throws -> Bool {
        try !connection.rows(
            """
            SELECT 1 FROM storekeeper_history WHERE from_version = ? AND fingerprint_before = ? \
            AND outcome IN ('applied', 'restored', 'rolledBack') LIMIT 1
            """,
            .text(version.description), .text(fingerprint.hex)
        ).isEmpty
    }
}
