import Foundation
import ProcessHarness

/// `storectl version` against SQLite's own shell, whole process against whole process, in turns.
func shellFigures(_ notes: NotesFixture) throws -> [Figure] {
    try notes.withCopy { store in
        let left = try ratio(store, note: "nobody owns it")
        let owner = try Program(.notesd, store, "--to", "1.0.0")
        try owner.line(containing: " serving ")
        let served = try ratio(store, note: "owned and served")
        owner.send(SIGTERM)
        try owner.wait()
        return [left, served]
    }
}

private func ratio(_ store: String, note: String) throws -> Figure {
    let storectl = try Product.storectl.path
    var ours: [Double] = []
    var theirs: [Double] = []
    for _ in 0..<400 {
        ours.append(try secondsToRun([storectl, "version", store]))
        theirs.append(try secondsToRun(["/usr/bin/sqlite3", "-readonly", store, "PRAGMA user_version"]))
    }
    return Figure(
        name: "storectl version against sqlite3 -readonly, \(note)", value: median(ours) / median(theirs), budget: 1.5, unit: "times",
        note: "\(short(median(ours) * 1000)) ms against \(short(median(theirs) * 1000)) ms, medians of 400")
}
