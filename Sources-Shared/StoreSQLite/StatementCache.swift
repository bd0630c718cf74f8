/// Compiled statements by their text, for one generation of the schema, the least recently used let go when it is full.
struct StatementCache {
    private struct Entry {
        let statement: Statement
        var lastUse: UInt64
    }

    /// By text and not by what a reader takes it for: literals and names in it are bytes.
    private var entries: [ExactText: Entry] = [:]
    private var clock: UInt64 = 0
    private let capacity = 128

    /// The statement for this text, reset and without bindings; nil if there is none or somebody is still stepping it.
    mutating func take(_ sql: String) -> Statement? {
        guard let index = entries.index(forKey: ExactText(sql)) else { return nil }
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
        let sql = ExactText(sql)
        if entries.count >= capacity, entries[sql] == nil, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
        }
        entries[sql] = Entry(statement: statement, lastUse: clock)
    }

    mutating func removeAll() {
        entries.removeAll()
    }
}
