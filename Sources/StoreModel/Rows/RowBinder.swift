import StoreSQLite

/// Takes the values of one row for the parameters of an INSERT or UPDATE, in the order of the properties.
///
/// Each slot asks `wantsNext` once, so that an UPDATE of a few columns takes only those.
public struct RowBinder {
    package let statement: Statement
    package var parameter: Int32
    /// The properties that are wanted.
    package let wanted: PropertySet
    package var property = 0
    /// What the store has for properties whose values are not understood, by property: it is written as it is.
    var undecoded: [Int: Value] = [:]
    /// The first binding that failed.
    package var failure: (any Error)?
    /// The property that it was for.
    private(set) var failed = 0

    package init(_ statement: Statement, from parameter: Int32 = 1, wanted: PropertySet) {
        self.statement = statement
        self.parameter = parameter
        self.wanted = wanted
    }

    /// Goes back to the first parameter, for another row.
    mutating func rewind() {
        parameter = 1
        property = 0
        failure = nil
    }

    /// Moves to the next property and says whether its column is part of the statement.
    public mutating func wantsNext() -> Bool {
        let next = property
        property &+= 1
        guard wanted.contains(next) else { return false }
        guard !undecoded.isEmpty, let stored = undecoded[next] else { return true }
        do { try statement.bind(stored, at: parameter) } catch { note(error) }
        parameter &+= 1
        return false
    }

    /// An INTEGER for the next parameter.
    public mutating func bind(_ value: Int64) {
        do { try statement.bind(value, at: parameter) } catch { note(error) }
        parameter &+= 1
    }

    /// Not a number has no place in a column: SQLite would store NULL for it.
    public mutating func bind(_ value: Double) {
        guard !value.isNaN else { return refuseNotANumber() }
        do { try statement.bind(value, at: parameter) } catch { note(error) }
        parameter &+= 1
    }

    /// A TEXT for the next parameter.
    public mutating func bind(_ value: String) {
        do { try statement.bind(value, at: parameter) } catch { note(error) }
        parameter &+= 1
    }

    /// A BLOB for the next parameter; its bytes are copied.
    public mutating func bind(blob bytes: UnsafeRawBufferPointer) {
        do { try statement.bind(blob: bytes, at: parameter) } catch { note(error) }
        parameter &+= 1
    }

    /// NULL for the next parameter.
    public mutating func bindNull() {
        do { try statement.bindNull(at: parameter) } catch { note(error) }
        parameter &+= 1
    }

    /// Says that the value could not be made; the save that binds it throws `error`.
    public mutating func fail(_ error: any Error) {
        note(error)
        parameter &+= 1
    }

    /// Fails the save: NaN has no place in a column.
    public mutating func refuseNotANumber() {
        fail(SwiftDataError.modelValidation("not a number (NaN) cannot be stored", remedy: "give it a number, or nil where it is optional"))
    }

    /// Beyond 2^63 SQLite has no integers, and as negative ones they would compare wrongly.
    public mutating func refuseTooLarge() {
        fail(
            SwiftDataError.modelValidation(
                "an integer above \(Int64.max) cannot be stored", remedy: "keep it as a Decimal, a String or a Double"))
    }

    private mutating func note(_ error: any Error) {
        guard failure == nil else { return }
        (failure, failed) = (error, property &- 1)
    }
}
