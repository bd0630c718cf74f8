import FoundationEssentials
import PlanHarness
import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

/// A plan folder of one test, removed with the test.
final class WrittenPlan {
    let path: String

    /// - Parameter files: texts by name, such as `2.0.0/schema.sql`.
    init(_ files: [String: String]) throws {
        path = "/tmp/storekeeper-plan-\(try StoreMetadata.newStoreID())"
        try System.makeFolder(path, mode: 0o755)
        for (name, text) in files { try write(name, Array(text.utf8)) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let parts = name.split(separator: "/")
        if parts.count > 1 { try? System.makeFolder("\(path)/\(parts[0])", mode: 0o755) }
        try System.writeAll(System.open("\(path)/\(name)", [.write, .create], mode: 0o644), bytes, path: name)
    }

    /// Reads it, and proves that it leads to one schema on every way.
    func read() throws -> SQLPlan {
        let plan = try SQLPlan(folder: path)
        try ThreeWays(plan.migrationPlan()).check()
        return plan
    }

    /// What reading says, the empty string if it succeeds.
    func refusal() -> String {
        do {
            _ = try read()
            return ""
        } catch let error as StoreError {
            return error.code == .planRefused ? error.description : "\(error.code): \(error)"
        } catch {
            return "no StoreError: \(error)"
        }
    }
}

extension WrittenPlan {
    static let oldNote = "CREATE TABLE note(id INTEGER PRIMARY KEY, content TEXT NOT NULL);\n"
    static let newNote = "CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT NOT NULL);\n"

    /// Two versions of a small schema, the second with other files on top.
    static func notes(_ files: [String: String], schema: String = newNote, renames: Bool = true) throws -> WrittenPlan {
        var all = ["1.0.0/schema.sql": oldNote, "2.0.0/schema.sql": schema]
        if renames { all["2.0.0/stage.json"] = #"{"renames": {"note.content": "note.body"}}"# }
        for (name, text) in files { all["2.0.0/" + name] = text }
        return try WrittenPlan(all)
    }
}
