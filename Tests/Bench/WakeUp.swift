import Foundation
import ProcessHarness

/// How long after the publication a reader that waits is ready to read: one alone, and the last of 64.
func wakeUpFigures(_ notes: NotesFixture) throws -> [Figure] {
    let alone = try (0..<15).map { _ in try wakeUp(notes, readers: 1)[0] }
    let crowds = try (0..<5).map { _ in try wakeUp(notes, readers: 64) }
    let last = crowds.map { $0.max() ?? .nan }
    return [
        Figure(
            name: "publication to one waiting reader resumed, median of 15", value: median(alone) * 1000, budget: 5, unit: "ms",
            note: "worst \(short((alone.max() ?? .nan) * 1000))"),
        Figure(
            name: "publication to the last of 64 resumed, median of 5", value: median(last) * 1000, budget: 100, unit: "ms",
            note: "worst \(short((last.max() ?? .nan) * 1000)); median reader \(short(median(crowds.flatMap { $0 }) * 1000))"),
    ]
}

private func wakeUp(_ notes: NotesFixture, readers count: Int) throws -> [Double] {
    try notes.withCopy { store in
        let readers = try (0..<count).map { _ in
            try Program(.reader, store, "--for", "2.0.0", "--timeout", "120", "--one", "--stay", "--log", "json")
        }
        for reader in readers { try reader.line(containing: "\"event\":\"waiting\"") }
        let owner = try Program(.notesd, store, "--no-backup", "--log", "json")
        let published = try time(ofEvent: owner.line(containing: "\"event\":\"published\",\"version\":\"2.0.0\""))
        let latencies = try readers.map { reader in
            let ready = try time(ofEvent: reader.line(containing: "\"event\":\"ready\""))
            // The clock of the day may have passed midnight.
            return ready >= published - 3600 ? ready - published : ready + 86400 - published
        }
        for reader in readers {
            try reader.line(containing: "\"event\":\"read\"")
            reader.send(SIGTERM)
            guard try reader.wait() == .signal(SIGTERM) else { throw HarnessError("a reader failed: \(reader.transcript)") }
        }
        owner.send(SIGTERM)
        try owner.wait()
        return latencies
    }
}
