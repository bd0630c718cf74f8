import Foundation
import ProcessHarness

/// A store of notes at 1.0.0, made of this machine's own package database, to be copied for every round.
struct NotesFixture {
    let path: String
    /// Notes as they are stored, those that are stored twice included.
    let rows: Int
    private let folder: TemporaryFolder

    init(in folder: TemporaryFolder, count: Int) throws {
        self.folder = folder
        path = folder("notes-\(count).store")
        let outcome = try run(
            .notesd, path, "--to", "1.0.0", "--import", "/var/lib/dpkg/status", "--notes", "\(count)", "--migrate-only", within: 1800)
        guard outcome.ending == .exit(0) else { throw HarnessError("the import failed: \(outcome)") }
        rows = count + count / 100
    }

    /// Runs `body` with a copy, which is removed afterwards.
    func withCopy<T>(_ body: (String) throws -> T) throws -> T {
        let copies = try TemporaryFolder(in: folder.path)
        defer { copies.remove() }
        try copyStore(path, to: copies("notes.store"))
        return try body(copies("notes.store"))
    }
}

/// The time of an event in a program's log, in seconds of the day.
func time(ofEvent line: String) throws -> Double {
    let clock = line.drop { $0 != "T" }.dropFirst().prefix { $0 != "Z" }
    let parts = clock.split(separator: ":").compactMap { Double($0) }
    guard line.hasPrefix("{\"time\":\""), parts.count == 3 else { throw HarnessError("no time in \(line)") }
    return (parts[0] * 60 + parts[1]) * 60 + parts[2]
}
