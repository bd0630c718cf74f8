import StoreReader
import StoreShared

/// `storectl history`.
extension Command {
    func printHistory() throws -> Int32 {
        try answering { location in
            let entries = try StoreSight.read(location) { connection, _ in try HistoryEntry.all(connection) }
            tell(HistoryAnswer(history: entries.map(HistoryAnswer.Entry.init)), HistoryText(entries).description)
            return 0
        }
    }
}

/// The history as JSON; keys that do not apply are null.
private struct HistoryAnswer: Encodable {
    struct Entry: Encodable {
        let entry: HistoryEntry

        init(_ entry: HistoryEntry) {
            self.entry = entry
        }

        private enum Keys: String, CodingKey {
            case from, to, outcome, reason, startedAt, seconds, rows, epoch, owner, backup, fingerprintBefore, fingerprintAfter
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(entry.from?.description, forKey: .from)
            try container.encode(entry.to.description, forKey: .to)
            try container.encode(entry.outcome, forKey: .outcome)
            try container.encode(entry.reason, forKey: .reason)
            try container.encode(entry.startedAt.description, forKey: .startedAt)
            try container.encode(entry.seconds, forKey: .seconds)
            try container.encode(entry.rows, forKey: .rows)
            try container.encode(entry.epoch, forKey: .epoch)
            try container.encode(entry.owner, forKey: .owner)
            try container.encode(entry.backup, forKey: .backup)
            try container.encode(entry.fingerprintBefore?.hex, forKey: .fingerprintBefore)
            try container.encode(entry.fingerprintAfter?.hex, forKey: .fingerprintAfter)
        }
    }

    let history: [Entry]
}

/// The history for a person: one line an entry, and the reason below where there is one.
private struct HistoryText: CustomStringConvertible {
    let entries: [HistoryEntry]

    init(_ entries: [HistoryEntry]) {
        self.entries = entries
    }

    var description: String {
        let rows = entries.map { entry in
            [
                entry.startedAt.description, entry.outcome.rawValue, entry.from.map { "\($0) to \(entry.to)" } ?? "\(entry.to)",
                "\(entry.seconds) s", "\(entry.rows) rows", "epoch \(entry.epoch)",
                [entry.owner, entry.backup.map { "backup \($0)" }].compactMap { $0 }.joined(separator: ", "),
            ]
        }
        let lines = TextTable(rows).description.split(separator: "\n", omittingEmptySubsequences: false)
        var text = ""
        for (entry, line) in zip(entries, lines) {
            text += line + "\n"
            if let reason = entry.reason { text += "    \(reason.onOneLine)\n" }
        }
        return text
    }
}
