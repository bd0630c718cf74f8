/// Compiled statements by their text, for one generation of the schema, the least recently used let go when it is full.
struct StatementCache {
    private struct Entry {
        let statement: Statement
        var lastUse: UInt64
    }

    /// A text by its bytes, hashed by its length and its ends: statements are long, and few.
    private struct Key: Hashable {
        let text: ExactText

        init(_ sql: String) { text = ExactText(sql) }

        func hash(into hasher: inout Hasher) {
            var sql = text.text
            sql.withUTF8 { bytes in
                hasher.combine(bytes.count)
                hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes).prefix(32)))
                hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes).suffix(32)))
            }
        }
    }

    private var entries: [Key: Entry] = [:]
    private var clock: UInt64 = 0
    private let capacity = 128

    /// The statement for this text, reset and without bindings; nil if there is none or somebody is still stepping it.
    mutating func take(_ sql: String) -> Statement? {
        guard let index = entries.index(forKey: Key(sql)) else { return nil }
        let statement = entries.values[index].statement
        guard !statement.isBusy else { return nil }
        clock += 1
        entries.values[index].lastUse = clock
        statement.reset()
        statement.clearBindings()
        return statement
    }

    mutating func insert(_ statement: Statement, for sql: String) {
        clock += 1
        let sql = Key(sql)
        if entries.count >= capacity, entries[sql] == nil, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
        }
        entries[sql] = Entry(statement: statement, lastUse: clock)
    }

    mutating func removeAll() {
        entries.removeAll()
    }
}
