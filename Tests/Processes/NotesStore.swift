import Foundation
import ProcessHarness
import StoreSQLite
import Testing

/// A store of notes at 1.0.0 in a folder of its own, as the first release left it: closed, and with notes that it stored twice.
final class NotesStore: Sendable {
    static let count = 3000

    let folder: TemporaryFolder
    let path: String
    /// What `notes-reader --digest` said of it.
    let digest: [String: String]

    /// Copies the store that all tests start from.
    convenience init() throws {
        try self.init(copying: NotesStore.template.get())
    }

    private init(copying original: NotesStore) throws {
        folder = try TemporaryFolder()
        path = folder("notes.store")
        digest = original.digest
        try copyStore(original.path, to: path)
    }

    private init(importing count: Int) throws {
        folder = try TemporaryFolder()
        path = folder("notes.store")
        let packages = folder("packages")
        try packageDatabase().write(toFile: packages, atomically: false, encoding: .utf8)
        let outcome = try run(.notesd, path, "--to", "1.0.0", "--import", packages, "--notes", "\(count)", "--migrate-only", within: 300)
        guard outcome.ending == .exit(0) else { throw HarnessError("the import failed: \(outcome)") }
        digest = try NotesStore.digest(of: path, for: "1.0.0")
    }

    /// Made once, and removed when the process of the tests ends.
    private static let template: Result<NotesStore, any Error> = Result {
        let store = try NotesStore(importing: count)
        atexit { try? NotesStore.template.get().folder.remove() }
        return store
    }

    /// Counts and digest as a reader of the given version sees them.
    static func digest(of path: String, for version: String) throws -> [String: String] {
        let outcome = try run(.reader, path, "--for", version, "--digest", within: 120)
        guard outcome.ending == .exit(0) else { throw HarnessError("the digest failed: \(outcome)") }
        let pairs = outcome.output.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(uniqueKeysWithValues: pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) })
    }

    /// Expects that the store is whole at 2.0.0: every note and link is there, nothing twice, and SQLite finds no fault.
    func expectMigrated(sourceLocation: SourceLocation = #_sourceLocation) throws {
        var expected = digest
        expected["notes"] = digest["distinct"]
        #expect(try NotesStore.digest(of: path, for: "2.0.0") == expected, sourceLocation: sourceLocation)
        let witness = try Connection(path: path, access: .readOnly)
        defer { witness.close() }
        #expect(try witness.scalar("PRAGMA integrity_check") == .text("ok"), sourceLocation: sourceLocation)
        #expect(try witness.rows("PRAGMA foreign_key_check").isEmpty, sourceLocation: sourceLocation)
        #expect(
            try witness.scalar("SELECT count(*) FROM \"Note\" WHERE typeof(\"body\") <> 'text'") == .integer(0),
            sourceLocation: sourceLocation)
        #expect(
            try witness.scalar("SELECT count(*) FROM \"Note\"") == .integer(Int64(digest["distinct"] ?? "") ?? -1),
            sourceLocation: sourceLocation)
    }

    /// The outcomes in the store's own history, oldest first, as `from to outcome`.
    func history() throws -> [String] {
        let witness = try Connection(path: path, access: .readOnly)
        defer { witness.close() }
        return try witness.rows("SELECT from_version, to_version, outcome FROM storekeeper_history ORDER BY rowid").map { row in
            row.map { value in
                if case .text(let text) = value { text } else { "-" }
            }.joined(separator: " ")
        }
    }
}

/// A package database as dpkg keeps it: sections, dependencies, descriptions of several lines, text beyond ASCII.
private func packageDatabase() -> String {
    (0..<150).map { number in
        """
        Package: package-\(number)
        Status: install ok installed
        Section: section-\(number % 12)
        Depends: package-\(number * 7 % 150) (>= 1.\(number)), package-\(number * 11 % 150) | package-0, package-\(number % 5):any
        Description: the synopsis of number \(number) — “çà et là”
         A longer description of package \(number), which has several lines
         and some words.
         .
         The last paragraph: \(String(repeating: "word \(number) ", count: number % 40))
        """
    }.joined(separator: "\n\n") + "\n"
}
