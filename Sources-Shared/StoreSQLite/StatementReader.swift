import CStoreSQLite

/// Takes a script apart into its statements, where SQLite's own parser ends each of them.
///
/// A statement is compiled when it is asked for, so that it sees what the ones before it have made.
package final class StatementReader {
    /// One statement, compiled, and where it stands in the script in UTF-8 bytes, leading space and comments included.
    package struct Part {
        package let statement: Statement
        package let range: Range<Int>
    }

    private let handle: DatabaseHandle
    private let text: [CChar]
    /// Where the next statement begins, in UTF-8 bytes; after an error, where the one begins that could not be compiled.
    package private(set) var position = 0
    /// The byte of the script at which SQLite saw the last error; nil where SQLite did not say.
    package private(set) var errorPosition: Int?

    /// - Parameter script: without zero bytes, at which SQLite would stop.
    package init(_ connection: Connection, script: String) {
        handle = connection.handle
        text = Array(script.utf8CString)
    }

    /// Moves on without compiling anything.
    package func skip(to position: Int) {
        self.position = min(max(position, self.position), text.count - 1)
    }

    /// Compiles the next statement.
    ///
    /// - Returns: nil at the end of the script.
    /// - Throws: `SQLiteError`; `position` stays.
    package func next() throws -> Part? {
        try text.withUnsafeBufferPointer { text in
            guard let start = text.baseAddress else { return nil }
            while start[position] != 0 {
                var rest = start + position
                let begin = position
                do {
                    guard let statement = try Statement(handle, next: &rest) else {
                        position = rest - start
                        continue
                    }
                    position = rest - start
                    return Part(statement: statement, range: begin..<position)
                } catch {
                    let offset = handle.pointer.map { sqlite3_error_offset($0) } ?? -1
                    errorPosition = offset < 0 ? nil : begin + Int(offset)
                    throw error
                }
            }
            return nil
        }
    }
}
