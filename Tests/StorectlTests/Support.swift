import Foundation
import PlanHarness
import ProcessHarness
import StoreMigration
import StoreOwner
import StoreShared
import Testing

/// A store in a folder of its own, with an owner in this process where a test wants one.
final class Fixture {
    let folder: TemporaryFolder
    let store: String
    private(set) var owner: StoreOwner?

    init() throws {
        folder = try TemporaryFolder()
        store = folder("notes.store")
    }

    deinit {
        owner?.close()
    }

    private static let schemas = [
        "CREATE TABLE note(id INTEGER PRIMARY KEY, content TEXT)", "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT)",
        "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT, words INTEGER)",
    ]

    /// A plan up to that major version: 2.0.0 renames a column, 3.0.0 adds one, which readers of 2.0.0 may ignore.
    static func plan(_ last: Int, will: PlannedStage.Script? = nil) throws -> MigrationPlan {
        let versions = try (1...last).map {
            try SchemaSnapshot(version: SchemaVersion($0, 0, 0), frontEnd: .sql, statements: [schemas[$0 - 1]])
        }
        let stages = (1..<max(last, 1)).map { number in
            PlannedStage(
                from: SchemaVersion(number, 0, 0), to: SchemaVersion(number + 1, 0, 0),
                kind: will == nil ? .lightweight : .custom(will: will, did: nil),
                renames: number == 1 ? [.column(table: "note", from: "content", to: "body")] : [])
        }
        let plan = try MigrationPlan(versions: versions, stages: stages)
        // Code of a test's own may be made to fail.
        if will == nil { try ThreeWays(plan).check() }
        return plan
    }

    /// Owns the store at that version, until `close`.
    func own(_ last: Int) throws {
        owner = try StoreOwner.open(at: try StoreLocation(path: store), plan: try Self.plan(last))
    }

    func close() {
        owner?.close()
        owner = nil
    }

    /// Makes the store at that version, nobody at home.
    func make(_ last: Int) throws {
        try own(last)
        close()
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }
}

extension Outcome {
    var status: Int32? {
        if case .exit(let status) = ending { status } else { nil }
    }

    /// The one JSON object on standard output.
    var json: [String: Any] {
        get throws {
            let line = try #require(output.count == 1 ? output[0] : nil, "\(self)")
            return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }
}
