import Glibc

/// The row that the next model made on this thread shall read from.
///
/// A model's stored `_$backingData` has an initial value, which runs also when a fetched row gets its model. Handing the
/// row over through the thread spares a second row for each fetched model.
enum PendingRow {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Sets the row for the length of `body`, unowned.
    @inline(__always)
    static func hand<R>(_ row: ModelRow, to body: () -> R) -> R {
        pthread_setspecific(key, Unmanaged.passUnretained(row).toOpaque())
        defer { pthread_setspecific(key, nil) }
        return body()
    }

    /// Takes the row, once, if it is of this class.
    @inline(__always)
    static func take<Row: ModelRow>(_ type: Row.Type) -> Row? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        let row = Unmanaged<ModelRow>.fromOpaque(pointer).takeUnretainedValue()
        guard Swift.type(of: row) == type else { return nil }
        pthread_setspecific(key, nil)
        return unsafeDowncast(row, to: type)
    }
}
