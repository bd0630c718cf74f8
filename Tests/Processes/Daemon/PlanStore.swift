import Foundation
import PlanHarness
import ProcessHarness
import StoreMigration
import StoreSQLite
import Testing

/// A store for `storekeeperd`, and plans written in SQL, in a folder of their own.
final class PlanStore {
    let folder: TemporaryFolder
    let path: String
    private var plans = 0

    init() throws {
        folder = try TemporaryFolder()
        path = folder("shop.store")
    }

    /// A store at 1.0.0 with three notes.
    static func withNotes() throws -> PlanStore {
        let store = try PlanStore()
        try store.make([notes])
        try store.load("INSERT INTO note(content) VALUES('One'), ('Two'), ('Three')")
        return store
    }

    static let notes = [
        "1.0.0/schema.sql": "CREATE TABLE note(id INTEGER PRIMARY KEY, content TEXT NOT NULL); CREATE TABLE audit(what TEXT);"
    ]
    static let renamed = [
        "2.0.0/schema.sql": "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT NOT NULL); CREATE TABLE audit(what TEXT);",
        "2.0.0/stage.json": #"{"renames": {"note.content": "note.body"}}"#, "2.0.0/did.sql": "INSERT INTO audit VALUES('once');",
    ]
    /// A statement that takes minutes.
    static let slow =
        "INSERT INTO audit WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000000) SELECT count(*) FROM n;"

    /// Writes a plan from parts of it; later parts win. Gives its folder.
    func plan(_ parts: [[String: String]]) throws -> String {
        plans += 1
        let plan = folder("plan\(plans)")
        let files = parts.reduce(into: [:]) { $0.merge($1) { _, new in new } }
        for (name, text) in files {
            let url = URL(fileURLWithPath: "\(plan)/\(name)")
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: url, atomically: false, encoding: .utf8)
        }
        return plan
    }

    /// Runs the daemon to its end with `--migrate-only`.
    func migrate(_ parts: [[String: String]], _ options: String...) throws -> Outcome {
        try run(.storekeeperd, [path, "--plan", plan(parts), "--migrate-only"] + options)
    }

    /// Migrates, which must succeed, with a plan that leads to one schema on every way.
    func make(_ parts: [[String: String]], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let plan = try plan(parts)
        let outcome = try run(.storekeeperd, path, "--plan", plan, "--migrate-only")
        #expect(outcome.ending == .exit(0), "\(outcome)", sourceLocation: sourceLocation)
        try ThreeWays(SQLPlan(folder: plan).migrationPlan()).check()
    }

    /// Starts the daemon with a log in JSON.
    func daemon(_ parts: [[String: String]], _ options: String..., launcher: [String] = []) throws -> Program {
        try Program(.storekeeperd, [path, "--plan", plan(parts), "--log", "json"] + options, launcher: launcher)
    }

    /// Writes with nobody at home.
    func load(_ sql: String) throws {
        let connection = try Connection(path: path, access: .readWrite)
        defer { connection.close() }
        try connection.execute(sql)
    }

    func rows(_ sql: String) throws -> [[Value]] {
        let connection = try Connection(path: path, access: .readOnly)
        defer { connection.close() }
        return try connection.rows(sql)
    }

    func value(_ sql: String) throws -> Value? { try rows(sql).first?.first }

    var version: String { get throws { try run(.storectl, "version", path).output.first ?? "" } }

    var outcomes: [String] { get throws { try rows("SELECT outcome FROM storekeeper_history ORDER BY id").compactMap { $0[0].text } } }

    var backups: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path + ".keeper/backups").sorted()) ?? [] }
}

extension Program {
    /// The events of its log in JSON, in order.
    var events: [String] {
        output.lines.compactMap { line in
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["event"] as? String
        }
    }

    /// Waits for the first event of that name.
    func event(_ name: String, within seconds: Double = 60) throws {
        try line(containing: "\"event\":\"\(name)\"", within: seconds)
    }
}
