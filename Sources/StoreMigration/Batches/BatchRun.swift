import StoreShared
import StoreSQLite

/// Goes through the batches of a stage, from where the store's cursor stands to the last key.
///
/// Each batch is one commit together with its cursor, so that a killed owner's successor goes on with the next one: no row is handled
/// twice, none is left out.
struct BatchRun {
    let connection: Connection
    let batches: StageBatches
    /// The version whose schema the store has by now.
    let snapshot: SchemaSnapshot
    /// Of the owner that does it.
    let epoch: Int64
    /// Whether that owner still holds the lock that its path names.
    let stillOwns: () -> Bool
    let pause: Duration
    let progress: MigrationProgress

    private var table: String { SQLName.quoted(batches.table) }
    private var key: String { SQLName.quoted(batches.key) }

    /// Why the keys cannot be walked.
    ///
    /// An empty text lies below every text, and the first batch begins above it.
    static func refusals(_ batches: StageBatches, _ connection: Connection) throws -> [Refusal] {
        let (table, key) = (SQLName.quoted(batches.table), SQLName.quoted(batches.key))
        guard batches.keyIsText,
            try connection.scalar("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE", .text(batches.table))
                != nil,
            try connection.scalar(
                "SELECT 1 FROM pragma_table_xinfo(?) WHERE name = ? COLLATE NOCASE", .text(batches.table), .text(batches.key)) != nil,
            try connection.scalar("SELECT 1 FROM \(table) WHERE \(key) = '' LIMIT 1") != nil
        else { return [] }
        return [
            Refusal(
                object: "table \(batches.table), column \(batches.key)", reason: "a row has an empty key, which no batch reaches", rows: 1,
                remedy: "Give the row another key.")
        ]
    }

    /// - Throws: what a batch throws. That batch is undone, those before it stay, and the store is pending with its cursor.
    func run() throws {
        var after = try Self.cursor(batches, connection)
        var (done, total) = try standing(after)
        progress.batches = (done, total)
        progress.expect(rows: total)
        try progress.advance(rows: Int(done))
        while let batch = try next(after) {
            try batches(after, batch)
            after = batch.until
            done += Int64(batch.rows)
            progress.batches = (done, max(done, total))
            try progress.advance(rows: batch.rows)
            if pause > .zero { try progress.pause(pause) }
        }
        progress.report()
    }

    /// The rows up to the store's cursor, and all rows.
    private func standing(_ after: Value) throws -> (done: Int64, total: Int64) {
        let total = try connection.scalar("SELECT count(*) FROM \(table)")?.integer ?? 0
        let left = try connection.scalar("SELECT count(*) FROM \(table) WHERE \(key) > ?", after)?.integer ?? 0
        return (total - left, total)
    }

    private struct Batch {
        let until: Value
        let rows: Int
    }

    /// The next keys; nil when there are none.
    private func next(_ after: Value) throws -> Batch? {
        let row = try connection.row(
            "SELECT max(k), count(*) FROM (SELECT \(key) AS k FROM \(table) WHERE \(key) > ?1 ORDER BY \(key) LIMIT ?2)", after,
            .integer(Int64(batches.size)))
        guard let row, let count = row[1].integer, count > 0 else { return nil }
        return Batch(until: row[0], rows: Int(count))
    }

    /// One batch and its cursor in one commit.
    private func batches(_ after: Value, _ batch: Batch) throws {
        try connection.beginWriting()
        do {
            guard try StoreMetadata.epoch(of: connection) == epoch, stillOwns() else {
                throw StoreError(
                    .fenced, "another owner has taken over \(connection.path) between two batches", remedy: "open it again",
                    path: connection.path)
            }
            try connection.setForeignKeys(true)
            let context = StageContext(connection: connection, snapshot: snapshot, progress: progress)
            var objection: String?
            do {
                let forbids = { (action: Action) in
                    objection = objection ?? batches.objection(to: action)
                    return objection != nil
                }
                try StageGuard.guarding(connection, forbids: forbids) { try batches.body(context, after, batch.until) }
            } catch {
                // Of a trigger that the plan does not know, since the store has been adopted with it: else the plan is refused.
                guard let objection else { throw error }
                throw StoreError(
                    .migrationFailed, "a batch \(objection), also by a trigger or a key: they would never end",
                    remedy: "do that before the batches, or go along another table", path: connection.path, cause: error)
            }
            connection.finalizeStatements()
            try connection.run(
                "INSERT INTO storekeeper_metadata(key, value) VALUES('cursor', ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
                .text(BatchCursor.text(of: batch.until)))
            try connection.commit()
        } catch {
            connection.finalizeStatements()
            // The handler that stops the migration must not stop its undoing.
            connection.onProgress(nil)
            connection.rollback()
            throw error
        }
    }

    /// Where the store stands: above this key nothing has been handled.
    private static func cursor(_ batches: StageBatches, _ connection: Connection) throws -> Value {
        let text = try connection.scalar("SELECT value FROM storekeeper_metadata WHERE key = 'cursor'")?.text ?? ""
        if let value = BatchCursor.value(of: text) { return value }
        if batches.keyIsText { return "" }
        // The least integer is a key that nothing lies below, except as a real number.
        let least = try connection.scalar("SELECT min(\(SQLName.quoted(batches.key))) FROM \(SQLName.quoted(batches.table))")
        return least == .integer(.min) ? .real(-1e300) : .integer(.min)
    }
}

/// The cursor as the store keeps it.
enum BatchCursor {
    static func text(of value: Value) -> String {
        switch value {
        case .null: ""
        case .integer(let number): "integer \(number)"
        case .real(let number): "real \(number)"
        case .text(let text): "text \(text)"
        case .blob(let bytes): "blob \(hexadecimal(bytes))"
        }
    }

    /// Nil before the first batch, and for what cannot be read.
    static func value(of text: String) -> Value? {
        guard let space = text.firstIndex(of: " ") else { return nil }
        let rest = String(text[text.index(after: space)...])
        return switch text[..<space] {
        case "integer": Int64(rest).map(Value.integer)
        case "real": Double(rest).map(Value.real)
        case "text": .text(rest)
        case "blob": bytes(of: rest).map(Value.blob)
        default: nil
        }
    }

    private static func bytes(of hexadecimal: String) -> [UInt8]? {
        let digits = Array(hexadecimal.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
