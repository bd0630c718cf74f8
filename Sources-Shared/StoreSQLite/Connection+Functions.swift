import CStoreSQLite

private final class ScalarFunction {
    let body: ([Value]) throws -> Value
    init(_ body: @escaping ([Value]) throws -> Value) { self.body = body }
}

private final class Collation {
    let compare: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
    init(_ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int) { self.compare = compare }
}

extension Connection {
    /// Registers a deterministic SQL function of this connection.
    ///
    /// - Parameters:
    ///   - arguments: how many it takes; -1 for any number.
    ///   - body: gives the result; what it throws becomes the statement's error.
    package func register(
        function name: String, arguments: Int32, isDeterministic: Bool = true, _ body: @escaping ([Value]) throws -> Value
    ) throws {
        let box = Unmanaged.passRetained(ScalarFunction(body)).toOpaque()
        try handle.check(
            sqlite3_create_function_v2(
                handle.pointer, name, arguments, SQLITE_UTF8 | SQLITE_INNOCUOUS | (isDeterministic ? SQLITE_DETERMINISTIC : 0), box,
                { context, count, arguments in
                    guard let context, let box = sqlite3_user_data(context) else { return }
                    let values = (0..<Int(count)).map { Value(argument: arguments?[$0]) }
                    do {
                        try Unmanaged<ScalarFunction>.fromOpaque(box).takeUnretainedValue().body(values).give(to: context)
                    } catch {
                        sqlite3_result_error(context, "\(error)", -1)
                    }
                }, nil, nil, { if let box = $0 { Unmanaged<ScalarFunction>.fromOpaque(box).release() } }))
    }

    /// Registers an order of texts of this connection. `compare` gets the UTF-8 of both and gives less than, equal to or more than 0.
    package func register(
        collation name: String, _ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
    ) throws {
        let box = Unmanaged.passRetained(Collation(compare)).toOpaque()
        let result = sqlite3_create_collation_v2(
            handle.pointer, name, SQLITE_UTF8, box,
            { box, firstCount, first, secondCount, second in
                guard let box else { return 0 }
                let order = Unmanaged<Collation>.fromOpaque(box).takeUnretainedValue().compare(
                    UnsafeRawBufferPointer(start: first, count: Int(firstCount)),
                    UnsafeRawBufferPointer(start: second, count: Int(secondCount)))
                return Int32(order.signum())
            }, { if let box = $0 { Unmanaged<Collation>.fromOpaque(box).release() } })
        if result != SQLITE_OK {
            // Unlike functions, a collation that could not be registered is not released by SQLite.
            Unmanaged<Collation>.fromOpaque(box).release()
            throw handle.error(result)
        }
    }
}

extension Value {
    fileprivate init(argument: OpaquePointer?) {
        switch sqlite3_value_type(argument) {
        case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(argument))
        case SQLITE_FLOAT: self = .real(sqlite3_value_double(argument))
        case SQLITE_TEXT:
            let text = UnsafeBufferPointer(start: sqlite3_value_text(argument), count: Int(sqlite3_value_bytes(argument)))
            self = .text(String(decoding: text, as: UTF8.self))
        case SQLITE_BLOB:
            let bytes = sqlite3_value_blob(argument)
            self = .blob(Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(argument)))))
        default: self = .null
        }
    }

    fileprivate func give(to context: OpaquePointer) {
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch self {
        case .null: sqlite3_result_null(context)
        // Nothing has no address, and SQLite takes a missing address for NULL.
        case .text(""): sqlite3_result_text(context, "", 0, copied)
        case .blob([]): sqlite3_result_zeroblob(context, 0)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(var text):
            text.withUTF8 { text in
                text.withMemoryRebound(to: CChar.self) {
                    sqlite3_result_text64(context, $0.baseAddress, UInt64($0.count), copied, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let bytes):
            bytes.withUnsafeBytes { sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), copied) }
        }
    }
}
