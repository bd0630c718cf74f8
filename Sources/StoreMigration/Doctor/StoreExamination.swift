import StoreSQLite
import StoreShared

/// One thing that a person should see: what it is about, what is wrong, what to do.
package struct Finding: Sendable, Hashable, Encodable {
    package let object: String
    package let problem: String
    package let remedy: String

    package init(object: String, problem: String, remedy: String) {
        self.object = object
        self.problem = problem
        self.remedy = remedy
    }
}

/// Every check that can be made from inside a store, in one snapshot.
package struct StoreExamination: Sendable {
    package private(set) var findings: [Finding] = []

    /// How many complaints of the integrity check are named.
    private static let complaintLimit = 20

    /// - Parameter metadata: what the store says of itself; nil where that cannot be read, and nothing can be compared with it.
    /// - Throws: `SQLiteError` where the snapshot could not be read and may be read at another time; damage is a finding.
    package init(_ connection: Connection, _ metadata: StoreMetadata?) throws {
        do {
            try examine(connection, metadata)
        } catch let error as SQLiteError where [.corrupt, .notADatabase, .error].contains(error.code.primary) {
            findings.append(
                Finding(
                    object: "database", problem: "the other checks cannot be made: \(error.message)",
                    remedy: "restore a backup; export what can still be read before"))
        }
    }

    private mutating func examine(_ connection: Connection, _ metadata: StoreMetadata?) throws {
        try checkIntegrity(connection)
        if let metadata {
            do {
                try SchemaDrift.check(connection, metadata)
            } catch let error as StoreError {
                findings.append(Finding(object: "schema", problem: error.message, remedy: error.remedy))
            }
            try checkMemory(connection, metadata)
        }
        let schema: RelationalSchema
        do {
            schema = try RelationalSchema.read(connection)
        } catch let error as SchemaParseError {
            findings.append(Finding(object: "schema", problem: "\(error)", remedy: "undo what was changed by hand, or restore a backup"))
            return
        }
        try checkKeys(connection, schema)
        for (name, reason) in CompileCheck.broken(in: connection, schema).sorted(by: { SQLName.precedes($0.key, $1.key) }) {
            findings.append(
                Finding(object: name, problem: "it does not compile: \(reason)", remedy: "correct or drop it in the next version"))
        }
        findings += try SearchExamination.findings(connection, schema)
        try checkLeftovers(connection)
    }

    private mutating func checkIntegrity(_ connection: Connection) throws {
        let check = try IntegrityCheck(connection, isQuick: false, limit: Self.complaintLimit)
        for complaint in check.damage {
            findings.append(
                Finding(object: "database", problem: complaint, remedy: "restore a backup; export what can still be read before"))
        }
        for complaint in check.brokenRules {
            findings.append(
                Finding(
                    object: "rows", problem: "some break what their table declares: \(complaint)",
                    remedy: "correct them; a migration that rebuilds the table names them and is refused"))
        }
    }

    private mutating func checkKeys(_ connection: Connection, _ schema: RelationalSchema) throws {
        let children = ForeignKeys.children(in: schema)
        let mismatches = ForeignKeys.mismatches(in: connection, schema)
        for (name, reason) in mismatches.sorted(by: { SQLName.precedes($0.key, $1.key) }) {
            findings.append(Finding(object: name, problem: reason, remedy: "give the parent a UNIQUE in the next version"))
        }
        let sound = children.map(\.name).filter { mismatches["table \($0)"] == nil }
        let violations = try ForeignKeys.violations(in: connection, of: sound) { $0 }
        for (key, count) in violations.counts.sorted(by: { SQLName.precedes($0.key, $1.key) }) {
            let rows = violations.rows.filter { "\($0.table) to \($0.parent)" == key }.compactMap(\.rowid).sorted()
            let examples = rows.prefix(DataCheck.exampleLimit).map { "row \($0)" }.joined(separator: ", ")
            findings.append(
                Finding(
                    object: "foreign key \(key)",
                    problem: "\(count) rows refer to rows that do not exist\(examples.isEmpty ? "" : ": \(examples)")",
                    remedy: "correct or remove these rows"))
        }
    }

    /// Objects under our names that are none of ours: a work table of a rebuild that never came to its end.
    private mutating func checkLeftovers(_ connection: Connection) throws {
        let workNames = ["storekeeper_new_", "storekeeper_rename_", "storekeeper_dropped_"]
        for object in try SchemaObject.all(in: connection) where workNames.contains(where: { SQLName.folded(object.name).hasPrefix($0) }) {
            findings.append(
                Finding(
                    object: "\(object.type) \(object.name)", problem: "it looks like what a rebuild has left, and belongs to no version",
                    remedy: "see what it holds, then drop it"))
        }
    }

    /// Whether the store remembers what it is.
    private mutating func checkMemory(_ connection: Connection, _ metadata: StoreMetadata) throws {
        if try StoredSchema.read(connection, metadata.identity) == nil {
            findings.append(
                Finding(
                    object: "schema of \(metadata.version)", problem: "the store does not remember the schema of its own version",
                    remedy: "restore a backup, or adopt it with its plan"))
        }
        if try HistoryEntry.all(connection).isEmpty {
            findings.append(Finding(object: "history", problem: "it has no row", remedy: "find out who removed them"))
        }
    }
}
