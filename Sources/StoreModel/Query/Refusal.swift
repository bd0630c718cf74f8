import Foundation
import StoreSQLite

/// What Swift would stop at refuses the row, wherever in the predicate it is: also where a negation stands around it.
///
/// A value cannot say so, since NULL is `nil` or false. So `storekeeper_refuse` makes a note, and the condition that may call it is put
/// between `storekeeper_begin`, which takes the note back, and `storekeeper_accepted`, which is true where there is none. What Swift does
/// not look at must not be looked at in SQL either: `CASE` and `COALESCE` stop where Swift does, `AND` and `OR` need not.
enum Refusal {
    private final class Note {
        var isThere = false
    }

    static func register(on connection: Connection) throws {
        // Used on the thread of the connection's statement only.
        let note = Note()
        func refuse() -> Value {
            note.isThere = true
            return .null
        }
        try connection.register(function: "storekeeper_begin", arguments: 0, isDeterministic: false) { _ in
            note.isThere = false
            return .integer(1)
        }
        try connection.register(function: "storekeeper_accepted", arguments: 0, isDeterministic: false) { _ in
            .integer(note.isThere ? 0 : 1)
        }
        try connection.register(function: "storekeeper_refuse", arguments: 0, isDeterministic: false) { _ in refuse() }
        try connection.register(function: "storekeeper_integer", arguments: 3, isDeterministic: false) { arguments in
            // Beyond 64 bits SQLite goes on with floating point, and division by zero gives NULL.
            guard case .integer(let value) = arguments[0], case .integer(let least) = arguments[1], case .integer(let most) = arguments[2],
                (least...most).contains(value)
            else { return refuse() }
            return arguments[0]
        }
        try connection.register(function: "storekeeper_remainder", arguments: 3, isDeterministic: false) { arguments in
            guard case .integer(let value) = arguments[0], case .integer(let divisor) = arguments[1],
                case .integer(let least) = arguments[2],
                divisor != 0, divisor != -1 || value != least
            else { return refuse() }
            return .integer(divisor == -1 ? 0 : value % divisor)
        }
        try UnsignedWord.register(on: connection, refuse: refuse)
        try connection.register(function: "storekeeper_step", arguments: 1) { arguments in
            // No list is that long.
            let nowhere: Int64 = 2_000_000_000
            guard case .integer(let index) = arguments[0], (0..<nowhere).contains(index) else { return .text("$[\(nowhere)]") }
            return .text("$[\(index)]")
        }
    }

    /// The least and the greatest value of an integer type, as SQL has them.
    static func bounds(_ type: Any.Type) -> SQLFragment {
        func bounds<I: FixedWidthInteger>(_: I.Type) -> SQLFragment {
            SQLFragment(text: "\(Int64(clamping: I.min)), \(Int64(clamping: I.max))")
        }
        return (type as? any FixedWidthInteger.Type).map { bounds($0) } ?? bounds(Int64.self)
    }

    static func least(_ type: Any.Type) -> SQLFragment {
        func least<I: FixedWidthInteger>(_: I.Type) -> SQLFragment { SQLFragment(text: "\(Int64(clamping: I.min))") }
        return (type as? any FixedWidthInteger.Type).map { least($0) } ?? least(Int64.self)
    }
}

extension SQLScalar {
    /// The condition of a whole predicate. Parts that cannot refuse the row stay as they are, so that indexes serve them.
    var whole: SQLFragment {
        guard sql.canRefuse else { return sql }
        return (conjuncts.isEmpty ? [sql] : conjuncts).map { part -> SQLFragment in
            guard part.canRefuse else { return part }
            return "CASE WHEN storekeeper_begin() THEN CASE WHEN \(part) THEN storekeeper_accepted() ELSE 0 END ELSE 0 END"
        }.balanced(" AND ")
    }
}

extension [SQLFragment] {
    /// All of them, one after the other: what may refuse the row is not looked at where one before does not hold.
    var inOrder: SQLFragment {
        var result: SQLFragment = ""
        for (index, part) in enumerated() {
            if index == 0 {
                result = part
            } else {
                result = result.canRefuse || part.canRefuse ? "CASE WHEN \(result) THEN \(part) ELSE 0 END" : "\(result) AND \(part)"
            }
        }
        return result
    }
}
