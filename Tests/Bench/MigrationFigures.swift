import Foundation
import ProcessHarness

/// The migration of many notes: memory, heartbeat, and speed beside the same SQL in C.
func migrationFigures(in folder: TemporaryFolder, handwritten: String, isQuick: Bool) throws -> [Figure] {
    var figures: [Figure] = []
    var peaks: [Double] = []
    for count in isQuick ? [100_000] : [100_000, 1_000_000] {
        let place = try TemporaryFolder(in: folder.path)
        defer { place.remove() }
        let notes = try NotesFixture(in: place, count: count)
        let inC = try notes.withCopy { store in
            let outcome = try firstLine(of: [handwritten, store])
            guard let seconds = Double(outcome) else { throw HarnessError("\(handwritten) printed \(outcome)") }
            return seconds
        }
        let measured = try notes.withCopy(migrate)
        peaks.append(measured.peak)
        let rate = Double(notes.rows) / measured.seconds
        let label = "migration of \(count) notes"
        figures += [
            Figure(
                name: "\(label): seconds", value: measured.seconds, unit: "s",
                note:
                    "\(Int(rate)) rows/s; in C \(short(inC)) s, \(Int(Double(notes.rows) / inC)) rows/s: \(short(measured.seconds / inC)) times"
            ),
            Figure(name: "\(label): longest gap between heartbeats", value: measured.gap, budget: 1, unit: "s"),
            Figure(name: "\(label): peak memory of the owner", value: measured.peak, unit: "MB"),
        ]
    }
    if peaks.count == 2 {
        figures.append(Figure(name: "peak memory at 1000000 over that at 100000", value: peaks[1] - peaks[0], budget: 16, unit: "MB"))
    }
    return figures
}

private struct MigrationMeasure {
    var seconds: Double
    /// Megabytes.
    var peak: Double
    /// Seconds.
    var gap: Double
}

private func migrate(_ store: String) throws -> MigrationMeasure {
    let owner = try Program(.notesd, store, "--no-backup", "--log", "json")
    let began = try time(ofEvent: owner.line(containing: "\"event\":\"migrating\""))
    let gap = try longestGap(inRecordOf: store, whileRuns: owner)
    let ended = try time(ofEvent: owner.line(containing: "\"event\":\"published\",\"version\":\"2.0.0\""))
    try owner.line(containing: "\"event\":\"serving\"")
    let status = try String(contentsOfFile: "/proc/\(owner.pid)/status", encoding: .utf8)
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
        let kilobytes = Double(line.filter(\.isNumber))
    else { throw HarnessError("no VmHWM of \(owner.pid)") }
    owner.send(SIGTERM)
    guard try owner.wait() == .exit(0) else { throw HarnessError("the owner failed: \(owner.transcript)") }
    return MigrationMeasure(seconds: ended >= began ? ended - began : ended + 86400 - began, peak: kilobytes / 1024, gap: gap)
}

/// The longest time that the record of a migrating owner stayed the same file, in seconds; every heartbeat is a new file.
private func longestGap(inRecordOf store: String, whileRuns owner: Program) throws -> Double {
    let record = "\(store).keeper/record"
    var longest = 0.0
    var last: (file: UInt, at: ContinuousClock.Instant)?
    while owner.ending(within: 0.002) == nil {
        let text = try String(contentsOfFile: record, encoding: .utf8)
        let now = ContinuousClock.now
        var information = stat()
        guard stat(record, &information) == 0 else { continue }
        if let seen = last, seen.file != information.st_ino {
            longest = max(longest, (now - seen.at) / .seconds(1))
            last = (information.st_ino, now)
        }
        if text.contains("STORE_STATE=migrating") {
            if last == nil { last = (information.st_ino, now) }
        } else if last != nil {
            return longest
        }
    }
    throw HarnessError("the owner left in the middle: \(owner.transcript)")
}
