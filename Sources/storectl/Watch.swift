import StoreOwner
import StoreReader
import StoreShared

/// `storectl watch`: events as they happen, until SIGINT or SIGTERM.
extension Command {
    func watch() throws -> Int32 {
        let cancellation = Cancellation()
        try TerminationSignals.cancel(cancellation, status: 0)
        return try answering { location in
            try StoreWatch(location).run(until: cancellation) { event in
                let isTaken =
                    output == .json
                    ? System.print(String(decoding: MessageCoding.line(event), as: UTF8.self) + "\n")
                    : output == .quiet || System.print(Self.text(event))
                // Whoever read the output has gone.
                if !isTaken { cancellation.cancel() }
            }
            return 0
        }
    }

    private static func text(_ event: WatchEvent) -> String {
        let status = event.status
        var words = [Timestamp.now.description, event.name, status.verdict.rawValue]
        if let version = status.store.version { words.append(version) }
        if let generation = status.store.generation { words.append("generation \(generation)") }
        if let migration = status.migration {
            if let to = migration.to { words.append("to \(to)") }
            if let name = migration.stageName { words.append("stage \(name)") }
            if let done = migration.rowsDone { words.append("\(done) of \(migration.rowsTotal.map(String.init) ?? "?") rows") }
        }
        if let entities = event.entities { words.append(entities.joined(separator: ", ")) }
        if let failure = status.failure { words.append(failure) }
        return words.joined(separator: " ").onOneLine + "\n"
    }
}
