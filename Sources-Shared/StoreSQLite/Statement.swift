import CStoreSQLite

/// One compiled statement. Parameters are counted from 1, columns from 0, as SQLite does.
///
/// Not `Sendable`; used where its connection is used. After the connection is closed every call throws or gives nothing.
package final class Statement {
    /// The text that it was compiled from.
    package let sql: String
    private let handle: DatabaseHandle
    private let pointer: OpaquePointer
    /// Whether it has been stepped since its last reset.
    private var isRunning = false
    /// SQLite copies what it is given.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// - Parameter persistent: that the statement will be kept for long, so that SQLite allocates it elsewhere.
    init(_ handle: DatabaseHandle, _ sql: String, persistent: Bool) throws {
        guard let database = handle.pointer else { throw handle.error(SQLITE_MISUSE, statement: sql) }
        var sql = sql
        var compiled: OpaquePointer?
        var isAlone = true
        let flags = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let result = sql.withUTF8 { text in
            text.withMemoryRebound(to: CChar.self) { text in
                var tail: UnsafePointer<CChar>?
                let result = sqlite3_prepare_v3(database, text.baseAddress, Int32(text.count), flags, &compiled, &tail)
                if result == SQLITE_OK, let tail, let start = text.baseAddress, tail - start < text.count {
                    var next: OpaquePointer?
                    let rest = Int32(text.count - (tail - start))
                    isAlone = sqlite3_prepare_v3(database, tail, rest, 0, &next, nil) == SQLITE_OK && next == nil
                    sqlite3_finalize(next)
                }
                return result
            }
        }
        handle.counts.prepared += 1
        #if STORE_FAULTS
        StatementTally.note(sql)
        #endif
        guard result == SQLITE_OK else { throw handle.error(result, statement: sql) }
        guard let compiled, isAlone else {
            sqlite3_finalize(compiled)
            let message = compiled == nil ? "the text holds no statement" : "the text holds more than one statement"
            throw SQLiteError(code: .error, message: message, statement: sql, path: handle.path)
        }
        self.sql = sql
        self.handle = handle
        pointer = compiled
        handle.register(compiled)
    }

    /// The next statement of a text that ends with a zero byte; nil where only white space or a comment is left. Moves `text` on.
    convenience init?(_ handle: DatabaseHandle, next text: inout UnsafePointer<CChar>) throws {
        guard let database = handle.pointer else { throw handle.error(SQLITE_MISUSE) }
        var compiled: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        let start = text
        let result = sqlite3_prepare_v3(database, text, -1, 0, &compiled, &tail)
        handle.counts.prepared += 1
        guard result == SQLITE_OK else { throw handle.error(result, statement: String(cString: start)) }
        text = tail ?? start.advanced(by: strlen(start))
        guard let compiled else { return nil }
        self.init(handle, compiled)
    }

    private init(_ handle: DatabaseHandle, _ compiled: OpaquePointer) {
        self.handle = handle
        pointer = compiled
        handle.register(compiled)
        sql = sqlite3_sql(compiled).map { String(cString: $0) } ?? ""
        #if STORE_FAULTS
        StatementTally.note(sql)
        #endif
    }

    deinit {
        handle.finalize(pointer)
    }

    // MARK: Parameters

    package func bind(_ value: Int64, at index: Int32) throws {
        try check(sqlite3_bind_int64(pointer, index, value))
    }

    package func bind(_ value: Double, at index: Int32) throws {
        try check(sqlite3_bind_double(pointer, index, value))
    }

    package func bind(_ value: String, at index: Int32) throws {
        var value = value
        try check(
            value.withUTF8 { text in
                // An empty text still needs an address: a null pointer would bind NULL.
                guard let address = text.baseAddress else { return sqlite3_bind_text(pointer, index, "", 0, Self.copied) }
                return address.withMemoryRebound(to: CChar.self, capacity: text.count) {
                    sqlite3_bind_text64(pointer, index, $0, UInt64(text.count), Self.copied, UInt8(SQLITE_UTF8))
                }
            })
    }

    package func bind(blob bytes: UnsafeRawBufferPointer, at index: Int32) throws {
        try check(
            bytes.count == 0
                ? sqlite3_bind_zeroblob(pointer, index, 0)
                : sqlite3_bind_blob64(pointer, index, bytes.baseAddress, UInt64(bytes.count), Self.copied))
    }

    package func bind(blob bytes: [UInt8], at index: Int32) throws {
        try bytes.withUnsafeBytes { try bind(blob: $0, at: index) }
    }

    package func bindNull(at index: Int32) throws {
        try check(sqlite3_bind_null(pointer, index))
    }

    package func bind(_ value: Value, at index: Int32) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let value): try bind(value, at: index)
        case .real(let value): try bind(value, at: index)
        case .text(let value): try bind(value, at: index)
        case .blob(let bytes): try bind(blob: bytes, at: index)
        }
    }

    /// Binds the values to the parameters from 1 on.
    package func bind(_ values: [Value]) throws {
        for (offset, value) in values.enumerated() { try bind(value, at: Int32(offset + 1)) }
    }

    package func clearBindings() {
        if handle.pointer != nil { sqlite3_clear_bindings(pointer) }
    }

    /// How many parameters the statement has.
    package var parameterCount: Int32 { handle.pointer == nil ? 0 : sqlite3_bind_parameter_count(pointer) }

    /// The number of the parameter with this name, prefix included (`:after`); nil if there is none.
    package func parameter(named name: String) -> Int32? {
        guard handle.pointer != nil else { return nil }
        let index = sqlite3_bind_parameter_index(pointer, name)
        return index == 0 ? nil : index
    }

    // MARK: Running

    /// Goes on to the next row.
    ///
    /// - Returns: true while there is a row; after false or an error the statement is ready to be run again after `reset`.
    /// - Throws: `SQLiteError`, also when the statement silently ended the transaction that it ran in.
    package func step() throws -> Bool {
        guard handle.pointer != nil else { throw handle.error(SQLITE_MISUSE, statement: sql) }
        try handle.checkTransaction(statement: sql)
        handle.counts.steps += 1
        #if STORE_FAULTS
        let begins = !isBusy
        if begins, let code = StatementFaults.next(sql) {
            throw SQLiteError(code: code, message: "a failure that a test has ordered", statement: sql, path: handle.path)
        }
        defer { if begins || !isBusy { FailPoint.pass(sql) } }
        #endif
        if !isRunning {
            isRunning = true
            handle.counts.runs += 1
        }
        switch sqlite3_step(pointer) {
        case SQLITE_ROW:
            return true
        case SQLITE_DONE:
            try handle.checkTransaction(statement: sql)
            return false
        case let result:
            let error = handle.error(result, statement: sql)
            sqlite3_reset(pointer)
            throw error
        }
    }

    /// Steps to the end and resets. Rows are thrown away.
    package func run() throws {
        defer { reset() }
        while try step() {}
    }

    /// Makes the statement ready to be run again; bindings stay.
    package func reset() {
        isRunning = false
        if handle.pointer != nil { sqlite3_reset(pointer) }
    }

    /// Whether it has been stepped and not reset, so that it holds a read of the database open.
    var isBusy: Bool { handle.pointer != nil && sqlite3_stmt_busy(pointer) != 0 }

    /// Whether the statement makes no direct change to the database. The SQLite function is `sqlite3_stmt_readonly`.
    package var isReadOnly: Bool { handle.pointer != nil && sqlite3_stmt_readonly(pointer) != 0 }

    // MARK: Columns

    package var columnCount: Int32 { handle.pointer == nil ? 0 : sqlite3_column_count(pointer) }

    package func columnName(_ index: Int32) -> String {
        guard handle.pointer != nil, let name = sqlite3_column_name(pointer, index) else { return "" }
        return String(cString: name)
    }

    package func type(_ index: Int32) -> ValueType {
        guard handle.pointer != nil else { return .null }
        return ValueType(rawValue: sqlite3_column_type(pointer, index)) ?? .null
    }

    package func isNull(_ index: Int32) -> Bool { type(index) == .null }

    /// The column, looked up once for its type and its value: each call by its number looks it up again. Whoever steps the statement has its
    /// connection for himself, which is what SQLite asks for.
    @inline(__always)
    private func column(_ index: Int32) -> OpaquePointer? { handle.pointer == nil ? nil : sqlite3_column_value(pointer, index) }

    @inline(__always)
    private static func type(of value: OpaquePointer) -> ValueType { ValueType(rawValue: sqlite3_value_type(value)) ?? .null }

    /// The type, and the integer where it is one, else 0.
    package func integer(_ index: Int32) -> (type: ValueType, value: Int64) {
        guard let value = column(index) else { return (.null, 0) }
        let type = Self.type(of: value)
        return (type, type == .integer ? sqlite3_value_int64(value) : 0)
    }

    /// The type, and the number where it is one, else 0.
    package func real(_ index: Int32) -> (type: ValueType, value: Double) {
        guard let value = column(index) else { return (.null, 0) }
        let type = Self.type(of: value)
        return (type, type == .real || type == .integer ? sqlite3_value_double(value) : 0)
    }

    /// The value as text; empty for NULL, and nil for a blob. Bytes that are not UTF-8 are repaired.
    package func textUnlessBlob(_ index: Int32) -> String? {
        guard let value = column(index) else { return "" }
        if sqlite3_value_type(value) == SQLITE_BLOB { return nil }
        guard let text = sqlite3_value_text(value) else { return "" }
        return String(decoding: UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value))), as: UTF8.self)
    }

    /// The value as an integer, converted by SQLite's rules; 0 for NULL.
    package func int64(_ index: Int32) -> Int64 { handle.pointer == nil ? 0 : sqlite3_column_int64(pointer, index) }

    /// The value as a floating point number, converted by SQLite's rules; 0 for NULL.
    package func double(_ index: Int32) -> Double { handle.pointer == nil ? 0 : sqlite3_column_double(pointer, index) }

    /// The value as text; empty for NULL. Bytes that are not UTF-8 are repaired.
    package func text(_ index: Int32) -> String {
        guard handle.pointer != nil, let text = sqlite3_column_text(pointer, index) else { return "" }
        return String(decoding: UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(pointer, index))), as: UTF8.self)
    }

    /// The bytes of a blob or of a text's UTF-8; empty for NULL.
    package func bytes(_ index: Int32) -> [UInt8] {
        withBytes(index) { Array($0) }
    }

    /// Lends the bytes of a blob or of a text's UTF-8, valid until the next step, reset or conversion of this column.
    package func withBytes<R>(_ index: Int32, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        guard handle.pointer != nil, let bytes = sqlite3_column_blob(pointer, index) else {
            return try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return try body(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, index))))
    }

    package func value(_ index: Int32) -> Value {
        switch type(index) {
        case .null: .null
        case .integer: .integer(int64(index))
        case .real: .real(double(index))
        case .text: .text(text(index))
        case .blob: .blob(bytes(index))
        }
    }

    @inline(__always)
    private func check(_ result: Int32) throws {
        if result != SQLITE_OK { throw handle.error(result, statement: sql) }
    }
}

private func strlen(_ text: UnsafePointer<CChar>) -> Int {
    var end = text
    while end.pointee != 0 { end += 1 }
    return end - text
}
