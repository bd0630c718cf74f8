import ProcessHarness
import StoreReader
import StoreSQLite
import StoreShared

/// What it costs to check the version inside every read transaction, beside the same transaction without the check.
func versionCheckFigures(_ notes: NotesFixture) throws -> [Figure] {
    try notes.withCopy { store in
        let location = try StoreLocation(path: store)
        let connection = try Connection(path: store, access: .readOnly)
        defer { connection.close() }
        guard let metadata = try StoreMetadata.read(connection) else { throw HarnessError("\(store) has no metadata") }
        let pool = SnapshotPool(location: location, identity: metadata.identity)
        defer { pool.close() }
        let query = "SELECT \"title\" FROM \"Note\" WHERE \"storekeeper_id\" = 1"

        let begin = try connection.prepare("BEGIN")
        let commit = try connection.prepare("COMMIT")
        let generation = try connection.prepare("PRAGMA user_version")
        let cookie = try connection.prepare("PRAGMA schema_version")
        let title = try connection.prepare(query)
        func plain(checks: Bool) throws {
            try begin.run()
            if checks {
                try generation.run()
                try cookie.run()
            }
            try title.run()
            try commit.run()
        }
        var bare: [Double] = []
        var checked: [Double] = []
        var pooled: [Double] = []
        for _ in 0..<15 {
            bare.append(try microseconds { try plain(checks: false) })
            checked.append(try microseconds { try plain(checks: true) })
            pooled.append(try microseconds { try pool.read { try $0.statement(query).run() } })
        }
        let transaction = "BEGIN, one row, COMMIT takes \(short(median(bare))) µs"
        return [
            Figure(
                name: "version check in a read transaction", value: median(checked) - median(bare), budget: 1, unit: "µs", note: transaction
            ),
            Figure(
                name: "SnapshotPool.read: check, gate, budget and pool together", value: median(pooled) - median(bare), unit: "µs",
                note: transaction),
        ]
    }
}

/// The time of one call, over many.
private func microseconds(_ body: () throws -> Void) throws -> Double {
    let calls = 20_000
    let start = ContinuousClock.now
    for _ in 0..<calls { try body() }
    return (ContinuousClock.now - start) / .microseconds(1) / Double(calls)
}
