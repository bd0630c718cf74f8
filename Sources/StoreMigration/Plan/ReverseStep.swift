import FoundationEssentials
import StoreSQLite
import StoreShared

/// How a stage is taken back: a script on the newer schema, after which the schema is changed to the older one.
///
/// It is plain text, so that a store can keep it: an older program can go back without the newer one's plan.
package struct ReverseStep: Sendable, Hashable, Codable {
    /// The file that it came from, for messages.
    package var name: String
    /// The statements, empty where the change of the schema is all.
    package var script: String
    /// What the newer version calls otherwise, with the older name: `"note.body": "note.content"`.
    package var renames: [String: String]

    package init(name: String, script: String, renames: [String: String] = [:]) {
        self.name = name
        self.script = script
        self.renames = renames
    }

    /// The stage that goes back. What the older schema has no place for is lost: that is what whoever asks for it allows.
    package func stage(from newer: SchemaVersion, to older: SchemaVersion) -> PlannedStage {
        let script = PlanScript(file: PlanFile(name: name, text: script))
        let pairs = renames.sorted { SQLName.precedes($0.key, $1.key) }.compactMap { PlanRename(from: $0.key, to: $0.value) }
        return PlannedStage(
            from: newer, to: older, kind: .custom(will: script.lastCode, did: nil), renames: pairs.map(\.rename), losses: .allowed)
    }
}

extension ReverseStep {
    /// Keeps the step in the store, beside the snapshot of the newer version, within the transaction of the caller.
    package func keep(from newer: SchemaIdentity, to older: SchemaIdentity, _ connection: Connection) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try connection.run(
            """
            INSERT OR REPLACE INTO storekeeper_schema(version, fingerprint, front_end, kind, name, text) VALUES(?, ?, 'sql', 'reverse', ?, ?)
            """, .text(newer.version.description), .text(newer.fingerprint?.hex ?? ""), .text(older.description),
            .text(String(decoding: try encoder.encode(self), as: UTF8.self)))
    }

    /// The steps that the store keeps for going back from a version, each with where it leads.
    package static func kept(from newer: SchemaIdentity, _ connection: Connection) throws -> [(older: SchemaIdentity, step: ReverseStep)] {
        try connection.rows(
            "SELECT name, text FROM storekeeper_schema WHERE version = ? AND fingerprint = ? AND kind = 'reverse' ORDER BY name",
            .text(newer.version.description), .text(newer.fingerprint?.hex ?? "")
        ).compactMap { row in
            guard let older = row[0].text.flatMap({ SchemaIdentity($0) }), let text = row[1].text,
                let step = try? JSONDecoder().decode(ReverseStep.self, from: Data(text.utf8))
            else { return nil }
            return (older, step)
        }
    }
}
