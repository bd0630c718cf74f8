import Foundation
import ProcessHarness
import Testing

/// Clocks of the day that jump: no deadline is on them.
@Suite(.serialized, .enabled(if: FakeClock.exists, "apt-get install faketime")) struct ClockTests {
    /// A day back, and a wait ends in time all the same.
    @Test func aWaitEndsInTimeThoughTheClockIsSetBack() throws {
        let store = try NotesStore()
        let clock = try FakeClock()
        let reader = try Program(.reader, [store.path, "--for", "2.0.0", "--timeout", "2"], launcher: clock.launcher)
        try reader.line(containing: " waiting ")
        try clock.set("-1d")
        #expect(try reader.wait() == .exit(5), "\(reader.transcript)")
    }

    /// A day ahead, and a wait goes on: it outlives one of two seconds that began afterwards, and ends when the version is there.
    @Test func aWaitGoesOnThoughTheClockIsSetAhead() throws {
        let store = try NotesStore()
        let clock = try FakeClock()
        let reader = try Program(.reader, [store.path, "--for", "2.0.0", "--timeout", "3600"], launcher: clock.launcher)
        try reader.line(containing: " waiting ")
        try clock.set("+1d")
        #expect(try run(.reader, store.path, "--for", "2.0.0", "--timeout", "2").ending == .exit(5))
        #expect(reader.ending(within: 0) == nil, "\(reader.transcript)")
        let owner = try run(.notesd, store.path, "--migrate-only")
        #expect(owner.ending == .exit(0), "\(owner)")
        #expect(try reader.wait() == .exit(0), "\(reader.transcript)")
    }

    /// An owner whose clock is a day behind what was published, or jumps while it migrates, migrates and publishes.
    @Test(arguments: ["-1d", "+1d"]) func anOwnerMigratesWhateverTheClockSays(_ offset: String) throws {
        let store = try NotesStore()
        let clock = try FakeClock()
        try clock.set(offset == "-1d" ? "+0" : "-1d")
        let owner = try Program(.notesd, [store.path, "--log", "json"], launcher: clock.launcher)
        try owner.line(containing: "\"event\":\"opening\"")
        try clock.set(offset)
        try owner.line(containing: "\"event\":\"serving\"")
        #expect(try run(.storectl, "check", store.path, "--want", "2.0.0", "--strict").ending == .exit(0))
        owner.send(SIGTERM)
        #expect(try owner.wait() == .exit(0), "\(owner.transcript)")
        try store.expectMigrated()
    }
}

/// A clock of the day for programs that are started with it, which can be set while they run. The monotonic clock stays true.
private final class FakeClock {
    private static let library = "/usr/lib/\(machine)-linux-gnu/faketime/libfaketimeMT.so.1"
    private let folder: TemporaryFolder

    static let exists = FileManager.default.fileExists(atPath: library)

    private static var machine: String {
        var name = utsname()
        uname(&name)
        return withUnsafeBytes(of: &name.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    init() throws {
        folder = try TemporaryFolder()
        try set("+0")
    }

    /// - Parameter offset: as `+1d`, from the true time on.
    func set(_ offset: String) throws {
        // Whole at any moment, as a file that is being read must be.
        try Data("\(offset)\n".utf8).write(to: URL(fileURLWithPath: folder("clock")), options: .atomic)
    }

    var launcher: [String] {
        [
            "/usr/bin/env", "LD_PRELOAD=\(Self.library)", "FAKETIME_TIMESTAMP_FILE=\(folder("clock"))", "FAKETIME_NO_CACHE=1",
            "DONT_FAKE_MONOTONIC=1",
        ]
    }
}
